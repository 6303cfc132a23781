"""Addresses of repositories, as git writes them, and as a browser opens them."""

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

LONGEST: Final = 1000
"""Letters of an address."""

_HOST: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.-]*|\[[0-9A-Fa-f:.]+\]")
_NAME: Final = r"(?:[\w.~+-]|%[0-9A-Fa-f]{2})+"
_PATH: Final = re.compile(f"{_NAME}(?:/{_NAME})*")
_SHORT: Final = re.compile(r"(?:[^/:@\s]+@)?([^/:@\s]{2,}):(?!//)(.+)")
"""As ssh writes it: git@host:path. A drive of one letter is a folder."""

_BROWSED: Final = frozenset({"http", "https"})
_CLONED: Final = frozenset({"ssh", "git+ssh", "ssh+git", "git"})


def web_address(remote: str) -> str | None:
    """Return where a browser finds a repository, without user and password.

    None where that cannot be told, as of a folder.
    """
    remote = remote.strip()
    if len(remote) > LONGEST:
        return None
    parts = _parts(remote)
    if parts is not None and parts.scheme in _BROWSED:
        port = f":{parts.port}" if parts.port else ""
        return _joined(f"{parts.scheme}://", f"{_host(parts)}{port}", parts.path)
    if parts is not None and parts.scheme in _CLONED:
        return _joined("https://", _host(parts), parts.path)
    if "://" not in remote and (short := _SHORT.fullmatch(remote)):
        return _joined("https://", short[1], short[2])
    return None


def holds_secret(remote: str) -> bool:
    """Tell whether an address holds a password, or a token where a user stands."""
    parts = _parts(remote.strip())
    if parts is None:
        return "@" in remote
    is_named = parts.scheme in _BROWSED and "@" in parts.netloc
    return is_named or ":" in parts.netloc.rpartition("@")[0]


def _parts(remote: str) -> SplitResult | None:
    """Return the parts of a URL, None where it is none."""
    try:
        parts = urlsplit(remote)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _joined(scheme: str, host: str, path: str) -> str | None:
    name = path.strip("/").removesuffix(".git").rstrip("/")
    plain = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if not _HOST.fullmatch(plain) or not _PATH.fullmatch(name):
        return None
    return f"{scheme}{host}/{name}"
