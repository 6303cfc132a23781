"""The child process that reads an archive: a crash of libotf2 ends only this one.

Called with the anchor file, a folder for what is read, the collector compiled from C
(or nothing), and the largest memory and file in bytes. It starts with each archive,
hence without NumPy.
"""

import sys
from pathlib import Path
from typing import Final

from scalewatch_agent.traces.limited import Refused, limit, refuse, say
from scalewatch_agent.traces.otf2.library import Archive, library_path

DEFINITIONS: Final = "definitions.json"
MOST_LOCATIONS: Final = 65_536


def calls_file(folder: Path, location: int) -> Path:
    """Return the file with the calls of a location."""
    return folder / f"{location}.calls"


def main(anchor: str, folder: str, collector: str, memory: str, size: str) -> None:
    """Read an archive into a folder."""
    limit(int(memory), int(size))
    try:
        _read(Path(anchor), Path(folder), Path(collector) if collector else None)
    except Refused as why:
        sys.exit(say(str(why)))
    except MemoryError:
        sys.exit(say("it needs too much memory"))
    except OSError as error:
        sys.exit(say(error.strerror or str(error)))


def _read(anchor: Path, folder: Path, collector: Path | None) -> None:
    library = library_path()
    if library is None:
        refuse("the package otf2 is not installed")
    archive = Archive(library, anchor)
    archive.read_definitions()
    ranks = archive.definitions.ranks()
    if not ranks:
        refuse("its definitions name no process")
    if len(ranks) > MOST_LOCATIONS:
        refuse(f"{len(ranks):,} processes are too many")
    archive.select(ranks)
    for location in ranks:
        archive.write_calls(location, calls_file(folder, location), collector)
    archive.definitions.save(folder / DEFINITIONS)


if __name__ == "__main__":
    main(*sys.argv[1:])
