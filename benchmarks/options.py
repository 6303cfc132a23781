"""What the command line says to the benchmarks."""

from argparse import ArgumentParser, Namespace
from functools import cache
from pathlib import Path
from typing import Final

BENCHMARKS: Final = (
    "throughput",
    "analysis",
    "accuracy",
    "calibration",
    "other_classes",
    "real",
    "textbook",
    "agreement",
    "two_parameters",
    "several_terms",
    "versions",
    "gate",
    "scaling",
    "agent",
    "disturbed",
    "counting",
    "tracing",
    "delivery",
    "imports",
    "hostile_imports",
    "history",
    "histories",
    "history_speed",
    "nights",
    "night_gates",
    "suspects",
    "fingerprints",
    "efficiency",
    "growth",
    "partitions",
    "server",
    "faults",
    "queue_turns",
    "stores",
    "reads",
    "pages",
    "ablate",
    "house",
)

SCOREBOARD: Final = "scoreboard"


@cache
def asked() -> Namespace:
    """Return the options: `names` and `series` asked for, whether all is measured.

    Only what measures all (`is_whole`) takes the place of what was measured before.
    """
    parser = ArgumentParser(
        prog="python -m benchmarks",
        description="Measure, print, and write benchmarks/results: all unless named.",
        epilog=f"Names: {', '.join(BENCHMARKS)}; {SCOREBOARD} only puts the scoreboard "
        "of benchmarks/README.md together.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "asked",
        nargs="*",
        metavar="NAME | SERIES",
        help="what to run; or how many series, trials or requests a cell has",
    )
    parser.add_argument(
        "--quick", action="store_true", help="few of everything, only printed"
    )
    textbook = parser.add_argument_group("textbook, only printed")
    textbook.add_argument(
        "--seed", type=int, action="append", help="instead of its own"
    )
    textbook.add_argument("--repetitions", type=int, help="of each setting")
    textbook.add_argument("--noise", action="append", help="one of its noises")
    textbook.add_argument("--functions", action="store_true", help="one by one, too")
    server = parser.add_argument_group("server, only printed")
    server.add_argument("--seconds", type=float, help="how long agents post")
    faults = parser.add_argument_group("faults, only printed; has --seed, too")
    faults.add_argument("--minutes", type=float, help="how long things break")
    hostile = parser.add_argument_group("hostile_imports, only printed")
    hostile.add_argument("--part", type=_part, help="a part of the files, as 2/10")
    reads = parser.add_argument_group("reads, only printed but for --requests")
    reads.add_argument("--measurements", type=int, help="how many the store has")
    reads.add_argument("--database", choices=("sqlite", "postgresql"), action="append")
    reads.add_argument("--requests", type=int, default=50, help="of each address")
    reads.add_argument("--only", default="", help="rows whose names contain it")
    ablate = parser.add_argument_group("ablate, only printed")
    ablate.add_argument("--rooms", default="", help="these alone, or assumptions")
    growth = parser.add_argument_group("growth")
    growth.add_argument(
        "--table", type=Path, help="write every time there, for `scalewatch import`"
    )
    house = parser.add_argument_group("house, only printed")
    house.add_argument("--root", type=Path, help="another checkout")
    found = parser.parse_intermixed_args()
    numbers = [int(word) for word in found.asked if word.isdecimal()]
    found.series = numbers[0] if numbers else None
    names = [word for word in found.asked if not word.isdecimal()] or BENCHMARKS
    found.names = [name for name in names if name != SCOREBOARD]
    partly = (found.quick, found.seconds, found.measurements, found.database)
    drawn = (found.part, found.seed, found.repetitions, found.noise, found.functions)
    found.is_whole = not any(
        (*partly, found.minutes, found.only, found.root, found.rooms, *drawn)
    )
    if unknown := [name for name in found.names if name not in BENCHMARKS]:
        parser.error(f"no script {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    return found


def _part(text: str) -> tuple[int, int]:
    """Return which part of how many is meant."""
    part, _, parts = text.partition("/")
    return int(part), int(parts)


def series(thorough: int, quick: int) -> int:
    """Return how many series a cell has: the number given, or `quick` by --quick."""
    given: int | None = asked().series
    return int(usual(thorough, quick)) if given is None else given


def usual(thorough: float, quick: float) -> float:
    """Return a number that nobody gave."""
    return quick if asked().quick else thorough
