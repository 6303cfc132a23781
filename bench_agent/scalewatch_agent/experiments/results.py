"""Find results in what a program wrote, by the rules of an experiment."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from scalewatch.quantities import factor_between
from scalewatch.texts.cells import Cell
from scalewatch.texts.patterns import LinePattern, line_pattern_of
from scalewatch.wire import UNITS, Name, Profile, Result, faults
from scalewatch.wire.fields import Direction
from scalewatch_agent.experiments.matching import Unmatched, matches
from scalewatch_agent.experiments.schema import ProfileRule, ResultRule

LARGEST: Final = 64 * 2**20
"""Bytes of a file that are read; a program that writes more writes something else."""

KEYS: Final = ("region", "metric", "unit", "better", "exact", "value", "values")
"""Keys of an object in a JSON file; others are passed over."""

_NAME: Final[TypeAdapter[str]] = TypeAdapter(Name)


class Unfound(Exception):
    """A rule finds nothing it could use; the message says why."""


@dataclass(slots=True)
class _MetricValues:
    """The repetitions of one metric of one region, as they are found."""

    unit: str
    better: Direction | None
    exact: bool
    values: list[float] = field(default_factory=list)


def read_results(
    rules: Iterable[ResultRule], folder: Path, fallback: str
) -> list[Result]:
    """Return what the rules find in the files of a job.

    A rule that finds nothing usable gives a failed result with the reason; the others
    are not touched by that. `fallback` is the region of such a result where the rule
    would have read it from the output.
    """
    results: dict[tuple[str, str], Result] = {}
    for rule in rules:
        try:
            values: dict[tuple[str, str], _MetricValues] = {}
            for entry in _entries(rule, folder):
                _add(values, rule, entry)
            by_rule = [_result(rule, key, series) for key, series in values.items()]
            if not by_rule:
                source = rule.document or rule.json_lines
                by_rule = [_failed(rule, fallback, f"{source} holds no result")]
                if stated := rule.line or rule.pattern:
                    why = f"nothing in {rule.file} matches {stated!r}"
                    by_rule = [_failed(rule, fallback, why)]
        except Unfound as reason:
            by_rule = [_failed(rule, fallback, str(reason))]
        for result in by_rule:
            key = (result.region, result.metric)
            if key not in results:
                results[key] = result
            elif result.status == "ok" or results[key].status == "ok":
                results[key] = _joined(results[key], result)
    return list(results.values())


def failed_results(
    rules: Iterable[ResultRule], fallback: str, reason: str
) -> list[Result]:
    """Return a failed result for whatever the rules would have found."""
    failed = {}
    for rule in rules:
        result = _failed(rule, fallback, reason)
        failed[result.region, result.metric] = result
    return list(failed.values())


def read_profile(rule: ProfileRule, folder: Path) -> Profile:
    """Return where the time of a job went, as its program wrote it.

    Raises
    ------
    Unfound
        If there is no such file, or none that says so.
    """
    content = _json(_text(folder, rule.document), rule.document)
    try:
        return Profile.model_validate({"functions": content}, strict=False)
    except ValidationError as error:
        fault = faults(error)[0]
        place = fault.field.removeprefix("functions").strip(".")
        where = f"{rule.document}, {place}" if place else rule.document
        raise Unfound(f"{where}: {fault.message}") from None


def unfound_profile(reason: Unfound) -> Result:
    """Return the result of a job whose profile cannot be had."""
    return Result(
        region="profile", metric="time", unit="s", status="failed", reason=str(reason)
    )


def _joined(result: Result, other: Result) -> Result:
    """Return the results of two rules that name the same region and metric."""
    if result.status != other.status:
        return result if result.status == "failed" else other
    if result.unit != other.unit:
        return result.model_copy(
            update={
                "status": "failed",
                "values": (),
                "reason": f"two rules give it in {result.unit} and in {other.unit}",
            }
        )
    return result.model_copy(update={"values": result.values + other.values})


def _entries(rule: ResultRule, folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield what a rule finds, as objects with some of `KEYS`."""
    if rule.line is not None:
        yield from _lines(rule, line_pattern_of(rule.line), folder)
    elif rule.pattern is not None:
        pattern = rule.pattern
        try:
            for groups in matches(pattern, _text(folder, rule.file)):
                yield {key: groups[key] for key in KEYS if key in groups}
        except Unmatched as reason:
            raise Unfound(f"{pattern!r} in {rule.file}: {reason}") from None
    elif rule.document is not None:
        content = _json(_text(folder, rule.document), rule.document)
        yield from _objects(content, rule.document)
    elif rule.json_lines is not None:
        lines = _text(folder, rule.json_lines).splitlines()
        for number, line in enumerate(lines, start=1):
            if line.strip():
                where = f"{rule.json_lines}, line {number},"
                yield from _objects(_json(line, where), where)


def _lines(
    rule: ResultRule, line: LinePattern, folder: Path
) -> Iterator[Mapping[str, Any]]:
    """Yield the value of each line that is like a pattern, in the unit of it."""
    (hole,) = (hole for hole in line.holes.values() if hole.kind == "value")
    for text in _text(folder, rule.file).splitlines():
        if (cells := line.match(text)) is None:
            continue
        cell = cells[hole.name]
        if not isinstance(cell, Cell) or cell.number is None:
            raise Unfound(
                f"{rule.line!r} in {rule.file}: {_brief(text.strip())} failed"
            )
        usual = next(iter(UNITS.get(hole.name, ())), None)
        unit = rule.unit or hole.unit or cell.unit or usual
        number = cell.number
        if cell.unit is not None and unit is not None:
            factor = factor_between(cell.unit, unit)
            if factor is None:
                raise Unfound(f"{_brief(text.strip())} is not in {unit}")
            number *= factor
        entry = {"region": cells.get("region"), "unit": unit, "value": number}
        if "metric" not in rule.model_fields_set:
            entry["metric"] = hole.name
        yield {key: held for key, held in entry.items() if held is not None}


def _text(folder: Path, name: str) -> str:
    try:
        with (folder / name).open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise Unfound(f"the program wrote no file {name}") from None
    except OSError as error:
        raise Unfound(f"{name} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise Unfound(f"{name} is larger than {LARGEST // 2**20} MiB")
    return content.decode(errors="replace")


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise Unfound(f"{where} is no JSON that anybody could read") from None
    except ValueError as error:
        raise Unfound(f"{where} is no JSON: {error}") from None


def _objects(content: Any, where: str) -> Iterator[Mapping[str, Any]]:
    for entry in content if isinstance(content, list) else [content]:
        if not isinstance(entry, dict):
            raise Unfound(f"{where} holds {_brief(entry)} where an object is expected")
        if "value" not in entry and "values" not in entry:
            raise Unfound(f"{where} holds an object without value and values")
        yield entry


def _add(
    measured: dict[tuple[str, str], _MetricValues],
    rule: ResultRule,
    entry: Mapping[str, Any],
) -> None:
    region = _name(entry.get("region") or rule.region, "region")
    metric = _name(entry.get("metric") or rule.metric, "metric")
    unit = entry.get("unit") or rule.unit
    if not isinstance(unit, str):
        raise Unfound(f"{region} has no unit")
    exact = entry.get("exact", False)
    if not isinstance(exact, bool):
        raise Unfound(f"{region}: exact is {_brief(exact)}, neither true nor false")
    better = entry.get("better") or rule.better
    series = measured.setdefault(
        (region, metric), _MetricValues(unit, better, exact=exact)
    )
    if series.unit != unit:
        raise Unfound(f"{region} is given in {series.unit} and in {unit}")
    values = entry["values"] if "values" in entry else [entry["value"]]
    if not isinstance(values, list):
        raise Unfound(f"the values of {region} are no list")
    series.values += [_number(value, region) for value in values]


def _name(value: Any, kind: str) -> str:
    try:
        return _NAME.validate_python(value)
    except ValidationError:
        raise Unfound(f"{_brief(value)} is no name of a {kind}") from None


def _number(value: Any, region: str) -> float:
    if isinstance(value, str):
        try:
            # Fortran writes 1.5D-03.
            value = float(value.strip().replace("D", "E").replace("d", "e"))
        except ValueError:
            raise Unfound(f"{_brief(value)} of {region} is no number") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfound(f"{_brief(value)} of {region} is no number")
    try:
        number = float(value)
    except OverflowError:
        raise Unfound(f"a value of {region} is too large") from None
    if not isfinite(number):
        raise Unfound(f"a value of {region} is {number}")
    return number


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _result(rule: ResultRule, key: tuple[str, str], series: _MetricValues) -> Result:
    region, metric = key
    values = series.values[rule.skip :]
    if rule.skip and not values:
        reason = f"{region} has {len(series.values)} values, and skip leaves none"
        raise Unfound(reason)
    try:
        return Result.model_validate(
            {
                "region": region,
                "metric": metric,
                "unit": series.unit,
                "better": series.better,
                "exact": series.exact,
                "values": tuple(values[-1:] if rule.take == "last" else values),
                "procedure": {"warm_ups": rule.skip} if rule.skip else None,
            }
        )
    except ValidationError as error:
        raise Unfound(f"{region}: {error.errors()[0]['msg']}") from None


def _failed(rule: ResultRule, fallback: str, reason: str) -> Result:
    return Result(
        region=rule.region or fallback,
        metric=rule.metric,
        unit=rule.unit or next(iter(UNITS.get(rule.metric, ("1",)))),
        better=rule.better,
        status="failed",
        reason=reason[:2000].replace("\x00", "�"),
    )
