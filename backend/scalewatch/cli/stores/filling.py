"""Databases made of stores: temporary ones, and those that are kept as a cache."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from sqlalchemy.orm import Session

from scalewatch import private_files
from scalewatch.api import expectations, gates, guidelines, histories
from scalewatch.cli.project_file import FILE, checked, declared_contents, stated_here
from scalewatch.errors import ScalewatchError
from scalewatch.exporters.documents import json_text
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.stores import fill
from scalewatch.services.stores.fill import Filled
from scalewatch.services.stores.order import (
    CommitFiles,
    around,
    commits_in_order,
    only_project,
)
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of
from scalewatch.stores.files import PROJECT_FILE, StoredRun, StoreFault
from scalewatch.stores.store import Contents, Store

AUTHOR: Final = FILE
"""Author of what the file of a store or checkout declares."""


class NoCheckout(ScalewatchError):
    """Nothing says which commit is meant."""

    def __init__(self) -> None:
        super().__init__("this folder is no checkout of git: say --commit")


Chosen = Callable[[Sequence[CommitFiles]], Sequence[CommitFiles]]


def all_of(commits: Sequence[CommitFiles]) -> Sequence[CommitFiles]:
    """Return all commits."""
    return commits


@contextmanager
def filled(
    contents: Contents, chosen: Chosen = all_of, cache: Path | None = None
) -> Iterator[tuple[Sessions, Filled]]:
    """Open a database that is filled with the commits of a store.

    Parameters
    ----------
    chosen
        Returns those that are needed; all unless given.
    cache
        File of the database; what it holds already is not recorded again. A temporary
        one unless given.
    """
    with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
        database = cache or Path(folder, "store.db")
        known = _known(database, contents) if cache else set()
        new = [file for file in contents.files if file.name not in known]
        commits = chosen(commits_in_order(contents, new))
        engine = connect(f"sqlite:///{database.absolute()}")
        try:
            schema.upgrade(engine)
            sessions = sessions_of(engine)
            stated = _stated(contents)

            def state(session: Session, project: str) -> None:
                _declare(session, project, stated)

            came = fill.fill(sessions, contents, commits, state)
            if cache:
                _note(database, contents)
            yield sessions, came
        finally:
            engine.dispose()


def _known(database: Path, contents: Contents) -> set[str]:
    """Return the files that a kept database holds; one that holds others goes."""
    private_files.make_folder(database.parent)
    with suppress(OSError, ValueError, TypeError):
        noted = json.loads(_note_of(database).read_text())
        names: set[str] = set(noted["files"])
        there = {file.name for file in contents.files}
        if noted["release"] == _release() and names <= there and database.exists():
            return names
    for file in (
        database,
        _note_of(database),
        *map(database.with_name, _logs(database)),
    ):
        file.unlink(missing_ok=True)
    return set()


def _logs(database: Path) -> list[str]:
    return [f"{database.name}-wal", f"{database.name}-shm"]


def _note(database: Path, contents: Contents) -> None:
    names = [file.name for file in contents.files]
    with private_files.open_file(_note_of(database), "w") as file:
        json.dump({"release": _release(), "files": names}, file)


def _note_of(database: Path) -> Path:
    return database.with_name(f"{database.name}.files.json")


def _release() -> str:
    return version("scalewatch")


def _stated(contents: Contents) -> Mapping[str, Any]:
    """Return what the project file of a store says, else that of this folder."""
    text = contents.tree.text(PROJECT_FILE)
    if text is None:
        return stated_here()
    where = Path(f"{PROJECT_FILE} of the store")
    return checked(text.decode("utf-8-sig", errors="replace"), where)


def _declare(session: Session, project: str, stated: Mapping[str, Any]) -> None:
    """Declare what a project file says, as a push to a server would."""
    if stated.get("project", project) != project:
        return
    declared: Mapping[str, tuple[Callable[..., Any], type[BaseModel]]] = {
        "expectations": (expectations.declare_expectations, expectations.Declarations),
        "guidelines": (guidelines.declare_guidelines, guidelines.Declaration),
        "gate/rules": (gates.declare_rules, gates.GateDeclaration),
        "aliases": (histories.rename_regions, histories.Renaming),
    }
    for noun, content in declared_contents(stated, Path(FILE)).items():
        declare, form = declared[noun]
        said = form.model_validate({"author": AUTHOR, **content})
        declare(session, project, said)


def gate_content(
    store: Store,
    also: Sequence[StoredRun],
    project: str | None,
    commit: str | None,
    baseline: str | None,
) -> tuple[Mapping[str, Any], Filled]:
    """Return the gate of a commit as a server would answer that was fed the store.

    Parameters
    ----------
    also
        Reports that are not in the store yet, such as those of a pull request. Only
        those of the commit count: whoever asks to be merged has no say in what others
        measured.
    project
        Its only one, unless given; or what `scalewatch.toml` says.
    commit
        That of the checkout at hand, unless given.

    Raises
    ------
    NoStore
        If the store cannot be read, or holds no such project.
    """
    sha = commit or head()
    beside, foreign = _of_commit(also, sha)
    with with_reports(store, beside) as contents:
        of_project = only_project(contents, project or stated_here().get("project"))

        def chosen(commits: Sequence[CommitFiles]) -> Sequence[CommitFiles]:
            return around(commits, [sha, *([baseline] if baseline else [])])

        with filled(of_project, chosen) as (sessions, came):
            name = project or next(iter(came.projects), "")
            fill.analyse_for_gate(sessions, name, sha, baseline)
            with sessions.reading() as session:
                content = json.loads(json_text(gate_of(session, name, sha, baseline)))
    came.faults += foreign
    return content, came


def _of_commit(
    also: Sequence[StoredRun], sha: str
) -> tuple[list[StoredRun], list[StoreFault]]:
    """Return the runs of a commit, and that those of others do not count."""
    runs, foreign = [], []
    for number, run in enumerate(also, 1):
        commit = run.report.commit
        if commit.sha.startswith(sha) or commit.tag == sha:
            runs.append(run)
            continue
        reason = f"it is of commit {commit.sha[:12]}, not of {sha[:12]}"
        foreign.append(StoreFault(f"run {number} of --also", None, reason))
    return runs, foreign


@contextmanager
def with_reports(store: Store, also: Sequence[StoredRun]) -> Iterator[Contents]:
    """Yield the contents of a store with further reports beside its files."""
    contents = store.contents()
    if not also:
        yield contents
        return
    with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
        beside = Store.at(folder)
        beside.add(also)
        yield contents.beside(beside.contents())


def head() -> str:
    """Return the commit of the checkout at hand.

    Raises
    ------
    NoCheckout
        If there is none.
    """
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        raise NoCheckout from None
    return done.stdout.strip()
