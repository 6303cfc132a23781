"""Foreign formats in: one module per format, each yields measurements.

What is named here is imported once it is used: the names of the formats are cheap,
and the help of the commands needs no more.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scalewatch.importers.files import Reading, read_files, read_in_parts
    from scalewatch.importers.formats import AUTO, FORMATS
    from scalewatch.importers.series import (
        ImportedMeasurement,
        ImportedSeries,
        Provenance,
        Scans,
    )
    from scalewatch.importers.settings import SettingRules

__all__ = [
    "AUTO",
    "FORMATS",
    "ImportedMeasurement",
    "ImportedSeries",
    "Provenance",
    "Reading",
    "Scans",
    "SettingRules",
    "read_files",
    "read_in_parts",
]

_MODULES = {
    **dict.fromkeys(("AUTO", "FORMATS"), "formats"),
    **dict.fromkeys(("Reading", "read_files", "read_in_parts"), "files"),
    "SettingRules": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    module = _MODULES.get(name, "series")
    return getattr(import_module(f"{__name__}.{module}"), name)
