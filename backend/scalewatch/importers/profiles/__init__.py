"""Profiles of the parts of a program: one module per format, and the run of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from scalewatch.importers import series

_SLOWEST: Final = "max"
_MEAN: Final = "mean"


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """A run of which a file holds the profile; a scan is spread over files."""

    coordinate: Mapping[str, float]
    configuration: Mapping[str, series.Setting] = field(default_factory=dict)
    provenance: series.Provenance = field(default_factory=series.Provenance)
    across: str = _SLOWEST

    def measured(
        self, metric: str, values: Mapping[str, float], unit: str | None = "s"
    ) -> Iterator[series.ImportedMeasurement]:
        """Yield the values of regions.

        Own times are means over processes, so that they add up; other values are those
        of the process that has most, or what is made `across` processes.
        """
        statistic = _MEAN if metric == series.OWN_TIME else self.across
        configuration = {**self.configuration, "statistic": statistic}
        for region, value in values.items():
            yield series.measurement(
                region,
                metric,
                unit,
                value,
                self.coordinate,
                configuration,
                provenance=self.provenance,
            )
