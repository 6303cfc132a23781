"""What hostile files posted to the API do to others, and whether any stops a reader.

*Without end*: twelve clients post hostile files of every format and of `auto`, one
after the other, to a server with a worker and two readers: blanks, tabs, brackets and
lines that formats begin with, 100 kB of each, on which expressions that backtrack never
end, and a profile whose (planted) reader holds the interpreter's lock for ever.
Meanwhile two clients ask for `/healthz` and for a page of another project. Then the
server is asked to end, as is one that nobody attacks.

*Mutated*: files as tools write them, in which something was changed, cut, doubled or
repeated up to 60 kB, go by `dry_run=1` to `auto` or to any format, eight at once. Their
readers may take 1 s of a processor, which the kernel counts to less than 2 s, and two
clients ask as above. The files come from the tests and, where they lie beside the
checkout, from the results of all tools. `--part 2/10` posts the second tenth of them.
"""

import io
import json
import random
import signal
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Final

import httpx2
from benchmarks.goals import Goal
from benchmarks.options import asked, usual
from benchmarks.results import Results
from tests.support.builders import sweep
from tests.support.mutations import mutant, torn
from tests.support.samples import IMPORTS, MADE
from tests.support.servers.processes import running

from scalewatch.importers.formats import AUTO, FORMATS

BODIES: Final = 100_000
QUICK_BODIES: Final = 1_000
SECONDS: Final = 120.0
QUICK_SECONDS: Final = 20.0
SEED: Final = 42

ATTACKERS: Final = 12
POSTING: Final = 8
PAUSE: Final = 0.1
PATIENCE: Final = 100.0
ORIGIN: Final = {"project": "code", "commit": "v1", "machine": "m"}
LARGEST: Final = 60_000
"""Bytes of a file that is mutated."""

SPINNING: Final = 'import re\nre.fullmatch("(a+)+b", "a" * 60)\n'
"""The package that reads profiles of CUBE, while it is attacked."""

HEALTH: Final = Goal(
    "`/healthz` while hostile files are posted without end, slowest",
    "{:.2f} s",
    most=2.0,
)
PAGE: Final = Goal("a page of another project meanwhile, slowest", "{:.2f} s", most=3.0)
ENDING: Final = Goal("end of that server after SIGTERM", "{:.1f} s", most=10.0)
STOPPED: Final = Goal(
    "mutated files that take 2 s of a reader, end it or answer 5xx", "{:.0f}", most=0
)
BESIDE: Final = Goal(
    "answers to others later than 3 s while mutated files are read", "{:.0f}", most=0
)


@dataclass
class Answers:
    """Seconds until answers of two addresses, and those that failed."""

    health: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    failed: int = 0

    def late(self, seconds: float) -> int:
        """Return how many answers took longer, or failed."""
        every = (*self.health, *self.page)
        return self.failed + sum(took > seconds for took in every)


def main(results: Results) -> None:
    """Attack a server without end, then post mutated files to another."""
    if asked().part is None:
        _attack(results, usual(SECONDS, QUICK_SECONDS))
    _post_mutated(results)


def _attack(results: Results, seconds: float) -> None:
    results.heading("Without end")
    with _serving({}) as (url, end):
        quiet = end()
    outcomes: Counter[str] = Counter()
    with TemporaryDirectory(prefix="scalewatch-planted-") as folder:
        Path(folder, "pycubexr.py").write_text(SPINNING, "utf-8")
        with _serving({"PYTHONPATH": folder}) as (url, end), _others(url) as answers:
            stopping = Event()
            threads = [
                Thread(target=_attack_on, args=(url, first, stopping, outcomes))
                for first in range(ATTACKERS)
            ]
            for thread in threads:
                thread.start()
            time.sleep(seconds)
            measured = Answers([*answers.health], [*answers.page], answers.failed)
            answered = Counter(outcomes)
            took = end()
            stopping.set()
            for thread in threads:
                thread.join()
    results.say(
        f"{seconds:.0f} s of attack by {ATTACKERS} clients; answers until then: "
        f"{_counts(answered)}. A server that nobody attacks ends within {quiet:.1f} s."
    )
    _tell(results, measured)
    results.figure(HEALTH, max(measured.health, default=PATIENCE))
    results.figure(PAGE, max(measured.page, default=PATIENCE))
    results.figure(ENDING, took)
    if measured.failed:
        results.fail(f"{measured.failed} requests of others were not answered")


def _attack_on(url: str, first: int, stopping: Event, outcomes: Counter[str]) -> None:
    """Post every hostile file again and again, each client from another one on."""
    bodies = list(hostile_files())
    with httpx2.Client(timeout=PATIENCE) as client:
        at = first * len(bodies) // ATTACKERS
        while not stopping.is_set():
            file_format, body = bodies[at % len(bodies)]
            at += 1
            try:
                answer = _post(client, url, file_format, body)
            except httpx2.HTTPError as error:
                outcomes[type(error).__name__] += 1
                stopping.wait(PAUSE)
                continue
            outcomes[_outcome(answer)] += 1
            if answer.status_code == 429:
                stopping.wait(PAUSE)


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Yield formats with files on which a naive reader never ends."""
    size = 100_000
    beginnings = (
        *(" ", "\t", "\n", "[", "{", "(", "|", "#", "=", "-", ":"),
        *("HPCG-Benchmark\n", "mpirun -n ", "# OSU MPI ", "1 ", "a ", "a:", "p,"),
    )
    for file_format in FORMATS:
        for text in beginnings:
            yield file_format, (text * (size // len(text))).encode()
    for _ in range(20):
        yield "cube", _cube()
        yield AUTO, _cube()


def _cube() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("anchor.xml"))
    return held.getvalue()


def _post_mutated(results: Results) -> None:
    results.heading("Mutated")
    part, parts = asked().part or (1, 1)
    number = int(usual(BODIES, QUICK_BODIES))
    chosen = range(part - 1, number, parts)
    files = list(_files())
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    settings = {
        "SCALEWATCH_READER_SECONDS": "1",
        "SCALEWATCH_REQUESTS_PER_MINUTE": "0",
    }
    began = time.monotonic()
    with (
        _serving(settings) as (url, _),
        _others(url) as answers,
        ThreadPoolExecutor(POSTING) as threads,
        httpx2.Client(timeout=PATIENCE) as client,
    ):

        def posted(at: int) -> tuple[str, float]:
            file_format, body = _mutated(files, at)
            start = time.monotonic()
            try:
                outcome = _outcome(_post(client, url, file_format, body))
            except httpx2.HTTPError as error:
                outcome = type(error).__name__
            took = time.monotonic() - start
            if outcome not in {"200", "413", "422"}:
                results.say(f"- file {at} as {file_format}: {outcome}")
            return outcome, took

        for outcome, took in threads.map(posted, chosen):
            outcomes[outcome] += 1
            slowest = max(slowest, took)
    seconds = time.monotonic() - began
    results.say(
        f"{len(chosen):,} mutations of {len(files)} files in {seconds:.0f} s, the "
        f"slowest answered after {slowest:.1f} s. Answers: {_counts(outcomes)}."
    )
    _tell(results, answers)
    stopped = sum(
        count
        for outcome, count in outcomes.items()
        if outcome not in {"200", "413", "422", "429"}
    )
    results.figure(STOPPED, stopped)
    results.figure(BESIDE, answers.late(3.0))
    if stopped:
        results.fail(f"{stopped} of {len(chosen):,} mutated files stop their reader")


def _files() -> Iterator[bytes]:
    """Yield files as tools write them: small ones, and one or some of each tool."""
    for text in MADE.values():
        yield text.encode()
    if not IMPORTS.exists():
        return
    for tool in sorted(IMPORTS.iterdir()):
        by_kind: dict[tuple[str, str], bytes] = {}
        paths = [path for path in tool.rglob("*") if path.is_file()]
        for path in sorted(paths, key=lambda path: (path.stat().st_size, str(path))):
            kind = path.suffix, path.relative_to(tool).parts[0]
            if path.name != "SOURCE.md" and path.stat().st_size <= LARGEST:
                by_kind.setdefault(kind, path.read_bytes())
        yield from by_kind.values()


def _mutated(files: list[bytes], at: int) -> tuple[str, bytes]:
    """Return a format and a mutation, the same for a number each time."""
    draw = random.Random(f"{SEED}/{at}")  # noqa: S311
    content = draw.choice((mutant, mutant, torn, _swollen))(draw.choice(files), draw)
    return draw.choice((AUTO, AUTO, draw.choice(FORMATS))), content


def _swollen(content: bytes, draw: random.Random) -> bytes:
    """Return a file in which a few bytes are repeated, up to 60 kB of them."""
    start = draw.randint(0, len(content))
    piece = content[start : start + draw.choice((1, 2, 5, 15, 80))] or b" "
    if draw.random() < 0.2:
        piece = draw.choice((b" ", b"\t", b"\n", b"0", b"|", b"-"))
    return content[:start] + piece * (LARGEST // len(piece)) + content[start:]


def _post(
    client: httpx2.Client, url: str, file_format: str, body: bytes
) -> httpx2.Response:
    address = f"{url}/api/v1/import/{file_format}"
    return client.post(address, content=body, params={**ORIGIN, "dry_run": "1"})


def _outcome(answer: httpx2.Response) -> str:
    """Return the status of an answer, with the reason where a reader was ended."""
    if answer.status_code != 422:
        return str(answer.status_code)
    kind = json.loads(answer.content)["type"].rpartition(":")[2]
    return f"422 {kind}" if kind.startswith("read") else "422"


@contextmanager
def _serving(
    settings: Mapping[str, str],
) -> Iterator[tuple[str, Callable[[], float]]]:
    """Serve with a worker; give the address, and the seconds until SIGTERM ends it."""
    with TemporaryDirectory(prefix="scalewatch-hostile-") as folder:
        home = {
            "SCALEWATCH_HOME": folder,
            "SCALEWATCH_DATABASE_URL": f"sqlite:///{folder}/scalewatch.db",
        }
        with running(["serve", "--port", "0"], {**home, **settings}) as server:
            if server.stdout is None:
                raise RuntimeError
            url = server.stdout.readline().split()[3]
            httpx2.post(
                f"{url}/api/v1/runs", json=sweep(project="other"), timeout=PATIENCE
            )

            def end() -> float:
                start = time.monotonic()
                server.send_signal(signal.SIGTERM)
                server.wait(PATIENCE)
                return time.monotonic() - start

            yield url, end


@contextmanager
def _others(url: str) -> Iterator[Answers]:
    """Ask for `/healthz` and a page of another project until the end of the block."""
    answers, ending = Answers(), Event()

    def ask(path: str, seconds: list[float]) -> None:
        with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
            while not ending.wait(PAUSE):
                start = time.monotonic()
                try:
                    client.get(path).raise_for_status()
                except httpx2.HTTPError:
                    answers.failed += 1
                    ending.wait(PAUSE)
                    continue
                seconds.append(time.monotonic() - start)

    asking = [
        Thread(target=ask, args=("/healthz", answers.health)),
        Thread(target=ask, args=("/p/other", answers.page)),
    ]
    for thread in asking:
        thread.start()
    try:
        yield answers
    finally:
        ending.set()
        for thread in asking:
            thread.join()


def _tell(results: Results, answers: Answers) -> None:
    row = results.table("answers to others", "number", "median", "slowest")
    for name, seconds in (("/healthz", answers.health), ("/p/other", answers.page)):
        ordered = sorted(seconds) or [PATIENCE]
        middle = ordered[len(ordered) // 2]
        row(name, len(seconds), f"{middle * 1e3:.0f} ms", f"{ordered[-1] * 1e3:.0f} ms")


def _counts(outcomes: Counter[str]) -> str:
    return ", ".join(f"{count:,} of {name}" for name, count in sorted(outcomes.items()))
