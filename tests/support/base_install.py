"""The command line where only the packages of the base install are there."""

import sys
from functools import cache
from importlib.metadata import packages_distributions, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BASE_ONLY = """
import sys

for package in sys.argv.pop(1).split(","):
    sys.modules[package] = None  # an import fails, as where it is not installed
from scalewatch.cli import main
main(sys.argv[1:])
"""


@cache
def base_install() -> tuple[str, ...]:
    """Return the command where nothing but the base install brings packages."""
    brought, waiting = set(), ["scalewatch"]
    while waiting:
        name = waiting.pop()
        if name in brought:
            continue
        brought.add(name)
        waiting += [
            canonicalize_name(requirement.name)
            for requirement in map(Requirement, requires(name) or ())
            if not requirement.marker or requirement.marker.evaluate({"extra": ""})
        ]
    missing = {
        package
        for package, distributions in packages_distributions().items()
        if not brought & {canonicalize_name(name) for name in distributions}
    }
    return (sys.executable, "-c", BASE_ONLY, ",".join(missing))
