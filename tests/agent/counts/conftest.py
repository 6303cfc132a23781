from pathlib import Path

import pytest


@pytest.fixture
def workplace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a program is built and counted."""
    monkeypatch.chdir(folder)
    return folder
