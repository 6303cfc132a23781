"""Platforms to simulate: three of ours, or any file of SimGrid's."""

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

# A platform is a file that the experiment's author names, as a program is.
from xml.etree import ElementTree as ET

from scalewatch_agent.errors import PlatformUnusable

TITLES: Final = {
    "torus": "a 5-D torus of 4×4×4×8×8 nodes with links of 2 GB/s and 40 ns",
    "fat-tree": "a fat tree of three levels of 16 with links of 12.5 GB/s and 500 ns",
    "dragonfly": "a dragonfly of 11 groups of 6 chassis of 16 blades of 4 nodes with "
    "links of 10 GB/s and 300 ns",
}
"""Plausible networks, calibrated to no real machine."""

_RADICAL: Final = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: its name, its file, its number of hosts, and what it is."""

    name: str
    path: Path
    hosts: int
    title: str


def platform_of(named: str, folder: Path) -> Platform:
    """Return a platform of ours, or the one in a file whose path begins at `folder`.

    Raises
    ------
    PlatformUnusable
        If there is no such file, or none that describes hosts.
    """
    if named in TITLES:
        # The package lies in a folder: pip unpacks it, and so does a checkout.
        path = (
            Path(str(files("scalewatch_agent.experiments.launchers.smpi")))
            / f"{named}.xml"
        )
        return Platform(named, path, _hosts(path), TITLES[named])
    path = folder / named
    if path.suffix != ".xml":
        known = ", ".join(TITLES)
        raise PlatformUnusable(named, f"write one of {known}, or a FILE.xml")
    return Platform(path.stem, path, _hosts(path), f"the platform {path.name}")


def _hosts(path: Path) -> int:
    """Return how many hosts a file describes."""
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - the author's own file
    except OSError as error:
        raise PlatformUnusable(str(path), error.strerror or str(error)) from None
    except ET.ParseError as error:
        raise PlatformUnusable(str(path), f"this is no XML: {error}") from None
    hosts = len(list(root.iter("host")))
    for cluster in (*root.iter("cluster"), *root.iter("cabinet")):
        hosts += sum(
            int(end or start) - int(start) + 1
            for start, end in _RADICAL.findall(cluster.get("radical", ""))
        )
    if root.tag != "platform" or not hosts:
        raise PlatformUnusable(str(path), "it describes no hosts of SimGrid")
    return hosts
