"""Runs of which several files tell, as ReFrame's report stands beside its logs."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from typing import Final, NamedTuple, Self

from scalewatch.importers.series import ImportedMeasurement, Scans

_UNKNOWN: Final = "1970-01-01T00:00:00+00:00"
"""The end of jobs of which nobody tells it: their numbers tell them apart."""

_ZONES: Final = 15 * 60
"""Seconds by which time zones differ; a log's times may be in any of them."""


class _Told(NamedTuple):
    """What a file told of a run; without its measurement, that was passed on."""

    source: str
    commit: str | None
    measurement: ImportedMeasurement | None


class KnownRuns:
    """Results of runs whose job is known, and the file that told of each.

    Attributes
    ----------
    repeated
        Results that were left out, by the file that repeated them and the other.
    """

    def __init__(self, past: dict[bytes, _Told] | None = None) -> None:
        self.repeated: Counter[tuple[str, str]] = Counter()
        self._told: dict[bytes, _Told] = {}
        self._past: dict[bytes, _Told] = {} if past is None else past

    def of_the_past(self) -> Self:
        """Return what is known once its measurements were passed on."""
        for key, told in self._told.items():
            self._past[key] = told._replace(measurement=None)
        return type(self)(self._past)

    def add(self, scans: Scans, told: Scans, source: str) -> int:
        """Add to `scans` what a file told, each result of a run once.

        Of two files that tell the same, the one that knows the commit counts. Return
        how many results were told.
        """
        count = 0
        for measurement in told.measurements():
            count += 1
            key = _key(measurement)
            known = None if key is None else self._told.get(key) or self._past.get(key)
            if known and _is_same(known, measurement, source):
                self.repeated[source, known.source] += 1
                commit = measurement.provenance.commit
                if known.measurement is None or commit in {None, known.commit}:
                    continue
                scans.remove(known.measurement)
            if key is not None:
                commit = measurement.provenance.commit
                self._told[key] = _Told(source, commit, measurement)
            scans.add(measurement)
        return count

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each file that repeats another."""
        for (source, other), count in self.repeated.items():
            results = "1 result" if count == 1 else f"{count} results"
            yield f"{source} repeats {results} of {other}, counted once"


def _key(measurement: ImportedMeasurement) -> bytes | None:
    """Return a digest of all that tells a result from others, if its run is known."""
    subject, provenance = measurement.subject, measurement.provenance
    if provenance.job is None:
        return None
    try:
        ended_at = datetime.fromisoformat(provenance.ended_at or _UNKNOWN).timestamp()
    except ValueError:
        return None
    told = (
        provenance.machine,
        provenance.job,
        int(ended_at) % _ZONES,
        subject.region,
        subject.metric,
        sorted(subject.configuration),
        sorted(zip(subject.parameters, measurement.coordinate, strict=True)),
        [f"{value:.6g}" for value in measurement.values],
    )
    return blake2b(repr(told).encode(), digest_size=16).digest()


def _is_same(known: _Told, measurement: ImportedMeasurement, source: str) -> bool:
    commits = {known.commit, measurement.provenance.commit}
    return known.source != source and len(commits - {None}) <= 1
