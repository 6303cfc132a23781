"""What a store of run reports costs, and whether anything is lost in it.

5,000 commits with ten series at five process counts, three repetitions each, in a
folder: to add them, to make a database of them, to take one commit more into a kept
one, to answer the gate, and to publish the pages without a cache and with one, as
processes of their own. Steps are planted at three commits. The pages of 40 regions on
ten machines are published, and again with one commit more. Then sixteen jobs at once
add to a branch of a bare repository, five times; and histories of other tools are
imported into stores, whose values are counted before and after.
Processor time; beside it, as a multiple of the analysis of 100 series in the same run.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from benchmarks import analysis
from benchmarks.goals import Goal
from benchmarks.options import usual
from benchmarks.results import Results
from tests.support.asv_results import asv_results
from tests.support.exacb_reports import exacb_reports
from tests.support.stored import BEGUN, history, report, sha

from scalewatch.cli.stores import filling
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.stores.store import Store

COMMITS: Final = 5_000
QUICK_COMMITS: Final = 600
REGIONS: Final = 10
STEPS: Final[Mapping[float, tuple[int, float]]] = {
    0.3: (0, 1.1),
    0.5: (1, 1.25),
    0.7: (2, 1.25),
}
"""Regions and factors, by share of the commits that come before."""

WIDE_COMMITS: Final = 400
QUICK_WIDE_COMMITS: Final = 20

JOBS: Final = 16
ROUNDS: Final = 5
SEED: Final = 20261128

GATE: Final = Goal("gate from a store of 5,000 commits, processor", "{:.1f} s", most=10)
MADE: Final = Goal(
    "database from a store of 5,000 commits, processor", "{:.0f} s", most=75
)
PUBLISHED: Final = Goal(
    "site from a store of 5,000 commits, processor", "{:.0f} s", most=75
)
RENEWED: Final = Goal(
    "the same with a cache and one commit more, processor", "{:.0f} s", most=20
)
FILES: Final = Goal("files of that site", "{:.0f}", most=500)
SIZE: Final = Goal("size of that site", "{:.1f} MB", most=20)
MEMORY: Final = Goal("memory while it is written", "{:.0f} MB", most=300)
WIDE: Final = Goal(
    "site of 400 commits × 40 regions × 10 machines, processor", "{:.0f} s", most=230
)
WIDE_RENEWED: Final = Goal(
    "that with a cache and one commit more, processor", "{:.0f} s", most=110
)
WIDE_SIZE: Final = Goal("size of the site of ten machines", "{:.0f} MB", most=130)
WIDE_MEMORY: Final = Goal(
    "memory while the site of ten machines is written", "{:.0f} MB", most=700
)
LOST: Final = Goal("runs lost by 16 jobs at once, five times", "{:.0f}", most=0)


def main(results: Results) -> None:
    """Measure a large store, jobs at once, and histories of other tools."""
    with TemporaryDirectory() as folder:
        _large(results, Path(folder))
        _wide(results, Path(folder))
        _at_once(results, Path(folder))
        _histories(results, Path(folder))


def _large(results: Results, folder: Path) -> None:
    commits = int(usual(COMMITS, QUICK_COMMITS))
    steps = {int(share * commits): step for share, step in STEPS.items()}
    unit = _analysis_of_100()
    where = folder / "store"
    row = results.table("what", "processor", "of 100 series' analysis", "remarks")

    def cost(what: str, seconds: float, remark: str) -> None:
        row(what, f"{seconds:.1f} s", f"{seconds / unit:.0f} ×", remark)

    lines = [*history(commits + 1, regions=REGIONS, steps=steps)]
    last = [line for line in lines if sha(commits).encode() in line[:400]]
    drawn = time.process_time()
    Store.at(str(where)).add(line for line in lines if line not in set(last))
    added = time.process_time() - drawn
    size = sum(file.stat().st_size for file in where.rglob("*.jsonl"))
    cost("add", added, f"{commits:,} files, {size / 1e6:.0f} MB")
    cache = folder / "kept.db"
    seconds, changed = _filled(where, cache)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    cost("make a database", seconds, f"{peak:.0f} MB of memory, lines drawn among them")
    planted = [sha(at) for at in steps]
    results.say(
        f"Steps planted: {len(planted)}; found at their commit: "
        f"{sum(each in changed for each in planted)}; all regressions: {len(changed)}."
    )
    site = folder / "site"
    options = ("--store", where, "--out", site, "--cache", folder / "site.db")
    published, memory = _command("publish", *options)
    names = [file for file in site.rglob("*") if file.is_file()]
    megabytes = sum(file.stat().st_size for file in names) / 1e6
    remark = f"{len(names)} files, {megabytes:.1f} MB; {memory:.0f} MB of memory"
    cost("publish", published, remark)
    Store.at(str(where)).add(last)
    more, _ = _filled(where, cache)
    cost("one commit more", more, "on the kept database")
    renewed, _ = _command("publish", *options)
    cost("publish again", renewed, "with its cache, one commit more")
    gate, _ = _command("gate", "--store", where, "--commit", sha(commits))
    cost("answer the gate", gate, "a process of its own, 120 commits read")
    if commits == COMMITS:
        results.figure(MADE, seconds)
        results.figure(GATE, gate)
        results.figure(PUBLISHED, published)
        results.figure(RENEWED, renewed)
        results.figure(FILES, len(names))
        results.figure(SIZE, megabytes)
        results.figure(MEMORY, memory)


def _wide(results: Results, folder: Path) -> None:
    """Publish 40 regions on ten machines, and again with one commit more."""
    commits = int(usual(WIDE_COMMITS, QUICK_WIDE_COMMITS))
    where, site = folder / "wide", folder / "wide-site"
    store, draw = Store.at(str(where)), np.random.default_rng(SEED)
    results.heading(f"{commits} commits × 40 regions × 10 machines")
    row = results.table("what", "processor", "files", "size", "memory")
    options = ("--store", where, "--out", site, "--cache", folder / "wide.db")
    seconds = []
    for what, come in {
        "publish": range(commits),
        "again with one commit more": range(commits, commits + 1),
    }.items():
        store.add(_of_wide(come, draw))
        used, memory = _command("publish", *options, "--commits", "10")
        seconds.append(used)
        sizes = [each.stat().st_size for each in site.rglob("*") if each.is_file()]
        size = sum(sizes) / 1e6
        row(
            what,
            f"{seconds[-1]:.0f} s",
            len(sizes),
            f"{size:.0f} MB",
            f"{memory:.0f} MB",
        )
    if commits == WIDE_COMMITS:
        results.figure(WIDE, seconds[0])
        results.figure(WIDE_RENEWED, seconds[1])
        results.figure(WIDE_SIZE, size)
        results.figure(WIDE_MEMORY, memory)


def _of_wide(commits: Iterable[int], draw: np.random.Generator) -> Iterator[bytes]:
    """Yield the runs of commits on ten machines; a region in ten once steps by 20 %."""
    for number in commits:
        for machine in range(10):
            for p in (2, 4, 8, 16, 32):
                yield report(
                    number,
                    p,
                    {
                        f"region{at:02}": (
                            (1 + at)
                            * (1 + machine / 10)
                            * (p if at % 4 == 3 else 1 + np.log2(p))
                            * (1.2 if at % 10 == 0 and number > 10 * at + 50 else 1)
                            * np.exp(draw.normal(0, 0.01, 3))
                        ).tolist()
                        for at in range(40)
                    },
                    machine=f"machine{machine}",
                    job=f"job{number}-{machine}",
                )


def _analysis_of_100() -> float:
    """Return the processor seconds of the first analysis of 100 series."""
    p, values = analysis._measurements(100)  # noqa: SLF001 - the same batch
    with TemporaryDirectory() as folder:
        sessions = analysis._database(Path(folder) / "a.db", p, values)  # noqa: SLF001
        return analysis._best(  # noqa: SLF001
            partial(analysis._analysed_first, sessions)  # noqa: SLF001
        )


def _filled(where: Path, cache: Path) -> tuple[float, set[str]]:
    """Make or renew a database; return seconds and first commits of regressions."""
    begun = time.process_time()
    contents = Store.at(str(where)).contents()
    with filling.filled(contents, cache=cache) as (sessions, _):
        seconds = time.process_time() - begun
        with sessions.reading() as session:
            known = regressions_of(session, "hydro").regressions
            return seconds, {each.first.sha for each in known}


COMMAND: Final = """
import atexit, sys
from scalewatch.cli import main
# Not its rusage: that begins with what the process that forked it had.
atexit.register(lambda: sys.stderr.write(open("/proc/self/status").read()))
main()
"""


def _command(*words: object) -> tuple[float, float]:
    """Return the processor seconds and the megabytes of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode not in {0, 1, 2}:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = done.stderr.rpartition("VmHWM:")[2].split(maxsplit=1)[0]
    return seconds, int(peak) / 1e3


def _add(place: tuple[str, int]) -> float:
    where, job = place
    begun = time.monotonic()
    Store.at(where).add(
        report(1, p, {"solve": [float(job)]}, job=str(job)) for p in (2, 4, 8)
    )
    return time.monotonic() - begun


def _at_once(results: Results, folder: Path) -> None:
    results.heading("Sixteen jobs at once")
    row = results.table("round", "files", "runs", "slowest job", "all of them")
    lost = 0
    for number in range(ROUNDS):
        remote = folder / f"remote{number}"
        subprocess.run(
            ["git", "init", "--quiet", "--bare", str(remote)],  # noqa: S607
            check=True,
        )
        where = f"branch:results@{remote}"
        begun = time.monotonic()
        with ProcessPoolExecutor(JOBS) as pool:
            seconds = [*pool.map(_add, [(where, job) for job in range(JOBS)])]
        whole = time.monotonic() - begun
        files, runs = Store.at(where).check(lambda fault: results.say(str(fault)))
        lost += 3 * JOBS - runs
        row(number + 1, files, runs, f"{max(seconds):.1f} s", f"{whole:.1f} s")
    results.figure(LOST, lost)


def _histories(results: Results, folder: Path) -> None:
    results.heading("Histories of other tools")
    row = results.table("tool", "values", "in the store", "said")
    draw = np.random.default_rng(SEED)
    for tool, write in {
        "asv": _asv,
        "exaCB": lambda place, _: exacb_reports(place, 100, failing=[7]),
        "github-action-benchmark": _data_js,
        "pytest-benchmark": _pytest_storage,
    }.items():
        place = folder / tool
        place.mkdir()
        number = write(place, draw)
        where = folder / f"{tool}.store"
        command = [sys.executable, "-c", "from scalewatch.cli import main; main()"]
        options = ["import", str(place), "--project", "x"]
        if tool not in {"asv", "exaCB"}:  # which name their machines
            options += ["--machine", "ci"]
        done = subprocess.run(
            [*command, *options, "--store", str(where)],
            check=False,
            capture_output=True,
            text=True,
        )
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[0]
        row(tool, number, _values(where), said.removesuffix(f": {where}"))


def _values(where: Path) -> int:
    runs: Iterator[dict[str, Any]] = (
        json.loads(line)
        for file in (where / "runs").rglob("*.jsonl")
        for line in file.read_bytes().splitlines()
    )
    return sum(len(e.get("values", ())) for run in runs for e in run["results"])


def _moment(number: int) -> str:
    return (BEGUN + timedelta(days=number)).isoformat()


def _asv(place: Path, _: np.random.Generator) -> int:
    """Write asv's results of 100 commits with six benchmarks at eight settings."""
    asv_results(place, 100, lambda number, p: (1 + number / 1000) / p)
    return 100 * 6 * 8


def _data_js(place: Path, draw: np.random.Generator) -> int:
    """Write `data.js` of 200 commits with 20 benchmarks; return its values."""
    entries = [
        {
            "commit": {
                "id": sha(number),
                "timestamp": _moment(number),
                "message": f"Change {number}",
            },
            "date": 1_735_700_000_000 + number * 86_400_000,
            "tool": "cargo",
            "benches": [
                {"name": f"bench_{at}", "value": float(draw.lognormal()), "unit": "ns"}
                for at in range(20)
            ],
        }
        for number in range(200)
    ]
    content = json.dumps({"lastUpdate": 1, "repoUrl": "", "entries": {"b": entries}})
    (place / "data.js").write_text(f"window.BENCHMARK_DATA = {content}")
    return 200 * 20


def _pytest_storage(place: Path, draw: np.random.Generator) -> int:
    """Write pytest-benchmark's storage of 50 commits; return its values."""
    folder = place / "Linux-CPython-3.11-64bit"
    folder.mkdir()
    for number in range(50):
        moment = _moment(number)
        content = {
            "machine_info": {"node": "ci", "cpu": {"brand_raw": "x"}},
            "commit_info": {
                "id": sha(number),
                "time": moment,
                "branch": "main",
                "dirty": False,
            },
            "datetime": moment,
            "version": "5.1.0",
            "benchmarks": [
                {
                    "name": f"test_{at}",
                    "fullname": f"tests/test_x.py::test_{at}",
                    "group": None,
                    "params": None,
                    "extra_info": {},
                    "options": {},
                    "stats": {"data": draw.lognormal(size=5).tolist(), "rounds": 5},
                }
                for at in range(10)
            ],
        }
        (folder / f"{number:04}_{sha(number)}.json").write_text(json.dumps(content))
    return 50 * 10 * 5
