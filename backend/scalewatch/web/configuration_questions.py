"""Which configuration a query looks for."""

from typing import Annotated

from fastapi import Depends, Query

from scalewatch.services.configurations.question import ConfigurationQuestion


async def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    objective: Annotated[
        str | None,
        Query(description="`area` unless given, `growth`, `correlation` or `time`."),
    ] = None,
    kind: Annotated[
        str | None, Query(description="`strong` unless given, or `weak`.")
    ] = None,
    target: Annotated[
        str | None, Query(description="p at which the time counts.")
    ] = None,
    size: Annotated[str | None, Query(description="Problem size.")] = None,
    where: Annotated[
        list[str] | None,
        Query(
            description="Levels that a setting may have.", examples=[["threads=1|2"]]
        ),
    ] = None,
    declare: Annotated[
        list[str] | None,
        Query(
            description="Levels that belong to the space, run or not.",
            examples=[["threads=1|2|4|8"]],
        ),
    ] = None,
) -> ConfigurationQuestion:
    """Read ?objective=time&target=64&where=threads=1|2&declare=threads=1|2|4."""
    return ConfigurationQuestion.stated(
        objective, kind, target, size, where or [], declare or []
    )


ConfigurationQuestionDep = Annotated[ConfigurationQuestion, Depends(question)]
