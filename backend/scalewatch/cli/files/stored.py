"""Run reports as files and stores hold them, for commands that read them."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from pydantic import ValidationError

from scalewatch.errors import NoStore
from scalewatch.stores.files import MOST_BYTES, StoredRun, StoreFault
from scalewatch.stores.store import Store
from scalewatch.wire import first_fault


def reports_of(files: Sequence[str]) -> tuple[list[StoredRun], list[StoreFault]]:
    """Return the runs of files of reports, and what cannot be read."""
    runs: list[StoredRun] = []
    wrong: list[StoreFault] = []
    for name in files:
        paths = sorted(Path(name).rglob("*.jsonl")) if Path(name).is_dir() else [name]
        for path in map(Path, paths):
            try:
                if path.stat().st_size > MOST_BYTES:
                    most = f"it holds more than {MOST_BYTES >> 20} MiB"
                    wrong.append(StoreFault(str(path), None, most))
                    continue
                content = path.read_bytes()
            except OSError as error:
                wrong.append(StoreFault(str(path), None, error.strerror or str(error)))
                continue
            for number, text in _texts(content):
                try:
                    runs.append(StoredRun.of(text))
                except ValidationError as error:
                    hint = "; of other files say --project, as for `scalewatch import`"
                    reason = f"{first_fault(error)}{hint}"
                    wrong.append(StoreFault(str(path), number, reason))
    return runs, wrong


def tell_faults(wrong: Iterable[StoreFault]) -> None:
    """Say on standard error what of files or stores does not count."""
    for fault in wrong:
        click.echo(f"Error: {fault}", err=True)


def _texts(content: bytes) -> Iterator[tuple[int | None, bytes]]:
    """Yield the reports of a file with the numbers of their lines: lines, or JSON."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                yield number, line
        return
    for run in whole if isinstance(whole, list) else [whole]:
        yield None, json.dumps(run).encode()


@contextmanager
def reports_at(where: str, commit: str | None) -> Iterator[Path]:
    """Yield a file with the runs of a commit of a store, of the newest unless named.

    Raises
    ------
    NoStore
        If there is no store, or no such commit in it.
    """
    from scalewatch.services.stores.order import newest_files  # noqa: PLC0415

    contents = Store.at(where).contents()
    wrong = [*contents.faults]
    files = newest_files(contents, commit)
    if not files:
        reason = f"it holds no commit {commit!r}" if commit else "it holds no runs yet"
        raise NoStore(where, reason)
    with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
        path = Path(folder, "runs.jsonl")
        with path.open("wb") as file:
            for _, runs in contents.runs(files, wrong.append):
                file.writelines(run.line + b"\n" for run in runs)
        tell_faults(wrong)
        yield path
