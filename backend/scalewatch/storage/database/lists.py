"""Conditions on lists: one parameter holds all values, however many there are.

With a parameter for each, a statement is another one for every number of them: to write
it, to read it and to plan it takes longer than to look up hundreds of rows.
"""

from typing import Any

from sqlalchemy import ARRAY, JSON, ColumnElement, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType


class _Among(FunctionElement[Any]):
    """A column, and the parameter with the values that it may have."""

    name = "among"
    type = NullType()  # SQLite needs a Boolean expression compared with 1
    inherit_cache = True


def is_among(column: ColumnElement[Any], name: str) -> FunctionElement[Any]:
    """Return the condition that a column has a value of the list of this name."""
    values = ARRAY(column.type).with_variant(JSON(), "sqlite")
    return _Among(column, bindparam(name, type_=values))


@compiles(_Among)
def _any(element: _Among, compiler: SQLCompiler, **kwargs: Any) -> str:
    column, values = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_Among, "sqlite")
def _in(element: _Among, compiler: SQLCompiler, **kwargs: Any) -> str:
    column, values = (compiler.process(each, **kwargs) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608
