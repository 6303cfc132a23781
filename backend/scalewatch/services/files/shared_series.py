"""Files that hold the same series at the same settings, unintended repetitions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from scalewatch.importers import ImportedMeasurement

MOST_KNOWN: Final = 100_000
"""Settings of series that are remembered while many files are read."""


@dataclass(slots=True)
class SharedSeries:
    """Memory of the series in files read so far, by which doubles are noticed.

    A table says only what its columns say: measurements of two programs in two files
    would become repetitions of each other where their runs are posted.
    """

    _known: dict[int, str] = field(default_factory=dict)
    _pair: tuple[str, str] | None = None
    _files: set[str] = field(default_factory=set)

    def add(self, measurements: Iterable[ImportedMeasurement]) -> None:
        """Remember the series of measurements, and note doubles among them."""
        for measurement in measurements:
            provenance, subject = measurement.provenance, measurement.subject
            source = provenance.source
            if source is None or not any(key == "file" for key, _ in subject.origin):
                continue
            series = subject._replace(origin=())
            place = provenance.commit, provenance.machine
            key = hash((series, measurement.coordinate, place))
            first = self._known.get(key)
            if first is None and len(self._known) < MOST_KNOWN:
                self._known[key] = source
            elif first not in {None, source}:
                self._pair = self._pair or (str(first), source)
                self._files.add(source)

    def notes(self) -> Iterator[str]:
        """Yield a sentence if files share series."""
        if self._pair is not None:
            first, second = self._pair
            count = len(self._files)
            hold = "holds" if count == 1 else f"and {count - 1} more hold"
            yield (
                f"{second} {hold} series that {first} holds at the same settings: "
                "posted, they are repetitions of each other, unless a pattern tells "
                "them apart, as `--path '{case:word}.txt'` does"
            )
