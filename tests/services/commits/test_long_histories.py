"""What a long history costs, and that no answer depends on how much of it is read."""

import random

import pytest
from sqlalchemy import select

from scalewatch.services.commits import find, main_line
from scalewatch.services.commits.baselines import merge_base_of
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.regressions import detection
from scalewatch.services.regressions.summary import summary
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.database.session import connect, sessions_of
from support.histories import TREE, record_commit, record_history, sha
from support.long_histories import add_commits, add_past, counted

PAST, FURTHER = 1_000, 3_000
"""Commits that nobody asks about."""

TO_COUNT = 4
"""Instructions for each of them, at most: its number is all that is told of them."""

SEEDS = (0, 1, 2, 3, 5)
"""Of graphs in which some commits have left the line."""

QUESTIONS = {
    "gate": lambda session: gate_of(session, "mpich", sha(3), None),
    "detection": lambda session: detection.detect(session, 1),
}


@pytest.fixture(scope="module")
def long_and_longer(tmp_path_factory):
    """Two projects alike, but for the commits that precede what is measured."""
    folder = tmp_path_factory.mktemp("long")
    engines = []
    for past in (PAST, PAST + FURTHER):
        engine = connect(f"sqlite:///{folder}/{past}.db")
        tables.Table.metadata.create_all(engine)
        sessions = sessions_of(engine)
        record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 3)
        add_past(sessions, 1, past)
        engines.append(engine)
    yield engines
    for engine in engines:
        engine.dispose()


@pytest.mark.parametrize("question", QUESTIONS)
def test_database_does_no_more_for_a_longer_history(long_and_longer, question):
    steps = []
    for engine in long_and_longer:
        with counted(engine) as done, sessions_of(engine).reading() as session:
            QUESTIONS[question](session)
            steps.append(done())

    assert steps[1] - steps[0] < TO_COUNT * FURTHER


def _record_graph(sessions, draw):
    """Record a project of commits on three branches that part and meet."""
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    heads = {"main": sha(1)}
    described = []
    for number in range(2, 60):
        branch = draw.choice(["main", "main", "one", "other"])
        parents = [heads.get(branch, heads["main"])]
        if branch == "main" and len(heads) > 1 and draw.random() < 0.3:
            parents.append(heads[draw.choice([*heads])])
        if branch != "main" and draw.random() < 0.1:
            parents = [f"unmeasured{number}"]
        if branch == "main" and draw.random() < 0.1:
            parents = [heads["one"]] if "one" in heads else parents
        heads[branch] = sha(number)
        described.append(
            {
                "number": number,
                "sha": sha(number),
                "branch": branch,
                "parents": [*dict.fromkeys(parents)],
            }
        )
    add_commits(sessions, 1, described)


@pytest.mark.parametrize("seed", SEEDS)
def test_merge_bases_are_the_same_however_few_commits_are_read_at_first(
    sessions, monkeypatch, seed
):
    _record_graph(sessions, random.Random(seed))  # noqa: S311 - drawn to be repeated

    def bases():
        with sessions.reading() as session:
            project = projects.existing(session, "mpich")
            rows = commits.of_project(session, project.id)
            return {row.sha: merge_base_of(session, project, row) for row in rows}

    whole = bases()
    monkeypatch.setattr(find, "AT_FIRST", 16)

    assert any(whole.values())
    assert bases() == whole


@pytest.mark.parametrize("seed", SEEDS)
def test_watched_line_is_the_same_however_few_commits_are_read_at_first(
    sessions, monkeypatch, seed
):
    _record_graph(sessions, random.Random(seed))  # noqa: S311 - drawn to be repeated
    monkeypatch.setattr(main_line, "MOST_COMMITS", 12)
    monkeypatch.setattr(main_line, "STRIDE", 5)

    def line():
        with sessions.reading() as session:
            found = main_line.watched_line(session, 1)
            return [each.sha for each in found.commits]

    whole = line()
    monkeypatch.setattr(find, "AT_FIRST", 16)

    assert 12 <= len(whole) < 17
    assert line() == whole


def test_the_oldest_commit_that_is_looked_at_moves_on_by_strides(sessions, monkeypatch):
    monkeypatch.setattr(main_line, "MOST_COMMITS", 4)
    monkeypatch.setattr(main_line, "STRIDE", 3)
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 3)
    first = []
    for number in range(4, 11):
        record_commit(sessions, number, {"MPI_Bcast": TREE})
        with sessions.reading() as session:
            line = main_line.watched_line(session, 1).commits
        first.append(int(line[0].sha, 16) - 1)

    assert first == [0, 0, 0, 3, 3, 3, 6]


def test_what_only_one_job_told_is_withdrawn_once_nobody_looks_at_it(
    sessions, monkeypatch
):
    monkeypatch.setattr(main_line, "MOST_COMMITS", 4)
    monkeypatch.setattr(main_line, "STRIDE", 2)
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 8)
    with sessions.writing.begin() as session:
        oldest = session.scalars(select(tables.Commit.id).filter_by(sha=sha(1))).one()
        suspected = tables.Regression(
            project_id=1,
            kind="growth",
            is_worse=True,
            is_sure=False,
            first_commit_id=oldest,
            last_commit_id=oldest,
            state="open",
            sentence="MPI_Bcast grows faster",
        )
        session.add(suspected)

    record_commit(sessions, 9, {"MPI_Bcast": TREE})

    with sessions.reading() as session:
        assert session.scalars(select(tables.Regression.state)).all() == ["fixed"]


def test_a_detection_counts_the_commits_that_it_does_not_search(long_and_longer):
    with sessions_of(long_and_longer[0]).reading() as session:
        detected = detection.detect(session, 1)

    told = summary(detected)
    assert told["unsearched"] == PAST + 3 - told["commits"]
    assert told["commits"] >= main_line.MOST_COMMITS
