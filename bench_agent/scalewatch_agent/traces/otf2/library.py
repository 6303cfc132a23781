"""The child process that reads an archive: a crash of libotf2 ends only this one.

Called with the anchor file, a folder for what is read, the collector compiled from C
(or nothing), and the largest memory and file in bytes. It starts with each archive,
hence without NumPy. The wheel `otf2` brings libotf2; what is called here is its stable
C interface.
"""

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.traces.limited import Refused, limit, refuse, say
from scalewatch_agent.traces.otf2.definitions import Definitions
from scalewatch_agent.traces.otf2.interpreted import Collector

PACKAGE: Final = "_otf2"

_U8, _U32, _U64 = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64
_POINTER, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_HEAD: Final = (_U64, _U64, _U64, _POINTER, _POINTER)
_ARGUMENTS: Final = {
    "on_enter": (_U32,),
    "on_leave": (_U32,),
    "on_send": (_U32, _U32, _U32, _U64),
    "on_isend": (_U32, _U32, _U32, _U64, _U64),
    "on_sent": (_U64,),
    "on_receive": (_U32, _U32, _U32, _U64),
    "on_post": (_U64,),
    "on_complete": (_U32, _U32, _U32, _U64, _U64),
    "on_collective": (_U8, _U32, _U32, _U64, _U64),
    "on_started": (_U64,),
    "on_completed": (_U8, _U32, _U32, _U64, _U64, _U64),
    "on_parameter": (_U32, _U64),
    "on_begin": (_U32, _U32, _POINTER),
    "on_end": (ctypes.c_int64,),
}
"""Arguments after the head of each callback, as in the collector in C."""

CALLBACKS: Final = {
    "Enter": "on_enter",
    "Leave": "on_leave",
    "MpiSend": "on_send",
    "MpiIsend": "on_isend",
    "MpiIsendComplete": "on_sent",
    "MpiRecv": "on_receive",
    "MpiIrecvRequest": "on_post",
    "MpiIrecv": "on_complete",
    "MpiCollectiveEnd": "on_collective",
    "NonBlockingCollectiveRequest": "on_started",
    "NonBlockingCollectiveComplete": "on_completed",
    "ParameterUnsignedInt": "on_parameter",
    "ProgramBegin": "on_begin",
    "ProgramEnd": "on_end",
}
"""Functions of a collector by what libotf2 calls them for."""

_RETURNING: Final = (
    "OTF2_Reader_Open",
    "OTF2_Reader_GetGlobalDefReader",
    "OTF2_GlobalDefReaderCallbacks_New",
    "OTF2_Reader_GetDefReader",
    "OTF2_Reader_GetEvtReader",
    "OTF2_EvtReaderCallbacks_New",
)
"""Functions that return a pointer."""


def library_path() -> Path | None:
    """Return libotf2 of the wheel, None where that is not installed."""
    specification = importlib.util.find_spec(PACKAGE)
    if specification is None or specification.origin is None:
        return None
    return next(Path(specification.origin).parent.glob(f"{PACKAGE}*.so"), None)


class Archive:
    """An archive that is read."""

    def __init__(self, library: Path, anchor: Path) -> None:
        """Open the archive of an anchor file."""
        self.library = ctypes.CDLL(str(library))
        for name in _RETURNING:
            getattr(self.library, name).restype = _POINTER
        self.definitions = Definitions()
        self._callbacks: list[Any] = []
        self.reader = _POINTER(self.library.OTF2_Reader_Open(str(anchor).encode()))
        if not self.reader:
            refuse("it is no archive of OTF2")
        self._do("SetSerialCollectiveCallbacks")

    def read_definitions(self) -> None:
        """Read the definitions of all locations."""
        definitions = self.definitions
        strings, regions, locations = (
            definitions.strings,
            definitions.regions,
            definitions.locations,
        )
        groups, communicators = definitions.groups, definitions.communicators
        parameters = definitions.parameters

        def note(known: dict[int, Any], number: int, value: Any) -> int:
            if known.get(number, value) != value:
                definitions.repeated += 1
            known[number] = value
            return 0

        def clock(_: Any, resolution: int, offset: int, _length: int, _at: int) -> int:
            definitions.resolution, definitions.offset = resolution, offset
            return 0

        reader = _POINTER(self.library.OTF2_Reader_GetGlobalDefReader(self.reader))
        callbacks = _POINTER(self.library.OTF2_GlobalDefReaderCallbacks_New())
        if not reader or not callbacks:
            refuse("its definitions cannot be opened")
        for name, arguments, function in (
            ("ClockProperties", (_U64, _U64, _U64, _U64), clock),
            (
                "String",
                (_U32, _TEXT),
                lambda _, n, text: note(
                    strings, n, (text or b"").decode("utf-8", "replace")
                ),
            ),
            (
                "Region",
                (_U32, _U32, _U32, _U32, _U8, _U8, _U32, _U32, _U32, _U32),
                lambda _, n, name, _c, _d, _r, _p, _f, file, line, _e: note(
                    regions, n, (name, file, line)
                ),
            ),
            (
                "Location",
                (_U64, _U32, _U8, _U64, _U32),
                lambda _, n, _name, kind, events, group: note(
                    locations, n, (group, kind, events)
                ),
            ),
            (
                "Group",
                (_U32, _U32, _U8, _U8, _U32, _U32, ctypes.POINTER(_U64)),
                lambda _, n, _name, kind, paradigm, _f, count, members: note(
                    groups, n, (kind, paradigm, tuple(members[:count]))
                ),
            ),
            (
                "Comm",
                (_U32, _U32, _U32, _U32, _U32),
                lambda _, n, _name, group, _parent, _f: note(communicators, n, group),
            ),
            (
                "Parameter",
                (_U32, _U32, _U8),
                lambda _, n, name, _kind: note(parameters, n, name),
            ),
        ):
            kind = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, *arguments)
            self._set(
                f"OTF2_GlobalDefReaderCallbacks_Set{name}Callback",
                callbacks,
                kind(function),
            )
        self._do("RegisterGlobalDefCallbacks", reader, callbacks, None)
        self._do("ReadAllGlobalDefinitions", reader, ctypes.byref(_U64()))

    def select(self, locations: list[int]) -> None:
        """Open the events of locations, with the local definitions where there are."""
        for location in locations:
            self._do("SelectLocation", _U64(location))
        has_local = self.library.OTF2_Reader_OpenDefFiles(self.reader) == 0
        self._do("OpenEvtFiles")
        for location in locations if has_local else ():
            reader = self.library.OTF2_Reader_GetDefReader(self.reader, _U64(location))
            if reader:
                self._do(
                    "ReadAllLocalDefinitions", _POINTER(reader), ctypes.byref(_U64())
                )
                self._do("CloseDefReader", _POINTER(reader))

    def write_calls(self, location: int, made: Path, collector: Path | None) -> None:
        """Write the calls of MPI of a location to a file."""
        functions = sorted(self.definitions.functions_of_mpi())
        sizes = self.definitions.sizes()
        if collector is None:
            self._interpret(location, Collector(made, frozenset(functions), sizes))
            return
        compiled = ctypes.CDLL(str(collector))
        compiled.collector_open.restype = _POINTER
        table = (_U32 * len(functions))(*functions)
        opened = compiled.collector_open(
            str(made).encode(), table, _U64(len(functions)), _U32(sizes)
        )
        if not opened:
            refuse("nothing can be written")
        callbacks = {name: getattr(compiled, name) for name in CALLBACKS.values()}
        self._read_events(location, callbacks, _POINTER(opened))
        if compiled.collector_close(_POINTER(opened)):
            refuse("nothing can be written")

    def _interpret(self, location: int, collector: Collector) -> None:
        functions = {
            name: ctypes.CFUNCTYPE(ctypes.c_int, *_HEAD, *_ARGUMENTS[name])(
                _without_head(function)
            )
            for name, function in collector.callbacks().items()
        }
        self._read_events(location, functions, None)
        collector.close()

    def _read_events(self, location: int, functions: dict[str, Any], sink: Any) -> None:
        reader = _POINTER(
            self.library.OTF2_Reader_GetEvtReader(self.reader, _U64(location))
        )
        callbacks = _POINTER(self.library.OTF2_EvtReaderCallbacks_New())
        if not reader or not callbacks:
            refuse(f"the events of location {location} are missing")
        for event, name in CALLBACKS.items():
            setter = f"OTF2_EvtReaderCallbacks_Set{event}Callback"
            self._set(setter, callbacks, functions[name])
        self._do("RegisterEvtCallbacks", reader, callbacks, sink)
        self._do("ReadAllLocalEvents", reader, ctypes.byref(_U64()))
        self._do("CloseEvtReader", reader)

    def _set(self, setter: str, callbacks: Any, function: Any) -> None:
        self._callbacks.append(function)
        getattr(self.library, setter)(callbacks, function)

    def _do(self, step: str, *arguments: Any) -> None:
        """Call a function of the reader; anything but 0 is an error."""
        if getattr(self.library, f"OTF2_Reader_{step}")(self.reader, *arguments):
            refuse(f"libotf2 failed in {step}")


def _without_head(function: Callable[..., int]) -> Callable[..., int]:
    return lambda _location, time, _position, _sink, _list, *rest: function(time, *rest)


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
