"""Build .venv: the only step before `make demo` and `make test`.

Needs nothing but Python 3.11 or newer; uses uv where it is on PATH, and pip
otherwise. A stamp inside .venv records what was installed, so that a second call
returns at once.
"""

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "constraints.txt"
TRIM = ROOT / "frontend" / "trim_plotly.py"
OLDEST = (3, 11)


def main() -> None:
    """Install the product for its users or, with --dev, for its developers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="with the test tools")
    options = parser.parse_args()
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"Scalewatch needs Python 3.11 or newer, and {sys.executable} is {found}: "
            "name another one by PYTHON=… behind make."
        )
    stamp, stamp_dev = VENV / "stamp", VENV / "stamp-dev"
    wanted = fingerprint()
    if is_current(stamp_dev if options.dev else stamp, wanted):
        return
    print("Setting up .venv (once; a minute at most) …", flush=True)
    packages = ["-e", f"{ROOT}[server,agent]", *dependency_group("trim")]
    if options.dev:
        packages += dependency_group("dev")
    # Another Python, or packages since dropped, must leave nothing behind.
    install(packages, anew=not is_current(stamp, wanted))
    trim_plotly()
    stamp.write_text(wanted)
    if options.dev:
        stamp_dev.write_text(wanted)


def is_current(stamp: Path, wanted: str) -> bool:
    """Tell whether .venv holds what `wanted` describes."""
    return PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted


def fingerprint() -> str:
    """Return a digest of all that decides what .venv holds."""
    digest = hashlib.sha256(f"{sys.version}{ROOT}".encode())
    trimmed = (TRIM, ROOT / "backend" / "scalewatch" / "plotly_bundle.py")
    for path in (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__), *trimmed):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def dependency_group(name: str) -> list[str]:
    """Return a dependency group; pip before 25.1 cannot read it itself."""
    import tomllib  # noqa: PLC0415 - absent from the Pythons that main() refuses

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return list(project["dependency-groups"][name])


def install(packages: list[str], *, anew: bool) -> None:
    """Install `packages` into .venv, after making it anew or as it is."""
    constraints = ["--quiet", "--constraint", str(CONSTRAINTS)]
    uv = shutil.which("uv")
    if uv:
        if anew:
            run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(VENV))
        run(uv, "pip", "install", "--python", str(PYTHON), *constraints, *packages)
        return
    if anew or not (VENV / "bin" / "pip").exists():
        if importlib.util.find_spec("ensurepip") is None:
            version = f"{sys.version_info[0]}.{sys.version_info[1]}"
            sys.exit(
                "This Python cannot make a virtual environment: ensurepip is missing. "
                f"On Debian and Ubuntu the package python{version}-venv brings it; "
                "or put uv on PATH."
            )
        run(sys.executable, "-m", "venv", "--clear", str(VENV))
    run(str(PYTHON), "-m", "pip", "install", *constraints, *packages)


def trim_plotly() -> None:
    """Leave out of plotly.js what no figure uses; the server can do without that."""
    if subprocess.call([str(PYTHON), str(TRIM)]):
        print("The server will send the whole plotly.js.", flush=True)


def run(*command: str) -> None:
    """Run one installation step, or stop with its exit code."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    code = subprocess.call(command, env=environment)
    if code:
        sys.exit(f"Setting up .venv failed at: {' '.join(command)} (exit code {code})")


if __name__ == "__main__":
    main()
