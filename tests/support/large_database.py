"""The database of the large project, built once and kept for later sessions."""

import fcntl
import getpass
import os
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from sqlalchemy.schema import CreateIndex, CreateTable

import scalewatch
from scalewatch.storage.database.session import connect, sessions_of
from scalewatch.storage.tables import Table
from support.large_project import Size, record_large_project

DAYS = 3
"""Databases that nobody used for so long are removed."""

MOST = 6
"""Of the others the last used are kept: each has hundreds of megabytes."""

ANALYSED_BY = ("modelling/**/*.py", "services/**/*.py", "jobs/*.py")
"""Code of the product that decides what the analysis stores."""


def large_database(size: Size | None = None) -> Path:
    """Return an SQLite file that holds the large project; nobody may write to it.

    It is built anew after a change of the tables, of the analysis or of what builds
    it, and where the folder for temporary files was emptied.
    """
    size = size or Size()
    folder = _folder()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _tidy(folder)
        path = folder / f"{_digest(size)}.db"
        if not path.exists():
            _build(path, size)
        os.utime(path)
    return path


def _folder() -> Path:
    """Return a folder of our own, where other users cannot have put anything."""
    folder = Path(tempfile.gettempdir()) / f"scalewatch-tests-of-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return Path(tempfile.mkdtemp())
    return folder


def _digest(size: Size) -> str:
    made = [repr(size)]
    for table in Table.metadata.sorted_tables:
        made.append(str(CreateTable(table)))
        made += sorted(str(CreateIndex(index)) for index in table.indexes)
    for name in ("builders", "large_project", "night_draws", "row_copies"):
        made.append(Path(__file__).with_name(f"{name}.py").read_text("utf-8"))
    # Models, verdicts and regressions in it are those of the code that analysed it.
    product = Path(scalewatch.__file__).parent
    for room in ANALYSED_BY:
        made += [each.read_text("utf-8") for each in sorted(product.glob(room))]
    return sha256("\0".join(made).encode()).hexdigest()[:16]


def _tidy(folder: Path) -> None:
    used = {path: path.stat().st_mtime for path in folder.glob("*.db")}
    last = sorted(used, key=used.__getitem__, reverse=True)[:MOST]
    for path, moment in used.items():
        if path not in last or time.time() - moment > DAYS * 86_400:
            for each in (path, *folder.glob(f"{path.name}-*")):  # and its log
                each.unlink()


def _build(path: Path, size: Size) -> None:
    unfinished = path.with_suffix(".unfinished")
    for leftover in path.parent.glob(f"{unfinished.name}*"):
        leftover.unlink()
    engine = connect(f"sqlite:///{unfinished}")
    Table.metadata.create_all(engine)
    record_large_project(sessions_of(engine), size)
    engine.dispose()  # folds the log into the file
    unfinished.rename(path)
