"""Foreign formats in: one module per format, each yields measurements."""

from scalewatch.importers.files import AUTO, FORMATS, Reading, read_files
from scalewatch.importers.series import ImportedMeasurement, ImportedSeries, Scans

__all__ = [
    "AUTO",
    "FORMATS",
    "ImportedMeasurement",
    "ImportedSeries",
    "Reading",
    "Scans",
    "read_files",
]
