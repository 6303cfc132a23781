"""Whatever a file holds, it is read, or refused by a named error."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import UnreadableFile
from scalewatch.importers.files import read_source
from scalewatch.importers.formats import AUTO, FORMATS
from scalewatch.importers.settings import SettingRules
from scalewatch.importers.source import Source
from support.mutations import TOKENS, mutant
from support.samples import MADE as SAMPLES

AT = {AUTO: SettingRules(at={"q": 8.0})}
"""Where profiles were measured, which do not say so."""


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    content = bytearray(draw(st.sampled_from(sorted(SAMPLES.values()))).encode())
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 12)))
        content[start:end] = draw(st.sampled_from(TOKENS) | st.binary(max_size=6))
    return bytes(content)


@given(
    content=mutated() | st.binary(max_size=60),
    file_format=st.sampled_from(FORMATS),
)
def test_mutated_file_is_read_or_refused_by_name(content, file_format) -> None:
    assert_is_read_or_refused(content, file_format)


def test_thousands_of_mutated_files_are_read_or_refused_by_name(thorough) -> None:
    of_each = 100 if thorough else 34
    draw = random.Random(1)  # noqa: S311 - the same files each time

    outcomes = Counter(
        assert_is_read_or_refused(mutant(SAMPLES[kind].encode(), draw), file_format)
        for kind in SAMPLES
        for file_format in FORMATS
        for _ in range(of_each)
    )

    assert outcomes.total() >= 30 * of_each
    assert min(outcomes[True], outcomes[False]) > 100  # both really happen


def assert_is_read_or_refused(content: bytes, file_format: str) -> bool:
    """Read a file if that can be done, and tell whether it could."""
    source = Source("file", content.splitlines(keepends=True))
    try:
        all_series = read_source(source, file_format, {}, AT).series()
    except UnreadableFile:
        return False
    for series in all_series:
        assert series.region
        assert np.isfinite(series.settings).all()
        assert not np.isinf(series.values).any()
        assert series.settings.shape == (len(series.values), len(series.parameters))
    return True


@pytest.mark.parametrize("kind", SAMPLES)
def test_sample_that_is_mutated_can_be_read_as_it_stands(kind) -> None:
    source = Source("file", SAMPLES[kind].encode().splitlines(keepends=True))

    assert read_source(source, AUTO, {}, AT).series()
