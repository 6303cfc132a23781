"""Compile the collector of events where a compiler is."""

import hashlib
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from platform import machine
from typing import Final

from scalewatch_agent.compilers import compile_source, compiler_in
from scalewatch_agent.folders import make_folder

OPTIONS: Final = ("-O2", "-fPIC", "-shared")


def build_collector(
    folder: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the compiled collector in `folder`, or None where it cannot be had."""
    if not (compiler := compiler_in(environment)):
        return None
    source = files("scalewatch_agent.traces.otf2").joinpath("collector.c").read_bytes()
    mark = hashlib.sha256(source + repr((compiler, OPTIONS, machine())).encode())
    library = make_folder(folder) / f"otf2-{mark.hexdigest()[:16]}.so"
    if library.exists() or not compile_source(compiler, OPTIONS, source, library):
        return library
    return None
