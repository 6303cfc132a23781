"""Foreign formats in: one module per format, each yields measurements."""

from scalewatch.importers.files import AUTO, FORMATS, Reading, read_files
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
]
