"""plotly.js, without the kinds of traces that no figure here has.

The plotly package brings one script with every kind, maps and three dimensions among
them, most of which a browser would read for nothing. `frontend/trim_plotly.py` writes a
smaller one when a checkout is set up or an image is built, and a wheel that is built
from such a checkout carries it.
"""

import logging
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

from scalewatch.resources import bundled

KINDS: Final = ("bar", "contour", "heatmap")
"""The kinds of traces that stay, beside scatter, which is always there."""

_LOG: Final = logging.getLogger(__name__)


@cache
def plotly_bundle() -> bytes:
    """Return the trimmed script of the installed plotly, or else the whole one.

    The log says once why it is the whole one.
    """
    try:
        return bundle_path().read_bytes()
    except OSError as error:
        _LOG.warning("plotly.js is served whole, as it was not trimmed: %s", error)
        return whole_plotly()


def bundle_path() -> Path:
    """Return where the script is that was trimmed of this plotly to these kinds."""
    name = "-".join(["plotly", version("plotly"), *KINDS])
    return bundled("frontend") / "build" / f"{name}.js"


def whole_plotly() -> bytes:
    """Return the script as the plotly package brings it."""
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
