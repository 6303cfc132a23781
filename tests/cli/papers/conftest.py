"""Reports of files, as a user has them written."""

import pytest
from click.testing import CliRunner

from scalewatch.cli import main


@pytest.fixture
def report(tmp_path, monkeypatch):
    """Return a function that reports a file, and returns how that went."""
    monkeypatch.chdir(tmp_path)

    def report(text, *options, name="times.csv"):
        (tmp_path / name).write_text(text)
        arguments = ["report", name, "--for", "proposal", "--output", "out", *options]
        return CliRunner().invoke(main, arguments, catch_exceptions=False)

    report.out = tmp_path / "out"
    return report
