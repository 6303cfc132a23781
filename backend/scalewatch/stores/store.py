"""A store of run reports: add, read, check, compact."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Final, Self
from uuid import UUID

from scalewatch.errors import NoStore, RunAlreadyRecorded
from scalewatch.stores import decisions
from scalewatch.stores.branches import BRANCH, Branch
from scalewatch.stores.decisions import Decision
from scalewatch.stores.files import (
    DECISIONS,
    MOST_BYTES,
    RUNS,
    STORE,
    FileKey,
    Head,
    StoredRun,
    StoreFault,
    content_of,
    head_of,
    line_of,
    lines_in,
    moment_of,
    runs_of,
    store_json,
    why_not_understood,
)
from scalewatch.stores.places import Folder, Place, Tree
from scalewatch.wire import RunReport

AT_ONCE: Final = 32 * 2**20
"""Bytes of lines that are added together; more of them are several commits."""


@dataclass(frozen=True, slots=True)
class Added:
    """How many runs were new, how many were there before, and files written."""

    runs: int = 0
    known: int = 0
    files: int = 0

    def __add__(self, other: "Added") -> "Added":
        return Added(
            self.runs + other.runs, self.known + other.known, self.files + other.files
        )


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a store that may be read.

    Parameters
    ----------
    name
        Relative to the store; with the digest of its content, unless somebody else
        wrote the file.
    """

    name: str
    key: FileKey

    @property
    def project(self) -> str:
        """The project as names have it."""
        return self.key.project


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of a store at one moment.

    Parameters
    ----------
    where
        The store as users write it.
    faults
        Files that are not looked into, and decisions that cannot be read.
    decisions
        Those of people, oldest first.
    """

    where: str
    tree: Tree
    files: Sequence[StoredFile]
    faults: Sequence[StoreFault]
    decisions: Sequence[Decision]

    def only(self, files: Sequence[StoredFile]) -> "Contents":
        """Return the contents with some of the files alone."""
        return replace(self, files=files)

    def beside(self, other: "Contents") -> "Contents":
        """Return the contents of two stores together."""

        def read(names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
            for is_own, some in groupby(names, self.tree.sizes.__contains__):
                yield from (self if is_own else other).tree.read(some)

        tree = Tree({**other.tree.sizes, **self.tree.sizes}, read)
        known = {file.name for file in self.files}
        more = [file for file in other.files if file.name not in known]
        return Contents(
            self.where,
            tree,
            [*self.files, *more],
            [*self.faults, *other.faults],
            [*self.decisions, *other.decisions],
        )

    def heads(self, files: Iterable[StoredFile]) -> Iterator[tuple[StoredFile, Head]]:
        """Yield the commit of each file that tells one."""
        by_name = {file.name: file for file in files}
        for name, content in self.tree.read(by_name):
            if (head := head_of(content)) is not None:
                yield by_name[name], head

    def runs(
        self, files: Iterable[StoredFile], fault: Callable[[StoreFault], None]
    ) -> Iterator[tuple[StoredFile, Sequence[StoredRun]]]:
        """Yield the runs of each file; tell what cannot be read."""
        by_name = {file.name: file for file in files}
        for name, content in self.tree.read(by_name):
            runs, wrong = runs_of(name, content)
            for unreadable in wrong:
                fault(unreadable)
            yield by_name[name], runs


@dataclass(frozen=True, slots=True)
class Store:
    """A store of run reports at a place."""

    place: Place

    @classmethod
    def at(cls, where: str) -> Self:
        """Return the store in a folder, or on a branch: `branch:NAME[@REMOTE]`."""
        if not where.startswith(BRANCH):
            return cls(Folder(Path(where)))
        name, _, remote = where.removeprefix(BRANCH).partition("@")
        return cls(Branch(name, remote or None))

    def contents(self) -> Contents:
        """Return the files as they are now.

        Raises
        ------
        NoStore
            If there is no store, or one of a later version.
        """
        tree = self.place.tree()
        self._understand(tree)
        return self._contents(tree)

    def add(self, runs: Iterable[StoredRun | RunReport | bytes]) -> Added:
        """Add runs, those that are there already not again.

        All of the same part of 32 MiB are added, or none. The text of a run stays as
        it is, if it is in one line.

        Raises
        ------
        NoStore, StoreUnwritable
            If the store cannot be read or written.
        RunAlreadyRecorded
            If a run is there under the same id with other content.
        """
        added, size = Added(), 0
        parts: dict[FileKey, dict[UUID, StoredRun]] = defaultdict(dict)
        for given in runs:
            run = given if isinstance(given, StoredRun) else StoredRun.of(given)
            parts[FileKey.of(run.report)].setdefault(run.report.id, run)
            size += len(run.line)
            if size > AT_ONCE:
                added, size = added + self._add(parts), 0
                parts.clear()
        return added + self._add(parts) if parts else added

    def _add(self, parts: Mapping[FileKey, Mapping[UUID, StoredRun]]) -> Added:
        added = Added()

        def edit(tree: Tree) -> Mapping[str, bytes | None]:
            nonlocal added
            changes: dict[str, bytes | None] = {}
            if tree.sizes:
                self._understand(tree)
            else:
                changes[STORE] = store_json()
            names = defaultdict(list)
            for file in _files(tree)[0]:
                names[file.key].append(file.name)
            runs = known = 0
            for key, new in parts.items():
                there = names[key]
                kept, lines = _merged(new, [text for _, text in tree.read(there)])
                runs, known = runs + len(new) - kept, known + kept
                if kept < len(new):
                    changes |= dict.fromkeys(there)
                    changes |= _written(key, lines)
            added = Added(runs, known, sum(map(bool, changes.values())))
            return changes if runs else {}

        number = sum(map(len, parts.values()))
        self.place.change(edit, f"Add {number} run{'s' * (number != 1)}")
        return added

    def decide(self, new: Sequence[Decision]) -> int:
        """Add decisions of people, and return how many were not there before.

        Raises
        ------
        NoStore, StoreUnwritable
            If the store cannot be read or written.
        """
        number = 0

        def edit(tree: Tree) -> Mapping[str, bytes | None]:
            nonlocal number
            self._understand(tree)
            before = tree.text(DECISIONS)
            after = decisions.added(before, new)
            number = 0
            if after is None:
                return {}
            number = after.count(b"\n") - (before or b"").count(b"\n")
            return {DECISIONS: after}

        if new:
            self.place.change(edit, "Add decisions")
        return number

    def check(self, fault: Callable[[StoreFault], None]) -> tuple[int, int]:
        """Read all, tell what is wrong, and return the number of files and of runs.

        Raises
        ------
        NoStore
            If there is no store, or one of a later version.
        """
        contents = self.contents()
        for unreadable in contents.faults:
            fault(unreadable)
        known: dict[UUID, tuple[str, bytes]] = {}
        for file, runs in contents.runs(contents.files, fault):
            for run in runs:
                line = line_of(run.report)
                name, other = known.setdefault(run.report.id, (file.name, line))
                if other != line:
                    reason = f"run {run.report.id} has other content in {name}"
                    fault(StoreFault(file.name, None, reason))
        return len(contents.files), len(known)

    def compact(self, before: datetime, keep: int) -> Added:
        """Thin the repetitions of old runs, and forget the history of a branch.

        Parameters
        ----------
        before
            Runs that ended before this moment are thinned.
        keep
            Repetitions of each result that are kept: evenly spread over all of them,
            lowest and highest among them, so that medians and quartiles stay near.

        Raises
        ------
        NoStore, StoreUnwritable
            If the store cannot be read or written.
        """
        thinned = Added()

        def edit(tree: Tree) -> Mapping[str, bytes | None]:
            nonlocal thinned
            thinned = Added()
            self._understand(tree)
            contents = self._contents(tree)
            wrong: list[StoreFault] = [*contents.faults]
            changes: dict[str, bytes | None] = {}
            for file, runs in contents.runs(contents.files, wrong.append):
                lines = [_thinned(run, before, keep) for run in runs]
                number = sum(
                    line is not run.line for line, run in zip(lines, runs, strict=True)
                )
                if number:
                    changes[file.name] = None
                    changes |= _written(file.key, lines)
                    thinned += Added(number, 0, 1)
            if wrong:  # a history that is forgotten cannot mend them any more
                raise NoStore(self.place.where, str(wrong[0]))
            return changes

        subject = f"Keep {keep} repetitions of runs before {before:%Y-%m-%d}"
        self.place.change(edit, subject, anew=True)
        return thinned

    def _contents(self, tree: Tree) -> Contents:
        files, faults = _files(tree)
        decided, wrong = decisions.read(tree.text(DECISIONS))
        return Contents(self.place.where, tree, files, [*faults, *wrong], decided)

    def _understand(self, tree: Tree) -> None:
        if why := why_not_understood(tree.text(STORE)):
            raise NoStore(self.place.where, why)


def _files(tree: Tree) -> tuple[list[StoredFile], list[StoreFault]]:
    """Return the files of runs that may be read, and what is wrong with others."""
    files, faults = [], []
    for name, size in tree.sizes.items():
        if not name.startswith(RUNS):
            continue
        named = FileKey.read(name)
        if named is None:
            reason = "no file of a store has such a name; remove it, or add its runs"
            faults.append(StoreFault(name, None, reason))
        elif size > MOST_BYTES:
            most = f"more than {MOST_BYTES >> 20} MiB"
            faults.append(StoreFault(name, None, f"it holds {most}; nothing was read"))
        else:
            files.append(StoredFile(name, named[0]))
    return files, faults


def _merged(
    new: Mapping[UUID, StoredRun], contents: Iterable[bytes]
) -> tuple[int, list[bytes]]:
    """Return how many runs files hold already, and the lines of all together."""
    lines: list[bytes] = []
    known = set()
    for content in contents:
        for line in lines_in(content):
            run_id, is_same = _compared(line, new)
            if run_id is not None:
                if not is_same:
                    raise RunAlreadyRecorded(run_id)
                if run_id in known:
                    continue
                known.add(run_id)
            lines.append(line)
    lines += [run.line for key, run in new.items() if key not in known]
    return len(known), lines


def _compared(line: bytes, new: Mapping[UUID, StoredRun]) -> tuple[UUID | None, bool]:
    """Return the id of a run that is added again, and whether it is the same."""
    try:
        report = RunReport.model_validate_json(line)
    except ValueError:
        return None, False  # what cannot be read stays, and `check` tells of it
    if report.id not in new:
        return None, False
    return report.id, line_of(report) == line_of(new[report.id].report)


def _written(key: FileKey, lines: Sequence[bytes]) -> dict[str, bytes | None]:
    """Return the files of a key: one, or several where it would be too large."""
    parts: list[list[bytes]] = [[]]
    size = 0
    for line in lines:
        if parts[-1] and size + len(line) >= MOST_BYTES:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line) + 1
    contents = map(content_of, parts)
    return {key.name(content): content for content in contents}


def _thinned(run: StoredRun, before: datetime, keep: int) -> bytes:
    """Return the line of a run with at most so many repetitions, if it is old."""
    moment = moment_of(run.report)
    if moment is None or moment >= before:
        return run.line
    if all(len(result.values) <= keep for result in run.report.results):
        return run.line
    results = tuple(
        result.model_copy(update={"values": _spread(result.values, keep)})
        for result in run.report.results
    )
    return line_of(run.report.model_copy(update={"results": results}))


def _spread(values: Sequence[float], keep: int) -> tuple[float, ...]:
    """Return at most so many values, evenly spread over all from lowest to highest."""
    if len(values) <= keep:
        return tuple(values)
    if keep == 1:
        return (sorted(values)[(len(values) - 1) // 2],)
    last = len(values) - 1
    kept = sorted({round(each * last / (keep - 1)) for each in range(keep)})
    ordered = sorted(values)
    return tuple(ordered[at] for at in kept)
