"""Factors between the settings of scans that have too few for a growth."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.modelling.few_settings import Step, steps_of
from scalewatch.modelling.measurements.batch import NEEDED_SETTINGS
from scalewatch.modelling.measurements.designs import LEAST
from scalewatch.services.series.drawn import repetitions_of
from scalewatch.services.series.scans import Scan


def steps_of_scans(session: Session, scans: Sequence[Scan]) -> list[tuple[Step, ...]]:
    """Return the factors of each scan; none where it has a model, or no factor."""
    few: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, scan in enumerate(scans):
        if _has_few(scan):
            few[scan.region, scan.metric].append(place)
    found: list[tuple[Step, ...]] = [()] * len(scans)
    for places in few.values():
        taken = repetitions_of(session, [scans[place] for place in places])
        for place in places:
            found[place] = _steps(scans[place], taken)
    return found


def _has_few(scan: Scan) -> bool:
    if scan.standing.model is not None or len(scan.parameters) > 1:
        return False
    return LEAST <= len({each.x for each in scan.evidence}) < NEEDED_SETTINGS


def _steps(scan: Scan, taken: Mapping[UUID, Reals]) -> tuple[Step, ...]:
    pooled: dict[float, list[Reals]] = defaultdict(list)
    for each in scan.evidence:
        # Where repetitions were thinned or are not kept, the median stands for them.
        kept = taken.get(each.run, np.array([each.middle], np.float64))
        pooled[each.x].append(kept)
    x = sorted(pooled)
    values = stacked([np.concatenate(pooled[setting]) for setting in x])
    return steps_of(x, values, scan.parameter, is_cost=scan.better == "lower")
