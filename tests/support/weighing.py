"""Every curve of a batch weighed, with none left out as negligible."""

from scalewatch.modelling.arrays import Scratch
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.differences import DifferenceFits
from scalewatch.modelling.evidence.evidence import GrowthFits
from scalewatch.modelling.evidence.least_squares import Measured
from scalewatch.modelling.evidence.likelihood import Likelihood
from scalewatch.modelling.evidence.weighed import Competing, Weighed
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.location import Location


def weigh(
    kind: type[GrowthFits | DifferenceFits], curves: ScaledCurves, location: Location
) -> Weighed:
    """Return log Z and the fits of all curves, shape (H, S)."""
    competing = Competing(curves, ((slice(0, len(curves)), kind.of(curves)),))
    return competing.weigh(
        Measured.of(location),
        Likelihood.of(location, USUAL),
        Scratch((len(curves), location.log.shape[1])),
        thoroughly=True,
    )
