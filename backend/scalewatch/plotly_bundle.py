"""plotly.js, without the kinds of traces that no figure here has.

The plotly package brings one script with every kind, maps and three dimensions among
them, most of which a browser would read for nothing. A process of its own leaves them
out, see `plotly_modules`: it takes two seconds and 270 MB, and what reads JavaScript is
written in C.
"""

import logging
import subprocess
import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from platformdirs import user_cache_path

KINDS: Final = ("bar", "contour", "heatmap")
"""The kinds of traces that stay, beside scatter, which is always there."""

_MAKER: Final = Path(__file__).with_name("plotly_modules.py")
_LOG: Final = logging.getLogger(__name__)


@cache
def bundle_version() -> str:
    """Return what a script is known by: what it is made of, and how."""
    recipe = sha256(" ".join(KINDS).encode() + _MAKER.read_bytes()).hexdigest()[:8]
    return f"plotly-{version('plotly')}-{recipe}"


@cache
def plotly_bundle() -> bytes:
    """Return the script, made once for each version and kept in the user's cache.

    It is the package's own where no other can be made; the log says why.
    """
    kept = user_cache_path("scalewatch") / f"{bundle_version()}.js"
    try:
        return kept.read_bytes()
    except OSError:
        script = _made()
    try:
        _keep(script, kept)
    except OSError as error:
        _LOG.info("plotly.js will be made again, it cannot be kept: %s", error)
    return script


def _made() -> bytes:
    """Return the script that a process of its own makes, or else the whole one."""
    whole = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    command = [sys.executable, "-P", str(_MAKER), *KINDS]
    made = subprocess.run(command, input=whole, capture_output=True, check=False)
    if made.returncode == 0:
        return made.stdout
    reason = made.stderr.decode(errors="replace").strip()
    _LOG.warning("plotly.js is served whole, as it cannot be read: %s", reason)
    return whole


def _keep(script: bytes, path: Path) -> None:
    """Write a file that others see whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(script)
    Path(file.name).replace(path)
