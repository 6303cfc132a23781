"""Extra-P's JSON: its format, in the present and the older layout, and its JSON Lines.

An object of the Lines is a coordinate, or a value of one:
`{"params": {"p": 4}, "callpath": "solve", "metric": "time", "value": 1.5}`, where
`value` may be a list; `unit` and `configuration` are understood as well, and `region`,
where the call path says more than its name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scalewatch.importers import series
from scalewatch.importers.documents import Document


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the measurements of each experiment, and of each line."""
    orders: dict[frozenset[str], tuple[str, ...]] = {}
    for document in documents:
        if "params" in document.object():
            yield _of_line(document, orders)
        elif "callpaths" in document.object():
            yield from _listed(document)
        else:
            yield from _nested(document)


def _of_line(
    document: Document, orders: dict[frozenset[str], tuple[str, ...]]
) -> series.ImportedMeasurement:
    params = document.part("params")
    names = params.object()
    if not names:
        raise params.malformed("at least one parameter")
    # The parameters of a line are those of another in whatever order they stand.
    parameters = orders.setdefault(frozenset(names), tuple(names))
    name = _name(document, "region") or _name(document, "callpath")
    configuration: dict[str, series.Setting] = {}
    if "configuration" in document.object():
        for key, part in document.part("configuration").parts():
            if not isinstance(part.value, str | bool | int | float):
                raise part.malformed("a text or a number")
            configuration[key] = part.value
    return series.measurement(
        name or series.WHOLE_PROGRAM,
        _name(document, "metric") or series.VALUE,
        _name(document, "unit"),
        document.part("value").numbers(),
        {name: params.part(name).setting() for name in parameters},
        dict(sorted(configuration.items())),
        document.origin,
    )


def _name(document: Document, key: str) -> str | None:
    return document.part(key).name() if key in document.object() else None


def _nested(document: Document) -> Iterator[series.ImportedMeasurement]:
    """Yield measurements that stand below their call path and metric."""
    parameters = tuple(part.name() for part in document.part("parameters").elements())
    if not parameters:
        raise document.part("parameters").malformed("at least one parameter")
    for region, metrics in document.part("measurements").parts():
        for metric, points in metrics.parts():
            for measured in points.elements():
                yield series.measurement(
                    region,
                    metric,
                    None,
                    measured.part("values").numbers(),
                    _settings(measured.part("point"), parameters),
                    origin=document.origin,
                )


def _settings(point: Document, parameters: Sequence[str]) -> dict[str, float]:
    is_list = isinstance(point.value, list)
    levels = [*point.elements()] if is_list else [point] * len(parameters)
    if len(levels) != len(parameters):
        raise point.malformed(f"{len(parameters)} settings, one per parameter")
    settings = [level.setting() for level in levels]
    return dict(zip(parameters, settings, strict=True))


def _listed(document: Document) -> Iterator[series.ImportedMeasurement]:
    """Yield measurements that refer to call paths, metrics and points by id."""
    names = {
        kind: dict(_identified(document.part(kind), "name"))
        for kind in ("parameters", "callpaths", "metrics")
    }
    parameters = {key: part.name() for key, part in names["parameters"].items()}
    points = {
        key: {
            pair.part("parameter_id").setting(): pair.part("parameter_value").setting()
            for pair in pairs.elements()
        }
        for key, pairs in _identified(
            document.part("coordinates"), "parameter_value_pairs"
        )
    }
    for measured in document.part("measurements").elements():
        point = _referred(measured, "coordinate_id", points)
        if point.keys() != parameters.keys():
            expected = f"settings of {', '.join(parameters.values())}"
            raise measured.part("coordinate_id").malformed(f"a point with {expected}")
        yield series.measurement(
            _referred(measured, "callpath_id", names["callpaths"]).name(),
            _referred(measured, "metric_id", names["metrics"]).name(),
            None,
            measured.part("value").numbers(),
            {name: point[key] for key, name in parameters.items()},
            origin=document.origin,
        )


def _identified(listed: Document, key: str) -> Iterator[tuple[float, Document]]:
    for element in listed.elements():
        yield element.part("id").setting(), element.part(key)


def _referred(measured: Document, key: str, named: Mapping[float, Any]) -> Any:
    reference = measured.part(key)
    if reference.setting() not in named:
        raise reference.malformed(f"the id of one of {len(named)} {key[:-3]}s")
    return named[reference.value]
