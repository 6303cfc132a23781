"""Measurements of files by commit, of which a folder of asv's results has many."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scalewatch.errors import UnknownCommit
from scalewatch.importers import ImportedSeries, Scans

COMMIT: Final = "commit"
FILE: Final = "file"
NOWHERE: Final = ""
"""The commit of measurements that name none."""


def by_commit(scans: Scans) -> Mapping[str, Scans]:
    """Return the measurements of each commit, the oldest first.

    Parents come before their children and, beyond that, older commits first; commits
    of which neither is known keep the order of the files. Measurements without a commit
    stand under `NOWHERE`.
    """
    held: dict[str, Scans] = {}
    times: dict[str, str] = {}
    parents: dict[str, set[str]] = defaultdict(set)
    for measurement in scans.measurements():
        subject, known = measurement.subject, measurement.provenance
        named = dict(subject.origin).get(COMMIT)
        commit = str(named or known.commit or NOWHERE)
        origin = tuple(each for each in subject.origin if each[0] != COMMIT)
        held.setdefault(commit, Scans()).add(
            measurement._replace(subject=subject._replace(origin=origin))
        )
        parents[commit].update(known.parents)
        if when := (known.committed_at or known.started_at or known.ended_at):
            times[commit] = max(when, times.get(commit, ""))
    by_time = sorted(held, key=lambda commit: times.get(commit, ""))
    return {commit: held[commit] for commit in _parents_first(by_time, parents)}


def chosen(commits: Sequence[str], reference: str | None) -> str | None:
    """Return the commit that a hash or its beginning names, the newest without one.

    None if the files name no commit at all.

    Raises
    ------
    UnknownCommit
        If the files know commits, and not this one, or several of that beginning.
    """
    known = [commit for commit in commits if commit != NOWHERE]
    if not known:
        return None
    if reference is None:
        return known[-1]
    matching = [commit for commit in known if commit.startswith(reference)]
    if reference in matching:
        return reference
    if len(matching) != 1:
        raise UnknownCommit(reference, matching or known, is_ambiguous=bool(matching))
    return matching[0]


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


def _parents_first(
    commits: Sequence[str], parents: Mapping[str, Collection[str]]
) -> list[str]:
    """Put parents before their children; links that close a circle do not count."""
    ordered: dict[str, None] = {}
    for commit in commits:
        waiting, seen = [commit], {commit}
        while waiting:
            missing = [
                each
                for each in commits
                if each in parents[waiting[-1]] and each not in ordered.keys() | seen
            ]
            if missing:
                seen.add(missing[0])
                waiting.append(missing[0])
            else:
                ordered[waiting.pop()] = None
    return [*ordered]
