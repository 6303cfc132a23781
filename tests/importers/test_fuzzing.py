"""Mutations of the result files of all tools: read, or refused by a named error."""

import gzip
import io
import re
import signal
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest

from scalewatch.errors import UnreadableFile
from scalewatch.importers.files import read_source
from scalewatch.importers.formats import AUTO
from scalewatch.importers.settings import SettingRules
from scalewatch.importers.source import Source
from support.mutations import mutant, torn
from support.samples import IMPORTS, sample

AT = {AUTO: SettingRules(at={"q": 8.0})}
"""What files leave out that do not say their settings."""

LARGEST = 60_000
"""Bytes of a file that is mutated often."""

FILES_EACH = 3
SECONDS = 10

USUAL, THOROUGH = 30, 1500
"""Mutations of each file."""


FORMATS = sorted(path.name for path in IMPORTS.iterdir()) if IMPORTS.exists() else []


@pytest.mark.parametrize("name", FORMATS or [pytest.param("", marks=pytest.mark.skip)])
def test_mutated_result_is_read_or_refused(name, thorough) -> None:
    draw = Random(name)  # noqa: S311 - the same each time

    outcomes = Counter(
        assert_is_read_or_refused(path.name, mutation(path.read_bytes(), draw))
        for path in readable_files(name)
        for _ in range(THOROUGH if thorough else USUAL)
    )

    assert outcomes[False] > 0  # mutations are no sound files


def readable_files(name: str) -> list[Path]:
    """Return files of a format, the smallest of each kind that can be read."""
    by_kind: dict[tuple[str, str], Path] = {}
    files = [one for one in (IMPORTS / name).rglob("*") if one.is_file()]
    for path in sorted(files, key=lambda one: (one.stat().st_size, str(one))):
        kind = path.suffix, path.relative_to(IMPORTS / name).parts[0]
        if (
            kind not in by_kind
            and path.name != "SOURCE.md"
            and path.stat().st_size <= LARGEST
            and assert_is_read_or_refused(path.name, path.read_bytes())
        ):
            by_kind[kind] = path
    return list(by_kind.values())[:FILES_EACH]


def mutation(content: bytes, draw: Random) -> bytes:
    return draw.choice((mutant, torn))(content, draw)


def assert_is_read_or_refused(name: str, content: bytes) -> bool:
    """Read a file in time if that can be done, and tell whether it could."""
    source = Source(name, content.splitlines(keepends=True))
    with at_most(SECONDS):
        try:
            all_series = read_source(source, AUTO, {}, AT).series()
        except UnreadableFile:
            return False
    for series in all_series:
        assert series.region
        assert np.isfinite(series.settings).all()
        assert not np.isinf(series.values).any()
    return True


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


NUMBER = re.compile(rb"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w.])")
SPOILT_EACH = 40


@pytest.mark.parametrize("name", FORMATS or [pytest.param("", marks=pytest.mark.skip)])
def test_spoilt_number_is_refused_and_never_left_out(name) -> None:
    draw = Random(name)  # noqa: S311 - the same each time
    for path in readable_files(name):
        content = path.read_bytes()
        numbers = list(NUMBER.finditer(content))
        whole = values_of(path.name, content)
        for spoilt in draw.sample(numbers, min(len(numbers), SPOILT_EACH)):
            other = content[: spoilt.start()] + b"?" + content[spoilt.end() :]

            values = values_of(path.name, other)

            assert values is None or values >= whole, spoilt


def values_of(name: str, content: bytes) -> int | None:
    """Return how many values a file holds, None if it, or a part, is refused."""
    source = Source(name, content.splitlines(keepends=True))
    refused: list[UnreadableFile] = []
    try:
        scans = read_source(source, AUTO, {}, AT, refused)
    except UnreadableFile:
        return None
    if refused:
        return None
    return sum(len(each.values) for each in scans.measurements())


COUNTED = {
    "csv": "exacb/made/strong.csv",
    "jube": "jube/generated-2.5.1/result.csv",
    "markdown": "jube/generated-2.5.1/result_pretty.dat",
    "commented-table": "tables/Castro/flame_wave/scaling/summit/scaling_20220430.txt",
    "osu": "osu/hpc-tests/csd3/cclake-ib-gcc9-ompi3-ucx/omb/Osu_mbw_mr__1/"
    "rfm_Osu_mbw_mr__1_job.out",
    "imb": "imb/generated-2021.11/collectives.out",
    "reframe": "reframe/generated-4.10.4/halo_test.log",
    "reframe 3": "reframe/perflog-4.3/SombreroBenchmark.log",
    "lammps": "lammps/lammps-bench/log.16Mar18.eam.4",
    "petsc": "petsc/generated-3.18.5/cg.p2.log",
}
"""Files whose rows can be counted: without such a line there are fewer values."""

ROWS_EACH, CHANGES, MORE_CHANGES = 25, 60, 1500


@pytest.mark.parametrize("name", COUNTED)
def test_rows_read_and_rows_refused_are_all_rows(name, thorough) -> None:
    draw = Random(name)  # noqa: S311 - the same each time
    path = Path(sample(COUNTED[name]))
    lines = path.read_bytes().splitlines(keepends=True)
    whole = values_of(path.name, b"".join(lines))
    held = {
        at: whole - (without(path.name, lines, at) or whole) for at in numbers(lines)
    }
    rows = [at for at, values in held.items() if values > 0]

    for _ in range(MORE_CHANGES if thorough else CHANGES):
        at = draw.choice(rows)
        other = at + 1 if at + 1 in rows else at
        change, told = draw.choice(CHANGES_OF_ROWS)
        changed = [*lines]
        changed[at] = change(lines[at], draw)
        values = values_of(path.name, b"".join(changed))

        assert rows
        assert values in {None, whole + told * held[at]}, (change, lines[at])
        swapped = [*lines]
        swapped[at], swapped[other] = lines[other], lines[at]
        assert values_of(path.name, b"".join(swapped)) in {None, whole}


def numbers(lines: list[bytes]) -> list[int]:
    """Return where lines with numbers stand, not more than can be counted soon."""
    found = [
        at
        for at, line in enumerate(lines)
        # What is left of such a line is one with fewer rates, as others have them.
        if NUMBER.search(line) and not line.startswith(b"Performance:")
    ]
    return found[:: max(1, len(found) // ROWS_EACH)]


def without(name: str, lines: list[bytes], at: int) -> int | None:
    return values_of(name, b"".join([*lines[:at], *lines[at + 1 :]]))


def doubled(line: bytes, _: Random) -> bytes:
    return line + line


def dropped(_: bytes, __: Random) -> bytes:
    return b""


def spoilt(line: bytes, draw: Random) -> bytes:
    """Return a row in which a number is none any more."""
    found = draw.choice([*NUMBER.finditer(line)])
    return line[: found.start()] + b"?" + line[found.end() :]


def shortened(line: bytes, draw: Random) -> bytes:
    """Return a row whose end is lost, but not that of the line."""
    text = line.rstrip()
    return text[: draw.randint(len(text) // 2, len(text) - 1)] + b"\n"


CHANGES_OF_ROWS = [(doubled, 1), (dropped, -1), (spoilt, 0), (shortened, 0)]
"""What happens to a row, and how many more rows there are then."""


@pytest.mark.parametrize("path", ["extrap/single_parameter/mm.x10y1z1.r1"])
def test_mutated_member_of_a_profile_of_cube_is_read_or_refused(path, thorough) -> None:
    draw = Random(path)  # noqa: S311 - the same each time
    content = Path(sample(f"cube/{path}/profile.cubex")).read_bytes()

    outcomes = Counter(
        assert_is_read_or_refused("profile.cubex", with_mutated_member(content, draw))
        for _ in range(THOROUGH if thorough else USUAL)
    )

    assert outcomes[False] > 0


def with_mutated_member(content: bytes, draw: Random) -> bytes:
    """Return an archive that is whole, and one of whose files is mutated inside."""
    changed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(content)) as archive,
        tarfile.open(fileobj=changed, mode="w", format=tarfile.USTAR_FORMAT) as copy,
    ):
        members = [one for one in archive if one.isfile()]
        chosen = draw.choice(members).name
        for member in members:
            stream = archive.extractfile(member)
            held = stream.read() if stream else b""
            if member.name == chosen:
                held = inside(held, draw)
            written = tarfile.TarInfo(member.name)
            written.size = len(held)
            copy.addfile(written, io.BytesIO(held))
    return changed.getvalue()


def inside(held: bytes, draw: Random) -> bytes:
    is_packed = held.startswith(b"\x1f\x8b")
    content = mutation(gzip.decompress(held) if is_packed else held, draw)
    return gzip.compress(content) if is_packed else content
