"""Branches of git repositories as places of stores, without a clone.

A branch is read at its newest commit alone, and appended to without the files that it
holds: to the tree of that commit files are added, and the branch is moved on if nobody
else was first. Where somebody was, all is done again, after a pause of random length.
"""

import os
import random
import shutil
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from scalewatch.errors import NoStore, StoreUnwritable
from scalewatch.stores.places import FILES, FOLDERS, Edit, Tree

BRANCH: Final = "branch:"
"""Begins the name of a place on a branch: `branch:NAME[@REMOTE]`."""

TRIES: Final = 40
"""Attempts to move the branch on, while other jobs do."""

AT_ONCE: Final = 200
"""Files that git is question for together: so many are in memory."""

LONGEST_PAUSE: Final = 4.0
"""Seconds between two of them; the first ones come sooner."""

FAILURES: Final = 8
"""Attempts that fail though nobody else was first: a right that is missing, a hook."""

_SETTINGS: Final = r"^(http|https|credential|url|core\.sshcommand|ssh|safe|protocol)\."
"""Settings of the repository at hand that decide how its remotes are reached."""

_OURS: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "scalewatch",
    "GIT_AUTHOR_EMAIL": "scalewatch@localhost",
    "GIT_COMMITTER_NAME": "scalewatch",
    "GIT_COMMITTER_EMAIL": "scalewatch@localhost",
}


class _GitFailed(Exception):
    """Git did not do what it was question."""


NO_GIT: Final = "git is not installed"


@dataclass(eq=False)
class Branch:
    """A branch as the place of a store.

    Parameters
    ----------
    name
        Of the branch.
    remote
        Name of a remote of the repository at hand, or the address of a repository;
        None for the repository at hand.
    """

    name: str
    remote: str | None
    _scratch: str | None = field(default=None, init=False)
    _settings: Mapping[str, str] = field(default_factory=dict, init=False)
    _has_names_alone: bool = field(default=False, init=False)

    @property
    def where(self) -> str:
        """The place as users write it."""
        at = "" if self.remote is None else f"@{self.remote}"
        return f"{BRANCH}{self.name}{at}"

    def tree(self) -> Tree:
        """Return all files of the newest commit.

        Raises
        ------
        NoStore
            If the repository cannot be reached, or has no such branch.
        """
        try:
            head = self._fetched(whole=True)
        except _GitFailed as error:
            raise NoStore(self.where, str(error)) from error
        if head is None:
            raise NoStore(self.where, "there is no such branch")
        return self._tree_of(head)

    def change(self, edit: Edit, subject: str, *, anew: bool = False) -> None:
        """Move the branch on by a commit, or to a first one that forgets all others."""
        failures = 0
        for attempt in range(TRIES):
            try:
                head = self._fetched(whole=anew)
                tree = (
                    self._tree_of(head) if head else Tree({}, lambda _names: iter(()))
                )
                changes = edit(tree)
                if not changes:
                    return
                commit = self._commit(head, changes, subject, anew=anew)
            except _GitFailed as error:
                raise StoreUnwritable(self.where, str(error)) from error
            try:
                self._git(
                    *(
                        "push",
                        "--quiet",
                        f"--force-with-lease={self._ref}:{head or ''}",
                    ),
                    *("store", f"{commit}:{self._ref}"),
                )
            except _GitFailed as error:
                failures += self._head() == head
                if failures >= FAILURES:
                    raise StoreUnwritable(self.where, str(error)) from error
                # Random, so that jobs that began together do not come back together.
                longest = min(LONGEST_PAUSE, 0.2 * 2**attempt)
                time.sleep(random.uniform(0.05, longest))  # noqa: S311 - no secret
            else:
                return
        raise StoreUnwritable(self.where, f"others were first {TRIES} times")

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.name}"

    def _head(self) -> str | None:
        """Return the newest commit of the branch there."""
        listed = self._git("ls-remote", "store", self._ref).split()
        return listed[0].decode() if listed else None

    def _fetched(self, *, whole: bool) -> str | None:
        """Fetch the newest commit, with all files or with their names alone."""
        head = self._head()
        if head is None:
            return None
        what = ["--no-filter"] if whole else ["--filter=blob:none"]
        if whole and self._has_names_alone:
            what.append("--refetch")
        self._has_names_alone = not whole
        self._git(
            *("fetch", "--quiet", "--depth=1", "--no-tags", *what),
            *("store", f"+{self._ref}:refs/store"),
        )
        return self._git("rev-parse", "refs/store").decode().strip()

    def _tree_of(self, head: str) -> Tree:
        """Return the files of a commit; sizes are 0 where only names were fetched."""
        size = [] if self._has_names_alone else ["--long"]
        listed = self._git("ls-tree", "-r", "-z", *size, head)
        blobs, sizes = {}, {}
        for entry in filter(None, listed.split(b"\0")):
            described, _, raw = entry.partition(b"\t")
            mode, _, blob, *size_of = described.split()
            name = raw.decode(errors="surrogateescape")
            is_ours = name in FILES or name.split("/", 1)[0] in FOLDERS
            if is_ours and mode in {b"100644", b"100755"}:
                blobs[name], sizes[name] = blob, int(size_of[0]) if size_of else 0

        def read(names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
            for some in batched(names, AT_ONCE):
                question = b"".join(blobs[name] + b"\n" for name in some)
                answer = self._git("cat-file", "--batch", data=question)
                start = 0
                for name in some:
                    # `<hash> blob <size>`, the content, and a line's end.
                    end = answer.index(b"\n", start) + 1
                    size = int(answer[start:end].split()[-1])
                    yield name, answer[end : end + size]
                    start = end + size + 1

        return Tree(dict(sorted(sizes.items())), read)

    def _commit(
        self,
        head: str | None,
        changes: Mapping[str, bytes | None],
        subject: str,
        *,
        anew: bool,
    ) -> str:
        """Write a commit with changes on top of the branch, and return its hash."""
        assert self._scratch is not None
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            paths = []
            for number, content in enumerate(filter(None, changes.values())):
                paths.append(Path(folder, str(number)))
                paths[-1].write_bytes(content)
            listed = "".join(f"{path}\n" for path in paths).encode()
            hashes = self._git(
                "hash-object", "-w", "--no-filters", "--stdin-paths", data=listed
            ).split()
        blobs = iter(hashes)
        lines = b"".join(
            (b"100644 " + next(blobs) if content else b"0 " + b"0" * 40)
            + b"\t"
            + name.encode(errors="surrogateescape")
            + b"\0"
            for name, content in changes.items()
        )
        self._git("read-tree", "--empty" if head is None else head)
        self._git("update-index", "-z", "--index-info", data=lines)
        tree = self._git("write-tree", "--missing-ok").decode().strip()
        parents = [] if head is None or anew else ["-p", head]
        made = self._git("commit-tree", tree, *parents, "-m", subject)
        return made.decode().strip()

    def _git(self, *arguments: str, data: bytes | None = None, **more: str) -> bytes:
        """Run git in a repository of our own, which knows the store as a remote."""
        if self._scratch is None:
            self._prepare()
        assert self._scratch is not None
        return _run(
            ["git", "--git-dir", self._scratch, *arguments],
            data,
            {**_OURS, **self._settings, **more},
        )

    def _prepare(self) -> None:
        url = self._url()
        self._settings = _settings_here()
        scratch = tempfile.mkdtemp(prefix="scalewatch-store-")
        weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
        _run(["git", "init", "--quiet", "--bare", scratch], None, _OURS)
        place = ["git", "--git-dir", scratch]
        _run([*place, "remote", "add", "store", url], None, _OURS)
        self._scratch = scratch

    def _url(self) -> str:
        """Return the address of the repository that has the branch."""
        _run(["git", "check-ref-format", "--branch", self.name], None, _OURS)
        if self.remote is None:
            question = ["rev-parse", "--path-format=absolute", "--git-common-dir"]
            return _run(["git", *question], None, _OURS).decode().strip()
        try:
            known = _run(["git", "remote", "get-url", "--", self.remote], None, _OURS)
        except _GitFailed:
            folder = Path(self.remote)
            return str(folder.absolute()) if folder.is_dir() else self.remote
        url = known.decode().strip()
        # Folders are relative to the top of the repository at hand.
        top = (
            _run(["git", "rev-parse", "--show-toplevel"], None, _OURS).decode().strip()
        )
        return str(Path(top, url)) if Path(top, url).is_dir() else url


def batched(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield names in lists of at most so many; Python 3.11 has no such function."""
    following = iter(names)
    while some := list(islice(following, size)):
        yield some


def _settings_here() -> dict[str, str]:
    """Return how the repository at hand reaches its remotes, as git's environment.

    So an authorisation that a CI job keeps in the repository's settings holds here, and
    is written nowhere.
    """
    question = ["git", "config", "--null", "--get-regexp", _SETTINGS]
    try:
        listed = _run(question, None, _OURS).decode(errors="surrogateescape")
    except _GitFailed:
        return {}
    count = int(os.environ.get("GIT_CONFIG_COUNT", "0") or 0)
    settings = {}
    for setting in filter(None, listed.split("\0")):
        key, _, value = setting.partition("\n")
        settings[f"GIT_CONFIG_KEY_{count}"] = key
        settings[f"GIT_CONFIG_VALUE_{count}"] = value
        count += 1
    return {**settings, "GIT_CONFIG_COUNT": str(count)}


def _run(
    command: list[str], data: bytes | None, environment: Mapping[str, str]
) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - git, without a shell
            command,
            input=b"" if data is None else data,
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
        )
    except FileNotFoundError:
        raise _GitFailed(NO_GIT) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        telling = [line for line in said if line.startswith(("fatal:", "error:", " !"))]
        why = (telling or said or [f"git ended with {done.returncode}"])[0].strip()
        raise _GitFailed(why.removeprefix("fatal: ").removeprefix("error: "))
    return done.stdout
