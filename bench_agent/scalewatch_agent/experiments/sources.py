"""A digest of the source files in a folder, by which builds and jobs are told apart.

Only what people write and compilers, interpreters or build tools read counts, so that
outputs, logs and data beside the sources change nothing.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_COMPILED: Final = (
    "c cc cpp cxx c++ h hh hpp hxx h++ inc inl cu cuh cl hip m mm s asm d"
)
_FORTRAN: Final = "f for ftn f77 f90 f95 f03 f08"
_OTHERS: Final = (
    "py pyx pxd pyi jl rs go java kt scala swift zig chpl lua pl rb r sh bash"
)
_BUILD: Final = "cmake mk make am ac in m4 bzl toml cfg patch diff"
SUFFIXES: Final = frozenset(f"{_COMPILED} {_FORTRAN} {_OTHERS} {_BUILD}".split())
"""Suffixes of source and build files, in lower case."""

NAMES: Final = frozenset({"makefile", "gnumakefile", "cmakelists.txt", "meson.build"})
SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages"})

MOST_FILES: Final = 20_000
MOST_ENTRIES: Final = 200_000
MOST_BYTES: Final = 256 * 2**20
"""A folder with more is no source tree, but somebody's home."""


def sources_digest(folder: Path) -> str | None:
    """Return a digest of the names and contents of the source files below `folder`.

    None if it holds none, or too many to be a source tree.
    """
    digest = hashlib.sha256()
    files, size = 0, 0
    for path in _sources(folder):
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:  # gone since, or of somebody else: no build reads it either
            continue
        files, size = files + 1, size + len(content)
        if files > MOST_FILES or size > MOST_BYTES:
            return None
        name = os.fsencode(path.relative_to(folder))
        digest.update(b"%d %d " % (len(name), len(content)) + name + content)
    return digest.hexdigest()[:16] if files else None


def _sources(folder: Path) -> Iterator[Path | None]:
    """Yield source files in a fixed order, and None if there is too much to look at."""
    seen = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_walked(Path(root, name)))
        seen += len(folders) + len(names)
        if seen > MOST_ENTRIES:
            yield None
        for name in sorted(names):
            path = Path(root, name)
            if _is_source(name) and path.is_file():
                yield path


def _is_walked(folder: Path) -> bool:
    """Leave out what is hidden or made: sweeps, caches, environments."""
    name = folder.name
    is_made = name in SKIPPED or name.endswith(".sweep")
    return not (name.startswith(".") or is_made or (folder / "pyvenv.cfg").exists())


def _is_source(name: str) -> bool:
    stem, _, suffix = name.lower().rpartition(".")
    return (bool(stem) and suffix in SUFFIXES) or name.lower() in NAMES
