"""Results that several files repeat, as ReFrame's report stands beside its logs."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b
from typing import Final, NamedTuple, Self

from scalewatch.importers.series import ImportedMeasurement, Scans

_UNKNOWN: Final = "1970-01-01T00:00:00+00:00"
"""The end of jobs that have none stated: their numbers distinguish them."""

_ZONES: Final = 15 * 60
"""Seconds by which time zones differ; a log's times may be in any of them."""


class _KnownResult(NamedTuple):
    """A result and the file that has it; without its measurement once passed on."""

    source: str
    commit: str | None
    measurement: ImportedMeasurement | None


class KnownRuns:
    """Results of runs whose job is known, and the file of each.

    Attributes
    ----------
    repeated
        Results that were left out, by the file that repeated them and the other.
    """

    def __init__(self, past: dict[bytes, _KnownResult] | None = None) -> None:
        self.repeated: Counter[tuple[str, str]] = Counter()
        self._present: dict[bytes, _KnownResult] = {}
        self._past: dict[bytes, _KnownResult] = {} if past is None else past

    def of_the_past(self) -> Self:
        """Return the known results without measurements, which were passed on."""
        for key, known in self._present.items():
            self._past[key] = known._replace(measurement=None)
        return type(self)(self._past)

    def add(self, scans: Scans, results: Scans, source: str) -> int:
        """Add the results of a file to `scans`, once each; return how many it has.

        Of two files that repeat each other, the one that knows the commit counts.
        """
        count = 0
        for measurement in results.measurements():
            count += 1
            key = _key(measurement)
            known = (
                None if key is None else self._present.get(key) or self._past.get(key)
            )
            commit = measurement.provenance.commit
            is_other_file = known is not None and known.source != source
            if known and is_other_file and len({known.commit, commit} - {None}) <= 1:
                self.repeated[source, known.source] += 1
                if known.measurement is None or commit in {None, known.commit}:
                    continue
                scans.remove(known.measurement)
            if key is not None:
                self._present[key] = _KnownResult(source, commit, measurement)
            scans.add(measurement)
        return count

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each file that repeats another."""
        for (source, other), count in self.repeated.items():
            results = "1 result" if count == 1 else f"{count} results"
            yield f"{source} repeats {results} of {other}, counted once"


def _key(measurement: ImportedMeasurement) -> bytes | None:
    """Return a digest of all that identifies a result, if its run is known."""
    subject, provenance = measurement.subject, measurement.provenance
    if provenance.job is None:
        return None
    try:
        ended_at = datetime.fromisoformat(provenance.ended_at or _UNKNOWN).timestamp()
    except ValueError:
        return None
    identity = (
        provenance.machine,
        provenance.job,
        int(ended_at) % _ZONES,
        subject.region,
        subject.metric,
        sorted(subject.configuration),
        sorted(zip(subject.parameters, measurement.coordinate, strict=True)),
        [f"{value:.6g}" for value in measurement.values],
    )
    return blake2b(repr(identity).encode(), digest_size=16).digest()
