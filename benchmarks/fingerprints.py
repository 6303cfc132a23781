"""Fingerprints drawn at random: a history ends only where a level moved with a part.

Five regions of a machine are measured at sixty commits, five repetitions at six process
counts, with the noise of a cluster. Each commit lands on a node of a partition: memory
within half a percent, host name, microcode, bogomips, kernel patch, clock, uptime and
serial number drift from one to the next, in names and spellings drawn for each history.
In half of the histories parts that matter change as well, one to three times and
without effect: a compiler, an MPI, a driver, a governor.

Nothing happens in a part of the histories; in others a region becomes 12 % slower at
commit 40 by the code, or by the machine, at the commit at which cores or a CPU model
change. Alone is a project of one region, whose nights nothing else tells.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.results import Results
from benchmarks.truths_history import LEVEL, P, Planted, changed, unchanged

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import find_changes
from scalewatch.modelling.histories.histories import Histories, locations
from scalewatch.modelling.machines.levels import alike_states
from scalewatch.modelling.machines.states import is_same_state

SEED: Final = 20_280_944
HISTORIES: Final = 100
REGIONS: Final = 5
COMMITS, AT, NEAR = 60, 40, 5
SLOWER: Final = 1.12
HALF: Final = 0.5

QUIET: Final = Goal("quiet histories of drifting fingerprints that end", "{}", most=0)
FOUND: Final = Goal(
    "regressions of 12 % found under drifting fingerprints, of 100", "{}", least=95
)

KINDS: Final = ("nothing", "code", "code, alone", "machine")

Facts = dict[str, Any]
Draw = np.random.Generator

_LOG: Final = np.log2(P) / np.log2(P[-1])
_SPACE: Final = pmnf("p")

_DRIFTS: Final[tuple[tuple[tuple[str, ...], Callable[[Draw], object]], ...]] = (
    (("hostname", "host", "node_name", "nodename"), lambda d: f"cn{d.integers(9999)}"),
    (("microcode", "ucode"), lambda d: hex(int(d.integers(2**28)))),
    (("bogomips", "BogoMIPS"), lambda d: float(np.round(d.uniform(4990, 5010), 2))),
    (("kernel", "kernel_release"), lambda d: f"5.14.0-{d.integers(400, 500)}.el9"),
    (("cpu_mhz", "cpuMHz"), lambda d: float(np.round(d.uniform(1800, 3600), 1))),
    (("uptime", "uptime_seconds"), lambda d: int(d.integers(10**7))),
    (("serial_number", "serial"), lambda d: f"S{d.integers(10**9)}"),
    (("boot_id", "machine_id"), lambda d: hex(int(d.integers(2**60)))),
)
"""Parts that drift, by the names that tools give them."""

_PARTS: Final[dict[str, tuple[object, ...]]] = {
    "compiler": ("gcc 12.3", "gcc 13.2", "gcc 14.1", "icx 2024.1"),
    "mpi": ("Open MPI 4.1.6", "Open MPI 5.0.3", "MPICH 4.2.1"),
    "gpu_driver": ("535.104", "550.54", "555.42"),
    "governor": ("performance", "powersave", "schedutil"),
}
"""Parts that matter, and change without an effect."""


def main(results: Results) -> None:
    """Count the histories that end, and those of which the step is found."""
    row = results.table("what happens", "histories that end", "step found", "histories")
    histories = options.series(HISTORIES, 20)
    counts = {}
    for number, kind in enumerate(KINDS):
        draw = np.random.default_rng((SEED, number))
        outcomes = [_history(kind, draw) for _ in range(histories)]
        ended, found = np.sum(outcomes, axis=0).tolist()
        row(kind, ended, "–" if kind == "nothing" else found, histories)
        counts[kind] = ended, found
    results.figure(QUIET, counts["nothing"][0])
    results.figure(FOUND, counts["code"][1] * HISTORIES // histories)


def _history(kind: str, draw: Draw) -> tuple[bool, bool]:
    """Tell whether the history of a region ends, and whether its step is found."""
    level = 1 + draw.choice([0.0, 0.3, 1.0, 3.0]) * _LOG
    others = 0 if kind.endswith("alone") else REGIONS - 1
    values = (
        unchanged(1, COMMITS, draw)
        if kind == "nothing"
        else changed(Planted(kind, LEVEL, level, SLOWER * level), 1, AT, COMMITS, draw)
    )
    log = locations(np.concatenate([values, unchanged(others, COMMITS, draw)]))
    directions = Histories.of(P, log).directions
    states = states_of(fingerprints(draw, has_moved=kind == "machine"))
    first = alike_states(log[0], states, directions, is_exact=False)
    ended = [at for at, state in enumerate(states) if first[state] != first[states[0]]]
    if kind == "machine":
        return bool(ended), bool(ended) and abs(ended[0] - AT) <= NEAR
    since = ended[0] if ended else 0
    if since >= AT:
        return True, False
    shifts = find_changes(Histories.of(P, log[:, since:]), _SPACE)
    places = [s.segments.first + since for s in shifts if s.segments.series == 0]
    return bool(ended), any(abs(place - AT) <= NEAR for place in places)


def fingerprints(draw: Draw, *, has_moved: bool) -> list[Facts]:
    """Return those of a machine at all commits."""
    names = [str(draw.choice(each)) for each, _ in _DRIFTS]
    memory, spelling = draw.choice([64, 256, 512]) * 2**30, draw.integers(3)
    held: Facts = {"cores": 128, "cpu_model": "AMD EPYC 7763", "network": "HDR100"}
    held |= {name: draw.choice(values) for name, values in _PARTS.items()}
    changes = (
        draw.integers(1, COMMITS, draw.integers(1, 4)) if draw.random() < 0.5 else ()
    )
    facts = []
    for commit in range(COMMITS):
        if commit in changes:
            name = str(draw.choice(list(_PARTS)))
            others = [each for each in _PARTS[name] if each != held[name]]
            held = {**held, name: draw.choice(np.array(others, dtype=object))}
        if has_moved and commit == AT:
            renewed = (
                {"cores": 192} if draw.random() < 0.5 else {"cpu_model": "EPYC 9654"}
            )
            held = {**held, **renewed}
        size = memory * draw.uniform(0.9975, 1.0025)
        spelled = [
            {"memory_bytes": int(size)},
            {"MemTotal": f"{size / 1024:.0f} kB"},
            {"memory": f"{size / 2**30:.2f} GiB"},
        ]
        drifting = {
            name: value(draw) for name, (_, value) in zip(names, _DRIFTS, strict=True)
        }
        facts.append({**held, **spelled[spelling], **drifting})
    return facts


def states_of(facts: list[Facts]) -> list[int]:
    """Return the state of each, as the product numbers what it has seen before."""
    known: list[Facts] = []
    states = []
    for each in facts:
        alike = (n for n, held in enumerate(known) if is_same_state(held, each))
        state = next(alike, len(known))
        if state == len(known):
            known.append(each)
        states.append(state + 1)
    return states
