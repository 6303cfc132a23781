"""Types of arrays, named after their elements."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.intp]
