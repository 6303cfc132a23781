"""Composed models of the regions in files."""

from collections.abc import Mapping, Sequence

import numpy as np

from scalewatch.errors import NameUnknown
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Composed, Finding, Measured, compose
from scalewatch.modelling.compositions.comparison import named
from scalewatch.modelling.compositions.composed import Formulas, refuse_circles
from scalewatch.modelling.measurements.summary import Summary


def composed_series(  # noqa: PLR0913, PLR0917 - as `compose`, of all series
    all_series: Sequence[ImportedSeries],
    findings: Sequence[Finding],
    formulas: Formulas,
    summary: Summary = "median",
    level: float = 0.9,
    targets: Sequence[Mapping[str, float]] = (),
) -> list[Composed | None]:
    """Return the composed model of each series, None for those without.

    A formula of a name that was not measured is a part of others.

    Raises
    ------
    CompositionError
        If a model cannot be computed, or its name is neither measured nor used.
    """
    refuse_circles(formulas)
    known = list(map(_measured, all_series, findings))
    used = {name for formula in formulas.values() for name in formula.names}
    for name, formula in formulas.items():
        if name not in used and not named(name, known):
            regions = sorted({series.region for series in known})
            stated = f"{name} = {formula}"
            raise NameUnknown(stated, name, regions)
    composed_models = {
        id(composed.series): composed
        for name in formulas
        for composed in compose(name, formulas, known, summary, level, targets)
    }
    return [composed_models.get(id(each)) for each in known]


def _measured(series: ImportedSeries, finding: Finding) -> Measured:
    """Return a series with its model, unless that is one of shared cores, too."""
    crowded = np.zeros(len(series.settings), dtype=np.bool_)
    crowded[list(series.crowded)] = True
    return Measured(
        region=series.region,
        metric=series.metric,
        unit=series.unit,
        configuration=series.configuration,
        parameters=series.parameters,
        settings=series.settings,
        values=series.values,
        crowded=crowded,
        model=None if series.crowded else finding.model,
    )
