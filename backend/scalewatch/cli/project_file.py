"""`scalewatch.toml`: what a repository states, checked key by key and pushed.

`scalewatch expectations push` declares it to a server.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from getpass import getuser
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.cli.remote import Remote, Unreachable, segment, server_options
from scalewatch.texts.scales import RESOURCES

FILE: Final = "scalewatch.toml"
RULES: Final = (
    "mismatch",
    "new_mismatch",
    "growth",
    "constant",
    "guideline",
    "missing",
)
PROJECT_RULES: Final = (*RULES, "oversubscribed", "disturbed", "smallest_effect")
FIELDS: Final = ("growth", "deviation_limit", "metric", "formula")

UNREACHABLE: Final = 3
"""Exit code if the server does not answer."""

EPILOG: Final = """
\b
The file, at the top of a repository:
  project = "hydro"
  guidelines = ["MPI_Allreduce <= MPI_Reduce + MPI_Bcast"]
  target = { p = 65536 }              # where effects are told
  scale = "nodes"                     # the axis where p, nodes and GPUs vary together
  [expectations]
  MPI_Bcast = "O(log p)"
  solve = { growth = "O(p^0.5)", deviation_limit = "O(p^0.25)", metric = "time" }
  cg = { formula = "13*8*N/triad + 2*parallel" }   # composed of other regions
  old_solver = { growth = false }     # withdraws it
  [gate]                              # what stops a commit
  mismatch = false                    # scales worse than expected
  new_mismatch = true                 # and did not before
  growth = true                       # scales worse than before
  constant = 0.1                      # surely costs over 10 % more; false: never
  guideline = true                    # breaks a guideline that held
  missing = "undecided"               # or "ignore" what failed or is missing in part
  oversubscribed = "accept"           # judge times for which processes shared cores
  disturbed = "accept"                # judge times of jobs that others disturbed
  smallest_effect = 0.05              # what changes by less is a drift (at least 0.03)
  [gate.regions.solve]
  constant = 0.3
  [aliases]                           # former name = present name
  bcast = "MPI_Bcast"
  [import.osu]                        # settings of files, see `scalewatch import`
  path = "{**}/size{nodes}/{**}"
  derive = { p = "nodes * 56" }
  better = { FOM = "higher" }
  [lines.mycode]                      # a log, see `--line`
  signature = ["MYCODE {**}"]
  lines = ["nProcs : {p}", "took {time} s"]

\b
Example:
  scalewatch expectations push --reason "$(git log -1 --format=%s)"
"""


def read(file: Path) -> Mapping[str, Any]:
    """Return what a file states.

    Raises
    ------
    click.UsageError
        If it cannot be read, or a key or a value of it means nothing.
    """
    try:
        return checked(file.read_text(encoding="utf-8-sig"), file)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}") from None


def checked(text: str, file: Path) -> Mapping[str, Any]:
    """Return what the text of a file states.

    Raises
    ------
    click.UsageError
        If a key or a value of it means nothing.
    """
    try:
        stated = tomllib.loads(text)
        _refuse_odd_values(stated, file)
    except ValueError as error:
        raise click.UsageError(f"{file}: {error}") from None
    except RecursionError:
        raise click.UsageError(f"{file}: its values are nested too deeply") from None
    for key, value in stated.items():
        if key not in _KINDS:
            raise click.UsageError(f"{file}: {unknown(key, _KINDS)}")
        is_right, wanted = _KINDS[key]
        if not is_right(value):
            raise click.UsageError(f"{file}: {key} needs {wanted}")
    return stated


def stated_here() -> Mapping[str, Any]:
    """Return what the file in the current folder states; nothing without one."""
    return read(Path(FILE)) if Path(FILE).exists() else {}


def declarations(stated: Mapping[str, Any], file: Path) -> list[dict[str, Any]]:
    """Return the expectations of a file as the API takes them."""
    declared = []
    for region, said in stated.items():
        fields = {"growth": said} if isinstance(said, str) else said
        if not isinstance(fields, dict) or fields.keys() - set(FIELDS):
            raise click.UsageError(
                f"{file}: {region} needs a growth such as 'O(log p)', or a table of "
                f"{', '.join(sorted(FIELDS))}"
            )
        growth = fields.get("growth")
        declared.append(
            {"region": region, **fields, "growth": None if growth is False else growth}
        )
    return declared


def gate_rules(stated: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return the rules of a file as the API takes them."""
    regions = stated.get("regions", {})
    tables = {"gate": {k: v for k, v in stated.items() if k != "regions"}}
    if not isinstance(regions, dict):
        raise click.UsageError(f"{file}: gate.regions needs a table per region")
    tables |= {f"gate.regions.{name}": rule for name, rule in regions.items()}
    for place, rule in tables.items():
        names = PROJECT_RULES if place == "gate" else RULES
        if not isinstance(rule, dict) or rule.keys() - set(names):
            known = ", ".join(sorted(names))
            raise click.UsageError(f"{file}: {place} takes {known}")
        for name, value in rule.items():
            is_right, wanted = _VALUES[name]
            if not is_right(value):
                raise click.UsageError(f"{file}: {place}.{name} is {wanted}")
    return _rule(tables["gate"]) | {
        "regions": {name: _rule(rule) for name, rule in regions.items()}
    }


def declared_contents(stated: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return what a file declares, by noun of the API, as this takes it."""
    contents: dict[str, Any] = {}
    if declared := declarations(stated.get("expectations", {}), file):
        contents["expectations"] = {"expectations": declared}
    if "guidelines" in stated:
        contents["guidelines"] = {"guidelines": stated["guidelines"]}
    if {"gate", "target", "scale"} & stated.keys():
        rules = gate_rules(stated.get("gate", {}), file)
        if "scale" in stated:
            rules["scale"] = stated["scale"]
        contents["gate/rules"] = {"rules": rules, "target": stated.get("target", {})}
    if "aliases" in stated:
        contents["aliases"] = {"aliases": stated["aliases"]}
    return contents


def unknown(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    """Say that a name is unknown, which one is meant, and which there are."""
    meant = get_close_matches(name, known, n=1)
    hint = f", is {meant[0]!r} meant?" if meant else ""
    return f"{name!r} is unknown{hint}; there are {', '.join(sorted(known))}"


def _rule(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule as JSON has it: TOML knows no null."""
    return {n: None if n == "constant" and v is False else v for n, v in stated.items()}


def _refuse_odd_values(value: Any, file: Path, place: str = "") -> None:
    """Refuse values that TOML has and JSON has not, or not every reader of it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _refuse_odd_values(inner, file, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _refuse_odd_values(inner, file, f"{place}.{number}")
    elif not isinstance(value, str | int | float):
        raise click.UsageError(
            f"{file}: {place} is a {type(value).__name__}: write a text, in quotes"
        )
    elif not isinstance(value, str) and not -(2.0**63) <= value < 2.0**63:
        raise click.UsageError(f"{file}: {place} is no number of at most 64 bits")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


_Kind = tuple[Callable[[Any], bool], str]

_KINDS: Final[Mapping[str, _Kind]] = {
    "project": (lambda value: isinstance(value, str), "a name"),
    "expectations": (
        lambda value: isinstance(value, dict),
        "a table of growths by region",
    ),
    "guidelines": (
        lambda value: isinstance(value, list) and _are_texts(value),
        "a list such as ['A <= B + C']",
    ),
    "gate": (lambda value: isinstance(value, dict), "a table of rules"),
    "scale": (lambda value: value in RESOURCES, f"one of {', '.join(RESOURCES)}"),
    "target": (
        lambda value: (
            isinstance(value, dict)
            and all(
                _is_number(each) and 0 < each < float("inf") for each in value.values()
            )
        ),
        "positive numbers, such as { p = 65536 }",
    ),
    "aliases": (
        lambda value: isinstance(value, dict) and _are_texts(value.values()),
        "present names by former ones",
    ),
    "import": (
        lambda value: isinstance(value, dict),
        "tables such as [import.osu]",
    ),
}
_FLAG: Final[_Kind] = (lambda value: isinstance(value, bool), "true or false")
_VALUES: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(("mismatch", "new_mismatch", "growth", "guideline"), _FLAG),
    "constant": (
        lambda value: (
            value is False or (_is_number(value) and 0 <= value < float("inf"))
        ),
        "a share such as 0.1, or false",
    ),
    "missing": (lambda value: value in {"undecided", "ignore"}, "undecided or ignore"),
    **dict.fromkeys(
        ("oversubscribed", "disturbed"),
        (lambda value: value in {"undecided", "accept"}, "undecided or accept"),
    ),
    "smallest_effect": (
        lambda value: _is_number(value) and 0.03 <= value <= 10,
        "a share from 0.03 to 10",
    ),
}


def _login() -> str | None:
    """Return who calls, if the system knows."""
    try:
        return getuser()
    except (OSError, KeyError):
        return None


@click.group("expectations", epilog=EPILOG)
def command() -> None:
    """Declare the growths that are expected of a code."""


@command.command("push", epilog=EPILOG)
@click.argument(
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=FILE,
)
@click.option("--project", help="That of the file unless given.")
@click.option(
    "--author", default=_login, required=True, help="By default your login name."
)
@click.option("--reason")
@server_options
def push(  # noqa: PLR0913, one per option
    *,
    file: Path,
    project: str | None,
    author: str,
    reason: str | None,
    server: str,
    token: str | None,
) -> None:
    """Declare what FILE states, by default scalewatch.toml.

    That is expectations, guidelines, rules of the gate, the target scale and new names
    of regions. What is as before keeps its version; all else is judged anew.
    """
    stated = read(file)
    name = project or stated.get("project")
    if not isinstance(name, str):
        raise click.UsageError(f'{file} names no project: add project = "…"')
    contents = declared_contents(stated, file)
    declared = contents.get("expectations", {}).get("expectations", ())
    remote = Remote(server, token)
    for noun, content in contents.items():
        said = {"author": author, "reason": reason, **content}
        try:
            reply = remote.put(f"projects/{segment(name)}/{noun}", said)
        except Unreachable as error:
            click.echo(f"Error: {error}", err=True)
            raise SystemExit(UNREACHABLE) from None
        if not reply.is_good:
            # Where it numbers expectations, their regions tell more.
            reason = reply.reason
            for number, entry in enumerate(declared if noun == "expectations" else ()):
                here = f"{noun}.{entry['region']}."
                reason = reason.replace(f"{noun}.{number}.", here)
            raise click.ClickException(reason)
    noun = f"expectation{'s' * (len(declared) != 1)}"
    click.echo(f"{name}: {len(declared)} {noun} stated")
