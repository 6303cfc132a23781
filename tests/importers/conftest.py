from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def write_file(text: str | bytes, name: str = "measurements") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write_file
