"""Which profiles a query asks for."""

from typing import Annotated

from fastapi import Depends, Query

from scalewatch.services.hotspots.question import HotspotQuestion


async def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    over: Annotated[
        str | None, Query(description="Parameter of the scan, such as `p`.")
    ] = None,
    held: Annotated[
        str | None, Query(description="Which scan, by what it holds fixed.")
    ] = None,
    against: Annotated[
        str | None, Query(description="`previous` unless given, or `first`.")
    ] = None,
    correction: Annotated[
        str | None, Query(description="`holm` unless given, or `benjamini-hochberg`.")
    ] = None,
    unit: Annotated[
        str | None,
        Query(description="Seconds that count as one in χ².", examples=[1]),
    ] = None,
    at: Annotated[
        str | None, Query(description="Setting whose profile is shown in full.")
    ] = None,
    vs: Annotated[
        str | None,
        Query(description="What to compare with.", examples=["commit=v1.2"]),
    ] = None,
) -> HotspotQuestion:
    """Read ?over=n&held=threads=2&against=first&unit=0.001&at=11&vs=commit=v1."""
    return HotspotQuestion.stated(over, held, against, correction, unit, at, vs)


HotspotQuestionDep = Annotated[HotspotQuestion, Depends(question)]
