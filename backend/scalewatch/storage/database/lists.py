"""Conditions on lists: one parameter holds all values, however many there are.

With a parameter for each, a statement is another one for every number of them: to write
it, to read it and to plan it takes longer than to look up hundreds of rows.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, JSON, ColumnElement, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType, TypeEngine


class _Among(FunctionElement[Any]):
    """A column, and the parameter with the values that it may have."""

    name = "among"
    type = NullType()  # SQLite needs a Boolean expression compared with 1
    inherit_cache = True


def is_among(column: ColumnElement[Any], name: str) -> FunctionElement[Any]:
    """Return the condition that a column has a value of the list of this name."""
    return _Among(column, bindparam(name, type_=_list_of(column)))


def among(
    column: InstrumentedAttribute[Any], values: Collection[Any]
) -> ColumnElement[Any]:
    """Return the condition that a column has one of some values."""
    listed = bindparam("among", list(values), type_=_list_of(column), unique=True)
    return _Among(column.expression, listed)


def _list_of(
    column: ColumnElement[Any] | InstrumentedAttribute[Any],
) -> TypeEngine[Any]:
    return ARRAY(column.type).with_variant(JSON(), "sqlite")


@compiles(_Among)
def _any(element: _Among, compiler: SQLCompiler, **kwargs: Any) -> str:
    column, values = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_Among, "sqlite")
def _in(element: _Among, compiler: SQLCompiler, **kwargs: Any) -> str:
    column, values = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608
