"""Measurements of files by commit, of which a folder of asv's results has many."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from graphlib import CycleError, TopologicalSorter
from math import isnan
from typing import Final

from scalewatch.errors import UnknownCommit, UnknownOrder
from scalewatch.importers import ImportedSeries, Scans
from scalewatch.modelling.common_mode.earlier_commits import BEFORE, REPLAYED

COMMIT: Final = "commit"
FILE: Final = "file"
NOWHERE: Final = ""
"""The commit of measurements that name none."""

_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FileCommits:
    """The commits that files tell of.

    Parameters
    ----------
    scans
        Measurements by commit, the oldest first; those without one are of `NOWHERE`.
    parents
        Of each commit those that the files tell of, too.
    is_ordered
        Whether parents and times say in which order they were made.
    """

    scans: Mapping[str, Scans]
    parents: Mapping[str, Sequence[str]]
    is_ordered: bool

    @property
    def known(self) -> list[str]:
        """The commits, the oldest first."""
        return [commit for commit in self.scans if commit != NOWHERE]

    def chosen(self, reference: str | None) -> str | None:
        """Return the commit that a hash or its beginning names.

        Without one it is the newest of which anything was measured; None if the files
        name no commit at all.

        Raises
        ------
        UnknownCommit
            If the files know commits, and not this one, or several of that beginning.
        UnknownOrder
            If nothing says which commit is the newest.
        """
        known = self.known
        if not known:
            return None
        if reference is None:
            if not self.is_ordered:
                raise UnknownOrder(known, "newest", "--commit")
            having = (each for each in reversed(known) if self._has_values(each))
            return next(having, known[-1])
        matching = [commit for commit in known if commit.startswith(reference)]
        if reference in matching:
            return reference
        if len(matching) != 1:
            fault = matching or known
            raise UnknownCommit(reference, fault, is_ambiguous=bool(matching))
        return matching[0]

    def before(self, commit: str) -> str | None:
        """Return the first parent of a commit, or else the one made before it.

        Raises
        ------
        UnknownOrder
            If nothing says which one that is.
        """
        if self.parents[commit]:
            return self.parents[commit][0]
        known = self.known
        if not self.is_ordered:
            raise UnknownOrder(known, f"one before {commit[:12]}", "--baseline")
        return known[known.index(commit) - 1] if commit != known[0] else None

    def up_to(self, commit: str) -> Sequence[str]:
        """Return the newest commits up to one that files tell of, oldest first.

        Only it where nothing says their order.
        """
        known = self.known
        if not self.is_ordered or commit not in known:
            return [commit]
        return known[: known.index(commit) + 1][-MOST_BEFORE:]

    def after(self, commit: str | None) -> Sequence[str]:
        """Return the commits just after one, oldest first; none without an order."""
        known = self.known
        if not self.is_ordered or commit not in known:
            return []
        return known[known.index(commit) + 1 :][:MOST_LATER]

    def runs(self, commit: str | None) -> Sequence["FileCommits"]:
        """Return the measurements of a commit run by run, as far as files tell them."""
        runs: list[Scans] = []
        number: Counter[tuple[object, ...]] = Counter()
        for measurement in self.scans[commit or NOWHERE].measurements():
            place = measurement.subject, measurement.coordinate
            if number[place] == len(runs):
                runs.append(Scans())
            runs[number[place]].add(measurement)
            number[place] += 1
        return [
            FileCommits({commit or NOWHERE: run}, {}, is_ordered=True) for run in runs
        ]

    def _has_values(self, commit: str) -> bool:
        return any(
            not isnan(value)
            for measurement in self.scans[commit].measurements()
            for value in measurement.values
        )


MOST_BEFORE: Final = BEFORE + REPLAYED + 1
MOST_LATER: Final = 3
"""Commits before and after a version that a gate reads."""

NEWEST: Final = MOST_BEFORE + 10
"""Commits that the gate of the newest one reads, as some may be without values."""


def by_commit(scans: Scans) -> FileCommits:
    """Return the measurements of each commit, ordered by parents, then by time."""
    held: dict[str, Scans] = {}
    times: dict[str, datetime] = {}
    stated: dict[str, Sequence[str]] = {}
    for measurement in scans.measurements():
        subject, known = measurement.subject, measurement.provenance
        named = dict(subject.origin).get(COMMIT)
        commit = str(named or known.commit or NOWHERE)
        origin = tuple(each for each in subject.origin if each[0] != COMMIT)
        held.setdefault(commit, Scans()).add(
            measurement._replace(subject=subject._replace(origin=origin))
        )
        stated[commit] = known.parents or stated.get(commit, ())
        if when := (known.committed_at or known.started_at or known.ended_at):
            with suppress(ValueError):
                moment = datetime.fromisoformat(when)
                if moment.tzinfo is None:
                    moment = moment.replace(tzinfo=UTC)
                times[commit] = max(moment, times.get(commit, moment))
    named_ones = [commit for commit in held if commit != NOWHERE]
    parents = {
        commit: [each for each in stated[commit] if each in held and each != commit]
        for commit in named_ones
    }
    try:
        made, is_ordered = made_in_order(parents, times)
    except CycleError:  # no history of git: times alone tell
        parents = {commit: [] for commit in named_ones}
        made, is_ordered = made_in_order(parents, times)
    nowhere = {NOWHERE: held[NOWHERE]} if NOWHERE in held else {}
    ordered = nowhere | {commit: held[commit] for commit in made}
    return FileCommits(ordered, parents, is_ordered)


def made_in_order(
    parents: Mapping[str, Sequence[str]], times: Mapping[str, datetime]
) -> tuple[list[str], bool]:
    """Return commits behind their parents, else by time, and whether these tell all.

    Raises
    ------
    CycleError
        If a commit comes before itself.
    """
    history = TopologicalSorter(parents)
    history.prepare()
    made: list[str] = []
    is_ordered = True
    ready = list(history.get_ready())
    while ready:
        ready.sort(key=lambda commit: times.get(commit, _LONG_AGO))
        first, *others = ready
        if others:
            known = first in times and others[0] in times
            is_ordered &= known and times[first] < times[others[0]]
        made.append(first)
        history.done(first)
        ready = [*others, *history.get_ready()]
    return made, is_ordered


def comparable(all_series: Sequence[ImportedSeries]) -> list[ImportedSeries]:
    """Return series without the names of their files, where no two differ by these.

    The files of two versions have different names, and their series are to be paired.
    """
    nameless = [
        replace(
            series,
            configuration={
                key: value for key, value in series.configuration.items() if key != FILE
            },
        )
        for series in all_series
    ]
    keys = [
        (
            *(series.region, series.metric, series.parameters),
            str(sorted(series.configuration.items(), key=str)),
        )
        for series in nameless
    ]
    times = Counter(keys)
    return [
        bare if times[key] == 1 else series
        for series, bare, key in zip(all_series, nameless, keys, strict=True)
    ]
