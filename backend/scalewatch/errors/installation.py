"""Which command adds an extra to this installation.

Scalewatch is on no package index: a bare name would install what somebody else put
there.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

UNKNOWN_ORIGIN: Final = "git+<repository URL>"
"""The placeholder of the README for the repository's address."""


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
