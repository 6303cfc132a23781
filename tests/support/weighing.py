"""Every curve of a batch weighed, with none left out as negligible."""

from scalewatch.modelling.arrays import Scratch
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.discrepancy import independent
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.laplace import DifferenceFits, GrowthFits
from scalewatch.modelling.rules.evidence.least_squares import Measured, ScaledCurves
from scalewatch.modelling.rules.evidence.weighing import Competing, Likelihood, Weighed


def weigh(
    kind: type[GrowthFits | DifferenceFits], curves: ScaledCurves, location: Location
) -> Weighed:
    """Return log Z and the fits of all curves, shape (H, S)."""
    competing = Competing(curves, ((slice(0, len(curves)), kind.of(curves)),))
    return competing.weigh(
        Measured.of(independent(location)),
        Likelihood.of(location, USUAL),
        Scratch((len(curves), location.log.shape[1])),
        thoroughly=True,
    )
