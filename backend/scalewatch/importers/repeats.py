"""Runs of which several files tell, as ReFrame's report stands beside its logs."""

from collections import Counter
from collections.abc import Hashable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

from scalewatch.importers.series import ImportedMeasurement, Scans

_ZONES: Final = 15 * 60
"""Seconds by which time zones differ; a log's times may be in any of them."""


class _Told(NamedTuple):
    """What a file told of a run."""

    source: str
    measurement: ImportedMeasurement


class KnownRuns:
    """Results of runs whose job and end are known, and the file that told of each.

    Attributes
    ----------
    repeated
        Results that were left out, by the file that repeated them and the other.
    """

    def __init__(self) -> None:
        self.repeated: Counter[tuple[str, str]] = Counter()
        self._told: dict[Hashable, _Told] = {}

    def add(self, scans: Scans, told: Scans, source: str) -> None:
        """Add to `scans` what a file told, each result of a run once.

        Of two files that tell the same, the one that knows the commit counts.
        """
        for measurement in told.measurements():
            key = _key(measurement)
            known = None if key is None else self._told.get(key)
            if known and _is_same(known, measurement, source):
                self.repeated[source, known.source] += 1
                if measurement.provenance.commit in {
                    None,
                    known.measurement.provenance.commit,
                }:
                    continue
                scans.remove(known.measurement)
            if key is not None:
                self._told[key] = _Told(source, measurement)
            scans.add(measurement)

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each file that repeats another."""
        for (source, other), count in self.repeated.items():
            results = "1 result" if count == 1 else f"{count} results"
            yield f"{source} repeats {results} of {other}, counted once"


def _key(measurement: ImportedMeasurement) -> Hashable | None:
    """Return what tells a result from those of other runs, if the run is known."""
    subject, provenance = measurement.subject, measurement.provenance
    if provenance.job is None or provenance.ended_at is None:
        return None
    try:
        ended_at = datetime.fromisoformat(provenance.ended_at).timestamp()
    except ValueError:
        return None
    return (
        provenance.machine,
        provenance.job,
        int(ended_at) % _ZONES,
        subject.region,
        subject.metric,
        frozenset(subject.configuration),
        frozenset(zip(subject.parameters, measurement.coordinate, strict=True)),
        tuple(f"{value:.6g}" for value in measurement.values),
    )


def _is_same(known: _Told, measurement: ImportedMeasurement, source: str) -> bool:
    commits = {known.measurement.provenance.commit, measurement.provenance.commit}
    return known.source != source and len(commits - {None}) <= 1
