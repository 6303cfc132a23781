"""Documents: any value of the product as JSON.

Growths and fractions become text, models and findings what `scalewatch model --json`
prints, arrays nested lists, other dataclasses objects with their fields, but for those
of `repr=False`, unless they have another form as their property `as_json`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin

import numpy as np
import orjson

from scalewatch.exporters.findings import finding_object, model_object
from scalewatch.modelling import (
    Finding,
    Growth,
    Model,
)
from scalewatch.texts.scales import Scale


def json_text(value: object, *, indented: bool = False) -> bytes:
    """Return a value as JSON; NaN and infinity become null.

    Parameters
    ----------
    indented
        For people; programs get half as many bytes.
    """
    layout = orjson.OPT_INDENT_2 if indented else 0
    return orjson.dumps(value, _written, _OPTIONS | layout)


# What JSON knows, orjson finds by itself, ten times as fast as we could.
_OPTIONS: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def _written(value: object) -> object:
    """Return a value that orjson does not know by parts, which it may not know yet."""
    kind: type = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], object]:
    """Return how values of a kind are written.

    Raises
    ------
    TypeError
        If they have no form in JSON.
    """
    if kind in _WRITTEN:
        return _WRITTEN[kind]
    if hasattr(kind, "as_json"):
        return attrgetter("as_json")
    if is_dataclass(kind):
        return _fields_writer(kind)
    if issubclass(kind, np.ndarray):
        return np.ndarray.tolist
    if issubclass(kind, Mapping):
        return _keyed
    if issubclass(kind, tuple):
        return list  # of fields with names: orjson knows plain tuples alone
    raise TypeError(kind)


def _fields_writer(kind: type[Any]) -> Callable[[Any], dict[str, object]]:
    """Return how a dataclass is written as an object."""
    shown = [field for field in fields(kind) if field.repr]
    names = tuple(field.name for field in shown)
    written = [
        (field.name, write)
        for field in shown
        if (write := _as_written(field.type)) is not None
    ]
    # A first name that is left out: of one alone, attrgetter returns no tuple.
    parts = attrgetter("__class__", *names)

    def fields_of(value: object) -> dict[str, object]:
        members = dict(zip(names, parts(value)[1:], strict=True))
        # Here rather than when orjson asks, which takes several times as long.
        for name, write in written:
            if members[name]:
                members[name] = write(members[name])
        return members

    return fields_of


def _as_written(annotation: Any) -> Callable[[Any], object] | None:
    """Return how values of a field are written, None where orjson knows or asks."""
    if isinstance(annotation, UnionType):
        known = {kind for kind in get_args(annotation) if kind is not NoneType}
        return _as_written(known.pop()) if len(known) == 1 else None
    origin = get_origin(annotation)
    key, content, *_ = (*get_args(annotation), str, str)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        write = _as_written(content)
        if write is not None:
            return lambda values: {str(k): write(value) for k, value in values.items()}
        is_text = isinstance(key, type) and issubclass(key, str)
        return None if is_text else _keyed
    return _WRITTEN.get(annotation) if isinstance(annotation, type) else None


def _keyed(values: Mapping[object, object]) -> dict[str, object]:
    """Return a mapping with its keys, such as growths, as text."""
    return {str(key): value for key, value in values.items()}


_WRITTEN: Final[Mapping[type, Callable[[Any], object]]] = {
    Growth: str,
    Scale: lambda scale: scale.name,
    Fraction: str,
    Model: model_object,
    Finding: finding_object,
}
"""Writers of values that are no objects with their fields."""
