"""Our own run reports: one, an array, or one a line."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC

from pydantic import ValidationError

from scalewatch.errors import MalformedFile
from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.wire import UNITS, RunReport, faults


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the results of each run, known units converted to the metric's first."""
    for document in documents:
        report = _report(document)
        parameters = tuple(sorted(report.coordinate))
        coordinate = tuple(float(report.coordinate[name]) for name in parameters)
        commit = report.commit
        made = commit.committed_at
        provenance = series.Provenance(
            commit.sha,
            commit.branch,
            made.astimezone(UTC).isoformat() if made else None,
            report.machine.name,
            parents=commit.parents,
        )
        for result in report.results:
            units = UNITS.get(result.metric, {result.unit: 1.0})
            subject = series.SeriesIdentity(
                region=result.region,
                metric=result.metric,
                unit=next(iter(units)),
                configuration=tuple(sorted(report.configuration.items())),
                parameters=parameters,
                origin=(
                    ("project", report.project),
                    ("suite", report.suite),
                    ("commit", report.commit.sha),
                    ("machine", report.machine.name),
                ),
                is_exact=result.exact,
            )
            values = [value * units[result.unit] for value in result.values]
            procedure = result.procedure
            yield series.ImportedMeasurement(
                subject,
                coordinate,
                values,
                provenance,
                is_crowded=procedure is not None
                and (procedure.oversubscribed or procedure.disturbed),
            )


def _report(document: Document) -> RunReport:
    try:
        return RunReport.model_validate_json(json.dumps(document.value))
    except ValidationError as error:
        fault = faults(error)[0]
        actual = f"{fault.field}: {fault.message}"
        raise MalformedFile(
            document.source, document.place, "a run report", actual
        ) from None
    except RecursionError:
        raise document.malformed("a run report") from None
