"""Mutations of the result files of all tools: read, or refused by a named error."""

import re
import signal
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
from support.samples import IMPORTS

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
