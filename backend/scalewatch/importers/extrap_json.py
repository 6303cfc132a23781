"""Extra-P's JSON format, in its present and its older layout."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scalewatch.importers.documents import Document
from scalewatch.importers.series import ImportedMeasurement, SeriesIdentity


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield the measurements of each experiment."""
    for document in documents:
        older = "callpaths" in document.object()
        yield from _listed(document) if older else _nested(document)


def _nested(document: Document) -> Iterator[ImportedMeasurement]:
    """Yield measurements that stand below their call path and metric."""
    parameters = tuple(part.name() for part in document.part("parameters").elements())
    if not parameters:
        raise document.part("parameters").malformed("at least one parameter")
    for region, metrics in document.part("measurements").parts():
        for metric, points in metrics.parts():
            subject = SeriesIdentity(
                region, metric, None, (), parameters, document.origin
            )
            for measured in points.elements():
                point = measured.part("point")
                yield ImportedMeasurement(
                    subject,
                    _coordinate(point, len(parameters)),
                    measured.part("values").numbers(),
                )


def _coordinate(point: Document, parameters: int) -> tuple[float, ...]:
    if not isinstance(point.value, list):
        return (point.setting(),)
    coordinate = tuple(element.setting() for element in point.elements())
    if len(coordinate) != parameters:
        raise point.malformed(f"{parameters} settings, one per parameter")
    return coordinate


def _listed(document: Document) -> Iterator[ImportedMeasurement]:
    """Yield measurements that refer to call paths, metrics and points by id."""
    names = {
        kind: dict(_identified(document.part(kind), "name"))
        for kind in ("parameters", "callpaths", "metrics")
    }
    parameters = {key: part.name() for key, part in names["parameters"].items()}
    points = {
        key: dict(_settings(pairs))
        for key, pairs in _identified(
            document.part("coordinates"), "parameter_value_pairs"
        )
    }
    for measured in document.part("measurements").elements():
        point = _referred(measured, "coordinate_id", points)
        subject = SeriesIdentity(
            region=_referred(measured, "callpath_id", names["callpaths"]).name(),
            metric=_referred(measured, "metric_id", names["metrics"]).name(),
            unit=None,
            configuration=(),
            parameters=tuple(parameters.values()),
            origin=document.origin,
        )
        if point.keys() != parameters.keys():
            expected = f"settings of {', '.join(parameters.values())}"
            raise measured.part("coordinate_id").malformed(f"a point with {expected}")
        coordinate = tuple(point[key] for key in parameters)
        yield ImportedMeasurement(subject, coordinate, measured.part("value").numbers())


def _identified(listed: Document, key: str) -> Iterator[tuple[float, Document]]:
    for element in listed.elements():
        yield element.part("id").setting(), element.part(key)


def _settings(pairs: Document) -> Iterator[tuple[float, float]]:
    for pair in pairs.elements():
        yield (
            pair.part("parameter_id").setting(),
            pair.part("parameter_value").setting(),
        )


def _referred(measured: Document, key: str, named: Mapping[float, Any]) -> Any:
    reference = measured.part(key)
    if reference.setting() not in named:
        raise reference.malformed(f"the id of one of {len(named)} {key[:-3]}s")
    return named[reference.value]
