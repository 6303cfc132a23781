"""Every curve of a batch weighed, with none left out as negligible."""

from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.hypotheses import Fits
from scalewatch.modelling.evidence.least_squares import Fit, Measured
from scalewatch.modelling.evidence.likelihood import NO_LIMIT, Likelihood
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.location import Location


@dataclass(frozen=True)
class Weighed:
    log_evidence: np.ndarray
    fit: Fit


def weigh(kind: type[Fits], curves: ScaledCurves, location: Location) -> Weighed:
    """Return log Z and the fits of all curves, shape (H, S)."""
    shape = len(curves), location.log.shape[1]
    log_evidence, scratch = np.empty(shape, dtype=np.float32), Scratch(shape)
    with np.errstate(all="ignore"):
        fits = kind.of(curves, Measured.of(location), scratch)
        fits.weigh(Likelihood.of(location, USUAL), NO_LIMIT, log_evidence)
    fits.finish(scratch)
    return Weighed(log_evidence, fits.fit)
