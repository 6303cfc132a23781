"""Documents: any value of the product as JSON.

Growths and fractions become text, models and findings what `scalewatch model --json`
prints, arrays nested lists, other dataclasses objects with their fields.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache, singledispatch
from math import isfinite
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray

from scalewatch.exporters.findings import finding_object, model_object
from scalewatch.modelling import Finding, Growth, Model


def json_text(value: object, *, indented: bool = False) -> bytes:
    """Return a value as JSON; NaN and infinity become null.

    Parameters
    ----------
    indented
        For people; programs get half as many bytes.
    """
    layout = orjson.OPT_INDENT_2 if indented else 0
    try:
        return orjson.dumps(value, _shallow, _OPTIONS | layout)
    except orjson.JSONEncodeError:  # the key of a mapping is none of JSON's types
        return orjson.dumps(document(value), option=layout)


# What JSON knows, orjson finds by itself, ten times as fast as we could.
_OPTIONS: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def _shallow(value: object) -> object:
    """Return a value whose parts JSON may not know yet."""
    kind: type = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], object]:
    """Return how values of a kind are written."""
    known = document.dispatch(kind)
    if known is not _ANY or not is_dataclass(kind):
        return known
    names = tuple(field.name for field in fields(kind))
    written = [
        (field.name, write)
        for field in fields(kind)
        if (write := _as_written(field.type)) is not None
    ]
    # A first name that is left out: of one alone, attrgetter returns no tuple.
    parts = attrgetter("__class__", *names)

    def fields_of(value: object) -> dict[str, object]:
        found = dict(zip(names, parts(value)[1:], strict=True))
        # Here rather than when orjson asks, which takes several times as long.
        for name, write in written:
            if found[name]:
                found[name] = write(found[name])
        return found

    return fields_of


def _as_written(annotation: Any) -> Callable[[Any], object] | None:
    """Return how values of a field are written, None where orjson knows or asks."""
    if isinstance(annotation, UnionType):
        known = {each for each in get_args(annotation) if each is not NoneType}
        return _as_written(known.pop()) if len(known) == 1 else None
    origin, (key, each, *_) = get_origin(annotation), (*get_args(annotation), str, str)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        write = _as_written(each)
        if write is not None:
            return lambda found: {str(k): write(own) for k, own in found.items()}
        is_text = isinstance(key, type) and issubclass(key, str)
        return None if is_text else _keyed
    return _WRITTEN.get(annotation) if isinstance(annotation, type) else None


def _keyed(found: Mapping[object, object]) -> dict[str, object]:
    """Return a mapping with its keys, such as growths, as text."""
    return {str(key): each for key, each in found.items()}


@singledispatch
def document(value: object) -> object:
    """Return a value made of what JSON knows; a dataclass becomes an object."""
    if is_dataclass(value) and not isinstance(value, type):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: document(each) for name, each in named}
    return value


@document.register(str)
@document.register(Fraction)
@document.register(Growth)
@document.register(UUID)
def _text(value: object) -> str:
    return str(value)


@document.register
def _number(value: float) -> float | None:
    return value if isfinite(value) else None


@document.register
def _moment(value: datetime) -> str:
    return value.isoformat()


@document.register(Mapping)
def _object(value: Mapping[object, object]) -> dict[str, object]:
    return {str(key): document(each) for key, each in value.items()}


@document.register(list)
@document.register(tuple)
def _array(value: list[object] | tuple[object, ...]) -> list[object]:
    return [document(each) for each in value]


@document.register(np.ndarray)
def _numbers(value: NDArray[np.generic]) -> object:
    return document(value.tolist())


_ANY: Final = document.dispatch(object)


document.register(Model, model_object)
document.register(Finding, finding_object)

_WRITTEN: Final[Mapping[type, Callable[[Any], object]]] = {
    Growth: str,
    Fraction: str,
    Model: model_object,
}
"""What hundreds of values have as fields, and orjson does not know."""
