"""Result files of other tools, which lie beside the project and not in it."""

from pathlib import Path

import pytest

IMPORTS = Path(__file__).parents[2].parent / "shared" / "data" / "imports"


def sample(path: str) -> str:
    """Return the path of a result file; skip the test where there is none."""
    found = IMPORTS / path
    if not found.exists():
        pytest.skip(f"the result files of {path} are not beside this checkout")
    return str(found)
