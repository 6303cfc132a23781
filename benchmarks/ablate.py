"""Whether each assumption earns its place: what falls where it says nothing.

Rooms of the modelling core keep their numbers in a ledger, `Assumptions`; an assumption
of it is set to its neutral value, see `neutral.py`, and everything that its room takes
part in is measured again on the same series; so it is with each mechanism switched off.
A row *changes* where the bootstrap interval at 99 % of the mean difference, over series
that have a number in both, excludes zero. Where none does, the assumption decides
nothing here: it is to be deleted, or to get a row that shows it.

Rows are measured curves (`real`); generated ones by themselves and with learned noise
(`curves`), constants among them (`constants`); textbook functions as exact and rounded
counts (`counts`), with one count that is off (`lost`), and with noise (`textbook`); two
parameters (`surfaces`) and two versions (`versions`). A number gives the series of a
cell; `--rooms exact_counts,margin` are rooms and assumptions.
"""

import ast
import multiprocessing
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from importlib import import_module
from inspect import cleandoc, getsource
from pkgutil import walk_packages
from typing import Any, Final

import numpy as np
from benchmarks import options
from benchmarks.ablated_rows import KINDS, SEED, Rows
from benchmarks.neutral import MECHANISMS, NEUTRAL
from benchmarks.results import Results

import scalewatch.modelling

RESAMPLED: Final = 1000
CERTAIN: Final = 0.99
PROCESSES: Final = 2

CURVES: Final = ("real", "curves", "constants", "textbook")
KINDS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "exact_counts": ("counts", "lost"),
    "versions": ("versions",),
    "rules.several_parameters": ("surfaces", "textbook surfaces"),
    "rules.evidence": CURVES,
    "noise.learn": ("curves", "constants"),
}
"""Kinds of rows that a room takes part in."""


def main(results: Results) -> None:
    """Print the ledger, and what falls without each assumption."""
    only = set(options.asked().rooms.split(","))
    chosen = [
        (room, name)
        for table in (NEUTRAL, MECHANISMS)
        for room, neutral in table.items()
        for name in neutral
        if only & {"", room, name}
    ]
    kinds = sorted({kind for room, _ in chosen for kind in KINDS_OF[room]})
    cases = [(kind, None, None) for kind in kinds]
    cases += [(kind, *each) for each in chosen for kind in KINDS_OF[each[0]]]
    with ThreadPoolExecutor(PROCESSES) as pool:
        measured = dict(zip(cases, pool.map(_apart, cases), strict=True))
    results.say(f"{len(chosen)} assumptions, {len(kinds)} kinds of rows.")
    row = results.table("assumption", "value", "neutral", "changes", "meaning", words=5)
    for room, name in chosen:
        changed = [
            f"{kind}: {change}"
            for kind in KINDS_OF[room]
            for change in _changes(
                measured[kind, None, None], measured[kind, room, name]
            )
        ]
        if name in MECHANISMS.get(room, {}):
            values, meaning = ("on", "off"), MECHANISMS[room][name].meaning
        else:
            assumed = ledgers()[room]
            meaning = meanings(assumed)[name]
            values = getattr(assumed, name), NEUTRAL[room][name]
        row(f"{room}.{name}", *values, "; ".join(changed) or "**none**", meaning)


def ledgers() -> dict[str, Any]:
    """Return what each room assumes, by the name of the room."""
    package = scalewatch.modelling
    prefix = f"{package.__name__}."
    ledgers = {}
    for each in walk_packages(package.__path__, prefix):
        module = import_module(each.name)
        assumed = getattr(module, "ASSUMED", None)
        if assumed is not None and type(assumed).__module__ == module.__name__:
            room = each.name.removeprefix(prefix).removesuffix(".assumptions")
            ledgers[room] = assumed
    return ledgers


def meanings(assumed: Any) -> dict[str, str]:
    """Return the docstrings of the fields of a ledger; all of them have one."""
    (body,) = ast.parse(getsource(type(assumed))).body
    assert isinstance(body, ast.ClassDef)
    texts: dict[str, str] = {}
    for line, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            assert isinstance(following, ast.Expr), line.target.id
            text = ast.literal_eval(following.value)
            texts[line.target.id] = " ".join(cleandoc(text).split())
    assert set(texts) == {each.name for each in fields(assumed)}
    return texts


def _apart(case: tuple[str, str | None, str | None]) -> Rows:
    """Measure in a process of its own: caches hold what follows from assumptions."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(theirs, *case))
    process.start()
    theirs.close()
    rows: Rows | Exception = ours.recv()
    process.join()
    if isinstance(rows, Exception):
        return {f"{type(rows).__name__}: {rows}": np.array([np.nan])}
    return rows


def _measure(answer: Any, kind: str, room: str | None, name: str | None) -> None:
    """Send the rows of a kind, or the error that ends it."""
    if room is not None and name is not None:
        mechanism = MECHANISMS.get(room, {}).get(name)
        if mechanism:
            prefix = scalewatch.modelling.__name__
            module = import_module(f"{prefix}.{mechanism.module}")
            setattr(module, mechanism.attribute, mechanism.off)
        else:
            object.__setattr__(ledgers()[room], name, NEUTRAL[room][name])
    try:
        rows: Rows | Exception = KINDS[kind](options.series(24, quick=6))
    except Exception as error:  # noqa: BLE001, an assumption may be indispensable
        rows = error
    answer.send(rows)


def _changes(before: Rows, after: Rows) -> Iterator[str]:
    """Yield the rows that change by more than chance, as text."""
    if before.keys() != after.keys():
        yield from after
        return
    rng = np.random.default_rng(SEED)
    for name, old in before.items():
        new = after[name]
        if np.array_equal(old, new, equal_nan=True):
            continue
        moved = (new - old)[~np.isnan(new - old)]
        if not len(moved):
            continue
        drawn = moved[rng.integers(len(moved), size=(RESAMPLED, len(moved)))]
        chance = (1 - CERTAIN) / 2
        low, high = np.quantile(drawn.mean(axis=1), [chance, 1 - chance])
        if low > 0 or high < 0:
            yield f"{name} {np.nanmean(old):.3f} → {np.nanmean(new):.3f}"
