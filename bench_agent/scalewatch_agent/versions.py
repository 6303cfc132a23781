"""Which version of the code is measured: by git, by a CI job, or by its sources.

A digest of the source files tells builds and jobs apart. Only what people write and
compilers, interpreters or build tools read counts, so that outputs, logs and data
beside the sources change nothing.

References
----------
GitHub Actions, "Default environment variables"; GitLab CI/CD, "Predefined variables";
Bitbucket Pipelines, "Variables and secrets"; Woodpecker CI, "Environment variables".
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
from pydantic import ValidationError

from scalewatch.wire import Commit, faults
from scalewatch.wire.repositories import web_address
from scalewatch_agent.errors import VersionUnknown
from scalewatch_agent.programs import answer_of

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
    head, _, _ = _git(folder, "cat-file", "commit", "HEAD").partition("\n\n")
    lines = head.splitlines()
    plain = Commit(
        sha=sha,
        parents=tuple(
            line.removeprefix(PARENT) for line in lines if line.startswith(PARENT)
        ),
        committed_at=datetime.fromtimestamp(int(moment), UTC),
        author=author[:LONGEST_NAME] or None,
        repository=_repository(folder),
    )
    tags = _lines_of(folder, "tag", "--points-at", "HEAD")
    branches = _lines_of(folder, "branch", "--show-current")
    commit = _with_metadata(
        plain,
        {
            "branch": branches[0] if branches else None,
            "message": message.strip(),
            "tag": tags[-1] if tags else None,
        },
    )
    changes = _git(folder, "diff", "HEAD", "--", ".")
    digest = hashlib.sha256(changes.encode(errors="replace")).hexdigest()[:12]
    return CheckedOutVersion(commit, digest if changes.strip() else None)


def _with_metadata(commit: Commit, known: Mapping[str, str | None]) -> Commit:
    """Return a commit with what is known of it besides.

    A name that cannot be taken loses itself alone, and that is said.
    """
    for name, value in known.items():
        try:
            commit = Commit.model_validate({**commit.model_dump(), name: value})
        except ValidationError as error:
            why = faults(error)[0].message
            click.echo(f"Warning: commit.{name} is left out: {why}", err=True)
    return commit


def _repository(folder: Path) -> str | None:
    """Return where the code comes from; credentials in its address stay here."""
    remotes = _lines_of(folder, "remote")
    if not remotes:
        return None
    name = "origin" if "origin" in remotes else remotes[0]
    urls = _lines_of(folder, "remote", "get-url", name)
    return web_address(urls[0]) if urls else None


def _lines_of(folder: Path, *arguments: str) -> list[str]:
    return [line.strip() for line in _git(folder, *arguments).splitlines() if line]


def _git(folder: Path, *arguments: str) -> str:
    answer = answer_of(["git", "-C", str(folder), *arguments], PATIENCE)
    if answer.returncode:
        words = answer.stderr.strip().splitlines() or ["git gives no reason"]
        raise VersionUnknown(folder, words[0].removeprefix("fatal: "))
    return answer.stdout


Environment = Mapping[str, str]

SHAS: Final = ("CI_COMMIT_SHA", "GITHUB_SHA", "BITBUCKET_COMMIT")
REPOSITORIES: Final = ("CI_PROJECT_URL", "CI_REPO_URL", "BITBUCKET_GIT_HTTP_ORIGIN")
SHORTEST: Final = 7
"""Letters of a hash that tell a commit."""


def completed(commit: Commit, environment: Environment = os.environ) -> Commit:
    """Return a commit with what the CI job for it knows besides.

    A job for another commit, such as a merge that exists in CI alone, knows only where
    the code lies.
    """
    of_job: dict[str, str | None] = {"repository": _stated_repository(environment)}
    shas = filter(None, map(environment.get, SHAS))
    if len(commit.sha) >= SHORTEST and any(e.startswith(commit.sha) for e in shas):
        author, _, _ = environment.get("CI_COMMIT_AUTHOR", "").partition(" <")
        message = environment.get("CI_COMMIT_MESSAGE", "").strip().partition("\n")[0]
        of_job |= {"author": author.strip(), "message": message}
    known = {
        name: value
        for name, value in of_job.items()
        if value and not getattr(commit, name)
    }
    return _with_metadata(commit, known)


def _stated_repository(environment: Environment) -> str | None:
    server, name = map(environment.get, ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    if server and name:
        return web_address(f"{server}/{name}")
    url = next(filter(None, map(environment.get, REPOSITORIES)), None)
    return web_address(url) if url else None


_COMPILED: Final = (
    "c cc cpp cxx c++ h hh hpp hxx h++ inc inl cu cuh cl hip m mm s asm d"
)
_FORTRAN: Final = "f for ftn f77 f90 f95 f03 f08"
_OTHERS: Final = (
    "py pyx pxd pyi jl rs go java kt scala swift zig chpl lua pl rb r sh bash"
)
_BUILD: Final = "cmake mk make am ac in m4 bzl toml cfg patch diff"
SUFFIXES: Final = frozenset(f"{_COMPILED} {_FORTRAN} {_OTHERS} {_BUILD}".split())
"""Suffixes of source and build files, in lower case."""

SOURCE_NAMES: Final = frozenset(
    {"makefile", "gnumakefile", "cmakelists.txt", "meson.build"}
)
SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages"})

MOST_FILES: Final = 20_000
MOST_ENTRIES: Final = 200_000
MOST_BYTES: Final = 256 * 2**20
"""A folder with more is no source tree, but somebody's home."""


def sources_digest(folder: Path) -> str | None:
    """Return a digest of the names and contents of the source files below `folder`.

    None if it holds none, or too many to be a source tree.
    """
    digest = hashlib.sha256()
    files, size = 0, 0
    for path in _sources(folder):
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:  # gone since, or of somebody else: no build reads it either
            continue
        files, size = files + 1, size + len(content)
        if files > MOST_FILES or size > MOST_BYTES:
            return None
        name = os.fsencode(path.relative_to(folder))
        digest.update(b"%d %d " % (len(name), len(content)) + name + content)
    return digest.hexdigest()[:16] if files else None


def _sources(folder: Path) -> Iterator[Path | None]:
    """Yield source files in a fixed order, and None if there is too much to look at."""
    seen = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_walked(Path(root, name)))
        seen += len(folders) + len(names)
        if seen > MOST_ENTRIES:
            yield None
        for name in sorted(names):
            path, (stem, _, suffix) = Path(root, name), name.lower().rpartition(".")
            is_source = (stem and suffix in SUFFIXES) or name.lower() in SOURCE_NAMES
            if is_source and path.is_file():
                yield path


def _is_walked(folder: Path) -> bool:
    """Leave out what is hidden or made: sweeps, caches, environments."""
    name = folder.name
    is_made = name in SKIPPED or name.endswith(".sweep")
    return not (name.startswith(".") or is_made or (folder / "pyvenv.cfg").exists())
