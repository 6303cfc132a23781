"""Which version of the code is measured: what git says of its folder."""

import hashlib
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from scalewatch.wire import Commit
from scalewatch.wire.repositories import web_address
from scalewatch_agent.errors import VersionUnknown

PATIENCE: Final = 60
FORMAT: Final = "%H%x00%ct%x00%aN%x00%s"
LONGEST_NAME: Final = 200
PARENT: Final = "parent "


@dataclass(frozen=True, slots=True)
class CheckedOutVersion:
    """A commit, and what the folder holds beyond it.

    `changes` is a digest of the differences from the commit; None without any.
    `sources` is one of the source files, where somebody has named the commit; None
    from git.
    """

    commit: Commit
    changes: str | None = None
    sources: str | None = None


def version_in(folder: Path) -> CheckedOutVersion:
    """Return the commit that is checked out in `folder`.

    Raises
    ------
    VersionUnknown
        If git is missing, or the folder is not under its control.
    """
    answer = _git(folder, "log", "-1", f"--format={FORMAT}")
    sha, moment, author, message = answer.split("\0")
    plain = Commit(
        sha=sha,
        parents=_parents(folder),
        committed_at=datetime.fromtimestamp(int(moment), UTC),
        author=author[:LONGEST_NAME] or None,
        repository=_repository(folder),
    )
    tags = _lines(folder, "tag", "--points-at", "HEAD")
    branches = _lines(folder, "branch", "--show-current")
    try:
        commit = Commit.model_validate(
            {
                **plain.model_dump(),
                "branch": branches[0] if branches else None,
                "message": message.strip(),
                "tag": tags[-1] if tags else None,
            }
        )
    except ValidationError:  # a branch or a tag that no address can hold
        commit = plain
    changes = _git(folder, "diff", "HEAD", "--", ".")
    digest = hashlib.sha256(changes.encode(errors="replace")).hexdigest()[:12]
    return CheckedOutVersion(commit, digest if changes.strip() else None)


def _parents(folder: Path) -> tuple[str, ...]:
    """Return the parents that the commit names; a shallow clone's log hides them."""
    head, _, _ = _git(folder, "cat-file", "commit", "HEAD").partition("\n\n")
    lines = head.splitlines()
    return tuple(line.removeprefix(PARENT) for line in lines if line.startswith(PARENT))


def _repository(folder: Path) -> str | None:
    """Return where the code comes from; credentials in its address stay here."""
    remotes = _lines(folder, "remote")
    if not remotes:
        return None
    name = "origin" if "origin" in remotes else remotes[0]
    urls = _lines(folder, "remote", "get-url", name)
    return web_address(urls[0]) if urls else None


def _lines(folder: Path, *arguments: str) -> list[str]:
    return [line.strip() for line in _git(folder, *arguments).splitlines() if line]


def _git(folder: Path, *arguments: str) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - composed above
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            check=False,
            errors="replace",
            timeout=PATIENCE,
        )
    except FileNotFoundError:
        raise VersionUnknown(folder, "git is not installed") from None
    except subprocess.TimeoutExpired:
        raise VersionUnknown(folder, f"git took over {PATIENCE} s") from None
    if answer.returncode:
        words = answer.stderr.strip().splitlines() or ["git gives no reason"]
        raise VersionUnknown(folder, words[0].removeprefix("fatal: "))
    return answer.stdout
