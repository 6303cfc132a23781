"""The measurements of a scan by scale and problem size, all else held."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from scalewatch.services.series.measurements import Measurement

SCALE: Final = "p"
SIZE: Final = "n"


def planes_of(
    measurements: Sequence[Measurement],
) -> dict[tuple[tuple[str, Any], ...], list[Measurement]]:
    """Return measurements that differ in scale and size only, by what they hold.

    Those with the most measurements come first.
    """
    planes: dict[tuple[tuple[str, Any], ...], list[Measurement]] = defaultdict(list)
    for taken in measurements:
        if taken.count and SCALE in taken.coordinate:
            rest = {
                name: value
                for name, value in sorted(taken.coordinate.items())
                if name not in {SCALE, SIZE}
            }
            planes[tuple(rest.items())].append(taken)
    return dict(sorted(planes.items(), key=lambda plane: -len(plane[1])))


def pooled(taken: Sequence[Measurement]) -> dict[tuple[float, float | None], float]:
    """Return the time at each scale and size; of several runs, their median."""
    seconds: dict[tuple[float, float | None], list[float]] = defaultdict(list)
    for each in taken:
        if each.middle is not None:
            size = each.coordinate.get(SIZE)
            at = (float(each.coordinate[SCALE]), None if size is None else float(size))
            seconds[at].append(each.middle)
    return {at: median(values) for at, values in seconds.items()}
