"""Foreign formats in: one module per format, each yields measurements."""

from scalewatch.importers.files import AUTO, FORMATS, Reading, read_files
from scalewatch.importers.series import Measurement, Scans, Series

__all__ = ["AUTO", "FORMATS", "Measurement", "Reading", "Scans", "Series", "read_files"]
