"""Profiles of CUBE, as Score-P writes them, read by the package pycubexr."""

import logging
import struct
import tarfile
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import MissingReader, UnreadableFile
from scalewatch.importers.archives import has_tar_magic
from scalewatch.importers.profiles import ProfiledRun
from scalewatch.importers.series import OWN_TIME, ImportedMeasurement
from scalewatch.importers.source import Source, quoted

_UNITS: Final = {"sec": "s", "bytes": "B"}
_STATISTICS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "max": np.max,
    "sum": np.sum,
    "mean": np.mean,
}
_LEFT_OUT: Final = frozenset({"min_time", "max_time"})
_PROCESS: Final = "process"
_LARGEST: Final = 2 * 2**30
"""Bytes of the values of a metric: beyond it is a bomb."""

_CHUNKED: Final = b"ZCUBEX.DATA"
"""How values begin that are compressed: then follow positions and sizes."""

_Values = NDArray[np.float64]


def recognises(beginning: bytes) -> bool:
    """Tell whether a file begins like an archive, which these profiles are."""
    return has_tar_magic(beginning)


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield each metric of each call path, of the process or thread that has most.

    `source.across` asks for the sum or the mean over them instead.
    A value is exclusive: without that of the calls. Problem sizes are not in the file:
    a pattern of paths says them. Metrics that are zero everywhere are left out.
    """
    try:
        from pycubexr import CubexParser  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingReader(source.name, "pycubexr", "cube") from None
    with source.copied() as path:
        try:
            _require_bounds(source, path)
            with warnings.catch_warnings():
                # Newer writers leave wrong checksums, which say nothing of the content.
                warnings.simplefilter("ignore")
                logging.getLogger("pycubexr").setLevel(logging.ERROR)
                with _closed(CubexParser(path)) as profile:
                    measurements = list(_profile(profile, source.across))
        except UnreadableFile:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign parser raises
            reason = quoted(f"{type(error).__name__}: {error}")
            raise UnreadableFile(
                source.name, f"expected a profile of CUBE, found {reason}"
            ) from None
    yield from measurements


@contextmanager
def _closed(parser: Any) -> Iterator[Any]:
    """Close a parser, also one that fails to open its file and leaves it open."""
    try:
        with parser as profile:
            yield profile
    finally:
        if archive := getattr(parser, "_cubex_file", None):
            archive.close()


def _profile(profile: Any, across: str) -> Iterator[ImportedMeasurement]:
    from pycubexr.utils.exceptions import MissingMetricError  # noqa: PLC0415 - an extra

    run = ProfiledRun(_coordinate(profile), across=across)
    paths = {node.id: _path(node) for node in profile.all_cnodes()}
    for metric in profile.all_metrics():
        if metric.name in _LEFT_OUT:
            continue
        try:
            values = _values(profile, metric)
        except MissingMetricError:
            continue
        if not values:
            continue
        by_path = _across(values, paths, across)
        yield from run.measured(metric.name, by_path, _UNITS.get(metric.units))
        if metric.name == "time":
            own_times: dict[str, float] = defaultdict(float)  # over all call paths
            for node in profile.all_cnodes():
                own_times[str(node.region.name)] += float(values[node.id].mean())
            yield from run.measured(OWN_TIME, own_times)


def _coordinate(profile: Any) -> dict[str, float]:
    """Return how many processes there are and, where there are several, threads."""
    [system] = profile._anchor_result.system_tree_nodes  # noqa: SLF001 - no other way
    groups = [
        group
        for group in system.all_location_groups()
        if group.type in {None, _PROCESS}
    ]
    coordinate = {"p": float(len(groups))}
    threads = max(len(group.all_locations()) for group in groups)
    if threads > 1:
        coordinate["threads"] = float(threads)
    return coordinate


def _values(profile: Any, metric: Any) -> dict[int, _Values]:
    """Return the exclusive values of each call path, one per process or thread."""
    measurements = profile.get_metric_values(metric)
    values = {}
    for node in profile.all_cnodes():
        held = measurements.cnode_values(node, convert_to_exclusive=True)
        if not isinstance(held, np.ndarray):
            return {}  # extremes and tuples, which have no exclusive value
        numbers = held.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError(f"{metric.name} is not finite")
        values[node.id] = np.maximum(numbers, 0.0)
    return values


def _across(
    values: Mapping[int, _Values], paths: Mapping[int, str], across: str
) -> dict[str, float]:
    """Return the largest value of each path, or sum or mean over processes.

    Calls of the same path add up.
    """
    by_path: dict[str, _Values] = {}
    for node, numbers in values.items():
        path = paths[node]
        by_path[path] = by_path[path] + numbers if path in by_path else numbers
    one_of = _STATISTICS[across]
    return {path: float(one_of(numbers)) for path, numbers in by_path.items()}


def _path(node: Any) -> str:
    names = []
    while node is not None:
        parameters = ", ".join(
            f"{key}={value}" for key, value in node.parameters.items()
        )
        name = str(node.region.name)
        names.append(f"{name} ({parameters})" if parameters else name)
        node = node.parent
    return "->".join(reversed(names))


def _require_bounds(source: Source, path: Path) -> None:
    """Refuse an archive whose members grow without end once they are unpacked."""
    left = _LARGEST
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                if stream := archive.extractfile(member):
                    for chunk in _packed(stream.read()):
                        unpacker = zlib.decompressobj(wbits=47)  # zlib's or gzip's
                        left -= len(unpacker.decompress(chunk, left + 1))
                        if left < 0:
                            reason = "it holds more than 2 GiB once unpacked"
                            raise UnreadableFile(source.name, reason)
    except tarfile.ReadError:
        return  # a wrong checksum


def _packed(content: bytes) -> Iterator[bytes]:
    """Yield what is compressed of a member: all of it, or the chunks of values."""
    if content.startswith(b"\x1f\x8b"):
        yield content
    elif content.startswith(_CHUNKED):
        at = len(_CHUNKED)
        order = min(
            "<>",
            key=lambda byte_order: struct.unpack_from(f"{byte_order}q", content, at),
        )
        (count,) = struct.unpack_from(f"{order}q", content, at)
        sizes = struct.unpack_from(f"{order}{3 * count}q", content, at + 8)[2::3]
        at += 8 + 24 * count
        for size in sizes:
            if size:
                yield content[at : at + size]
            at += size
