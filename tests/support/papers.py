"""Sections of proposals that `scalewatch report` wrote."""

import json
from importlib.util import find_spec

import pytest

NEEDS_EXTRA = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("matplotlib", "typst", "docx")),
    reason="the extra report is not installed",
)


def content(report):
    """Return the numbers of a section, as its JSON has them."""
    return json.loads((report.out / "report.json").read_text())
