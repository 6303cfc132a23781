"""Installations, backups and trials that cannot do what is asked of them.

Scalewatch is on no package index: a bare name would install what somebody else put
there. So errors say which command adds an extra to this installation.
"""

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scalewatch.errors.records import ScalewatchError

UNKNOWN_ORIGIN: Final = "git+<repository URL>"
"""The placeholder of the README for the repository's address."""


TOO_DEEP: Final = (
    "what was given is nested too deeply to be read; give it with fewer brackets or "
    "levels"
)

REMEDIES: Final[Mapping[int, str]] = {
    errno.EACCES: "name a place that you may use",
    errno.EDQUOT: "free some space, or name another place",
    errno.ENOSPC: "free some space, or name another place",
    errno.EROFS: "name a place that can be written",
}
"""Advice for errors of the operating system that no code can mend."""

NO_FOLDER: Final = "set TMPDIR to a folder that can be written"
"""Advice where there is no folder for temporary files."""


def mendable(error: OSError) -> str | None:
    """Return a sentence on an error that whoever calls can mend; None for others."""
    place = f"{error.filename}: " if error.filename else ""
    remedy = REMEDIES.get(error.errno or 0)
    if (error.strerror or "").startswith("No usable temporary directory"):
        remedy = NO_FOLDER
    return None if remedy is None else f"{place}{error.strerror}; {remedy}"


def pip_install(extra: str) -> str:
    """Return the command that adds `extra`, from where this installation came."""
    return command_of(extra, _origin())


def _origin() -> Mapping[str, Any]:
    """Return what the installer noted of the origin (PEP 610), or nothing."""
    # Every command and every process of MPI loads the errors; hardly any needs this.
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415

    try:
        noted = distribution("scalewatch").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    return dict(json.loads(noted)) if noted else {}


def command_of(extra: str, origin: Mapping[str, Any]) -> str:
    """Return the command for an installation whose `direct_url.json` says `origin`."""
    url = str(origin.get("url") or UNKNOWN_ORIGIN)
    if version_control := origin.get("vcs_info"):
        url = f"{version_control['vcs']}+{url}@{version_control['commit_id']}"
    if origin.get("dir_info", {}).get("editable"):
        return f"pip install -e '{url.removeprefix('file://')}[{extra}]'"
    return f"pip install 'scalewatch[{extra}] @ {url}'"


class InMemoryDatabase(ScalewatchError):
    """A database that the threads of a server cannot share."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url} is forgotten at the end; name a file: sqlite:////absolute/path.db"
        )
        self.url = url


class SchemaNotMigrated(ScalewatchError):
    """The database has another schema than this version of the product needs."""

    def __init__(self, schema: str | None, needed: str | None, remedy: str) -> None:
        has = f"schema {schema}" if schema else "no schema yet"
        super().__init__(
            f"the database has {has}, this version needs {needed}: {remedy}"
        )
        self.schema = schema
        self.needed = needed


class KeyMissing(ScalewatchError):
    """The key is not here that seals, or has sealed, the secrets of webhooks."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            f"the key of the webhooks' secrets is not in {file.name}, beside the "
            "database or in SCALEWATCH_HOME: copy the file from where webhooks were "
            "added, or remove these and add them again"
        )
        self.file = file


class MissingExtra(ScalewatchError):
    """A command needs packages that the base install leaves out."""

    def __init__(self, command: str, package: str, extra: str) -> None:
        super().__init__(
            f"`scalewatch {command}` needs {package}, which is not installed: "
            + pip_install(extra)
        )
        self.command = command
        self.package = package
        self.extra = extra


class DatabaseNotEmpty(ScalewatchError):
    """A backup is to be restored where there is something already."""

    def __init__(self, table: str) -> None:
        super().__init__(
            f"the database has rows already (table {table!r}); restore into an empty "
            "one: set SCALEWATCH_HOME or SCALEWATCH_DATABASE_URL"
        )
        self.table = table


class OtherSchema(ScalewatchError):
    """A backup was made by another version of the product."""

    def __init__(self, schema: str, needed: str | None) -> None:
        super().__init__(
            f"the backup has schema {schema}, this version needs {needed}: restore it "
            "with the version that made it, then run `scalewatch migrate` of this one"
        )
        self.schema = schema
        self.needed = needed


class TrialFailed(ScalewatchError):
    """A configuration was run, or was to be, and its objective is not known."""

    def __init__(self, settings: Mapping[str, str], reason: str) -> None:
        words = " ".join(f"{name}={value}" for name, value in settings.items())
        super().__init__(f"{words or 'the search'}: {reason}")
        self.settings = dict(settings)
        self.reason = reason
