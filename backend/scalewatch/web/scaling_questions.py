"""Which scaling errors a query asks for."""

from typing import Annotated

from fastapi import Depends, Query

from scalewatch.services.scaling_errors.question import Question


async def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    kind: Annotated[
        str | None, Query(description="`strong` unless given, or `weak`.")
    ] = None,
    size: Annotated[
        str | None, Query(description="Problem size at n₁; the best unless given.")
    ] = None,
    base: Annotated[
        str | None, Query(description="n₁ of the row; the smallest unless given.")
    ] = None,
    source: Annotated[
        str | None, Query(description="`measured` unless given, or `model`.")
    ] = None,
    to: Annotated[
        str | None, Query(description="Largest scale of a model's errors.")
    ] = None,
    vs: Annotated[
        str | None,
        Query(description="What to compare with.", examples=["commit=v5.0.8"]),
    ] = None,
) -> Question:
    """Read ?kind=weak&size=1000&base=2&source=model&to=1024&vs=commit=v5.0.8."""
    return Question.stated(kind, size, base, source, to, vs)


QuestionDep = Annotated[Question, Depends(question)]
