"""Code of `examples`, which is run by its path and belongs to no package."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).parents[2] / "examples"


def module_of(path: str) -> ModuleType:
    """Import a file of `examples`."""
    file = EXAMPLES / path
    name = f"examples.{file.stem}"
    specification = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look there
    specification.loader.exec_module(module)
    return module
