"""Rank series by what they cost at scale, or by how they grow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Finding, Growth, RankedRegion, rank_regions


@dataclass(frozen=True, slots=True)
class Ranking:
    """The criterion by which series are ranked.

    Parameters
    ----------
    target
        Coordinate at which predictions are compared; None to compare growths.
    threshold
        Growth that is still acceptable: only series that grow faster are ranked.
    """

    target: Mapping[str, float] | None = None
    threshold: Growth | None = None

    def order(
        self, all_series: Sequence[ImportedSeries], findings: Sequence[Finding]
    ) -> list[RankedRegion[int]]:
        """Return positions of series that have a model, by metric, worst first."""
        metrics = dict.fromkeys(series.metric for series in all_series)
        return [
            ranked
            for metric in metrics
            for ranked in self._ranked(
                {
                    position: finding
                    for position, finding in enumerate(findings)
                    if all_series[position].metric == metric
                }
            )
            if self.threshold is None or ranked.exceeds_threshold
        ]

    def _ranked(self, findings: Mapping[int, Finding]) -> tuple[RankedRegion[int], ...]:
        """Rank the series of a metric."""
        predicted = {
            position: forecast.value
            for position, finding in findings.items()
            for forecast in finding.forecasts
            if forecast.at == self.target
        }
        models = {
            position: finding.model
            for position, finding in findings.items()
            if finding.model is not None
        }
        return rank_regions(models, predicted, self.threshold)
