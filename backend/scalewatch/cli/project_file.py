"""`scalewatch.toml`: what a repository states, checked key by key."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click

FILE: Final = "scalewatch.toml"
RULES: Final = (
    "mismatch",
    "new_mismatch",
    "growth",
    "constant",
    "guideline",
    "missing",
)
PROJECT_RULES: Final = (*RULES, "oversubscribed", "smallest_effect")
FIELDS: Final = ("growth", "deviation_limit", "metric", "formula")


def read(file: Path) -> Mapping[str, Any]:
    """Return what a file states.

    Raises
    ------
    click.UsageError
        If it cannot be read, or a key or a value of it means nothing.
    """
    try:
        stated = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}") from None
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


def unknown(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    """Say that a name is unknown, which one is meant, and which there are."""
    meant = get_close_matches(name, known, n=1)
    hint = f", is {meant[0]!r} meant?" if meant else ""
    return f"{name!r} is unknown{hint}; there are {', '.join(sorted(known))}"


def _rule(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule as JSON has it: TOML knows no null."""
    return {n: None if n == "constant" and v is False else v for n, v in stated.items()}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_scales(value: Any) -> bool:
    return _is_table(value) and all(
        _is_number(each) and 0 < each < float("inf") for each in value.values()
    )


def _are_names(value: Any) -> bool:
    return _is_table(value) and all(map(_is_text, value.values()))


def _is_share(value: Any) -> bool:
    return value is False or (_is_number(value) and 0 <= value < float("inf"))


_Kind = tuple[Callable[[Any], bool], str]

_KINDS: Final[Mapping[str, _Kind]] = {
    "project": (_is_text, "a name"),
    "expectations": (_is_table, "a table of growths by region"),
    "guidelines": (_are_texts, "a list such as ['A <= B + C']"),
    "gate": (_is_table, "a table of rules"),
    "target": (_are_scales, "positive numbers, such as { p = 65536 }"),
    "aliases": (_are_names, "present names by former ones"),
    "import": (_is_table, "tables such as [import.osu]"),
}
_FLAG: Final[_Kind] = (_is_flag, "true or false")
_VALUES: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(("mismatch", "new_mismatch", "growth", "guideline"), _FLAG),
    "constant": (_is_share, "a share such as 0.1, or false"),
    "missing": (lambda value: value in {"undecided", "ignore"}, "undecided or ignore"),
    "oversubscribed": (
        lambda value: value in {"undecided", "accept"},
        "undecided or accept",
    ),
    "smallest_effect": (
        lambda value: _is_number(value) and 0.03 <= value <= 10,
        "a share from 0.03 to 10",
    ),
}
