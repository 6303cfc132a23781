import json
import re
from functools import partial

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import inspect, select, text

from scalewatch.services import jobs
from scalewatch.services.commits.lineage import lineage
from scalewatch.services.common_mode.project_history import series_histories
from scalewatch.services.series.scans import quartiles_of
from scalewatch.storage import machines, tables
from scalewatch.storage.commits import commits
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.locations import Grid
from scalewatch.storage.judgements import probabilities, verdicts
from scalewatch.storage.judgements.probabilities import Likely
from scalewatch.storage.runs import procedures
from scalewatch.storage.runs.points import Flag, flags_in
from scalewatch.storage.tables import Table

SEPARATOR = re.compile(r"\n|,(?![^(]*\))")
"""Between clauses: the end of a line, or a comma outside of parentheses."""


def declarations(engine):
    """Return the clauses of all CREATE statements, in any order.

    A column that a later migration adds comes last, on a line with others.
    """
    with engine.connect() as connection:
        found = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        ).all()
    return {
        "alembic_version"
        if name == "alembic_version"
        else frozenset(
            clause.strip(" ,\t") for clause in SEPARATOR.split(sql.removesuffix(")"))
        )
        for name, sql in found
    }


def is_declared(dialect, item, *_):
    """Tell whether what is declared is so for this kind of database."""
    condition = getattr(item, "_ddl_if", None)
    return condition is None or condition.dialect == dialect


# SQLite's indices on expressions are compared by the next test, as text.
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression")
@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expr")
def test_migrations_build_exactly_the_declared_tables(blank):
    schema.upgrade(blank)

    with blank.connect() as connection:
        own = {"include_object": partial(is_declared, connection.dialect.name)}
        context = MigrationContext.configure(connection, opts=own)
        assert compare_metadata(context, Table.metadata) == []


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_migrations_build_the_same_sqlite_schema_as_the_declarations(tmp_path, engine):
    migrated = connect(f"sqlite:///{tmp_path}/migrated.db")

    schema.upgrade(migrated)

    # Comparing metadata does not see what is particular to SQLite.
    assert declarations(migrated) - declarations(engine) == {"alembic_version"}
    assert declarations(engine) <= declarations(migrated)
    migrated.dispose()


def test_upgrading_twice_changes_nothing(blank):
    assert schema.version(blank) is None

    schema.upgrade(blank)
    schema.upgrade(blank)

    assert schema.version(blank) == schema.newest()


def test_folder_of_the_database_is_created(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/home/of/scalewatch.db")

    schema.upgrade(engine)

    assert (tmp_path / "home" / "of" / "scalewatch.db").exists()
    engine.dispose()


RUN_OF_0008 = """
INSERT INTO project (id, name, created_at) VALUES (1, 'a', '2026-01-01');
INSERT INTO "commit" (id, project_id, sha, parents, first_run_at)
VALUES (1, 1, 'a', '[]', '2026-01-01');
INSERT INTO machine (id, project_id, name) VALUES (1, 1, 'a');
INSERT INTO fingerprint (id, machine_id, digest, facts, first_seen_at)
VALUES (1, 1, 'a', '{}', '2026-01-01');
INSERT INTO configuration (id, project_id, digest, settings) VALUES (1, 1, 'a', '{}');
INSERT INTO run (id, uuid, commit_id, machine_id, fingerprint_id, configuration_id,
  suite, coordinate, received_at)
VALUES (1, '00000000000000000000000000000001', 1, 1, 1, 1, 'a', '{}', '2026-01-01');
INSERT INTO series (id, machine_id, configuration_id, region, metric, unit, better)
VALUES (1, 1, 1, 'f', 'time', 's', 'lower'), (2, 1, 1, 'g', 'time', 's', 'lower'),
  (3, 1, 1, 'h', 'time', 's', 'lower')
"""


def test_how_repetitions_were_taken_outlives_its_column(blank):
    schema.upgrade(blank, "0008")
    told = {"synchronisation": "barrier", "late": 3, "caveats": ["interpreted"]}
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        for series, procedure in ((1, told), (2, {"late": 0}), (3, None)):
            connection.execute(
                text(
                    "INSERT INTO point (series_id, run_id, start, count, procedure) "
                    "VALUES (:series, 1, 0, 1, :procedure)"
                ),
                {"series": series, "procedure": procedure and json.dumps(procedure)},
            )

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        flags = session.scalars(
            select(tables.Point.flags).order_by(tables.Point.series_id)
        )
        assert [flags_in(each) for each in flags] == [
            (Flag.BARRIER, Flag.INTERPRETED),
            (),
            (),
        ]
        assert procedures.of_runs(session, [1]) == {1: {1: told, 2: {"late": 0}}}


def test_what_models_assumed_of_the_noise_outlives_its_column(blank):
    schema.upgrade(blank, "0014")
    noise = {"summary": "robust", "widening": 1.5}
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        for series, assumed in ((1, noise), (2, noise), (3, None)):
            connection.execute(
                text(
                    "INSERT INTO model (series_id, commit_id, rule, noise, points, "
                    "repetitions, terms, class_probability, modelled_at) "
                    "VALUES (:series, 1, 'evidence', :noise, 5, 9, '[]', '{}', "
                    "'2026-01-01')"
                ),
                {"series": series, "noise": assumed and json.dumps(assumed)},
            )

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        assert machines.noise_assumed(session, 1, 1) == {"time": noise}


def test_points_outlive_that_they_are_kept_by_run(blank):
    schema.upgrade(blank, "0018")
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        for series, number, reason in (
            (1, 1.5, None),
            (2, 1e200, None),
            (3, None, "killed"),
        ):
            connection.execute(
                text(
                    "INSERT INTO point (series_id, run_id, start, count, minimum, "
                    "q25, q50, q75, q95, mean, reason) VALUES (:series, 1, 0, 1, "
                    ":number, :number, :number, :number, :number, :tiny, :reason)"
                ),
                {
                    "series": series,
                    "number": number,
                    "tiny": number and 1e-60 * number,
                    "reason": reason,
                },
            )

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        points = session.scalars(select(tables.Point).order_by(tables.Point.series_id))
        assert [
            (each.minimum, quartiles_of(each)[1], each.q95, each.mean, each.reason)
            for each in points
        ] == [
            (1.5, 1.5, 1.5, 0.0, None),
            (1e200, 1e200, None, None, None),
            (None, None, None, None, "killed"),
        ]


def test_models_and_verdicts_outlive_that_they_are_kept_by_commit(blank):
    schema.upgrade(blank, "0019")
    factor = {"parameter": "p", "power": "1/2", "log": "1", "exp2": "0"}
    terms = [{"coefficient": 0.1 + 0.2, "factors": [factor]}]
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        connection.execute(
            text(
                "INSERT INTO expectation (id, project_id, region, metric, version, "
                "growth, author, declared_at) "
                "VALUES (5, 1, 'f', 'time', 1, 'p', 'a', '2026-01-01')"
            )
        )
        for key, series, own, reason in ((7, 2, [], "too few"), (8, 1, terms, None)):
            connection.execute(
                text(
                    "INSERT INTO model (id, series_id, commit_id, rule, points, "
                    "repetitions, terms, class_probability, reason, modelled_at) "
                    "VALUES (:key, :series, 1, 'evidence', 5, 9, :terms, :shares, "
                    ":reason, '2026-01-01 12:00:00')"
                ),
                {
                    "key": key,
                    "series": series,
                    "terms": json.dumps(own),
                    "shares": json.dumps({"p": 1.0}),
                    "reason": reason,
                },
            )
        connection.execute(
            text(
                "INSERT INTO verdict (model_id, expectation_id, deviation_limit, "
                "verdict, probability, judged_at) "
                "VALUES (8, 5, '1', 'match', '{}', '2026-01-01 12:00:00')"
            )
        )

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        models = session.scalars(select(tables.Model).order_by(tables.Model.series_id))
        assert [(each.series_id, each.terms, each.reason) for each in models] == [
            (1, [[0.1 + 0.2, "p^(1/2) log p"]], None),
            (2, [], "too few"),
        ]
        verdict = session.scalars(select(tables.Verdict)).one()
        assert (verdict.series_id, verdict.expectation_id) == (1, 5)
        assert (verdict.verdict, verdict.reason) == ("match", None)


def test_locations_outlive_that_equal_grids_are_kept_once(blank):
    schema.upgrade(blank, "0020")
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        for series, settings in ((1, "[[2.0],[4.0]]"), (2, "[[2.0], [4.0]]")):
            connection.execute(
                text(
                    "INSERT INTO location (series_id, commit_id, fingerprint_id, "
                    "parameters, settings, log) "
                    "VALUES (:series, 1, 1, :parameters, :settings, :log)"
                ),
                {
                    "series": series,
                    "parameters": json.dumps(["p"]),
                    "settings": settings,
                    "log": json.dumps([0.5, series / 3]),
                },
            )

    schema.upgrade(blank)

    with sessions_of(blank).writing.begin() as session:
        found = sorted(
            locations.of_series(session, [1, 2], [1]), key=lambda each: each.series_id
        )
        assert [(each.parameters, each.settings) for each in found] == [
            (("p",), ((2.0,), (4.0,)))
        ] * 2
        assert [each.log.tolist() for each in found] == [[[0.5, 1 / 3]], [[0.5, 2 / 3]]]
        known = Grid(("p",), ((2.0,), (4.0,)))
        other = Grid(("p",), ((2.0,), (8.0,)))
        assert locations.grid_ids(session, [known, other]) == {known: 1, other: 2}


FOUND_BY_0022 = """
INSERT INTO expectation (id, project_id, region, metric, version, growth, author,
  declared_at)
VALUES (4, 1, 'f', 'time', 1, 'p', 'a', '2026-01-01'),
  (5, 1, 'f', 'time', 2, 'p', 'a', '2026-01-02');
INSERT INTO model (series_id, commit_id, rule, points, repetitions, terms,
  class_probability, modelled_at)
VALUES (1, 1, 'evidence', 5, 9, '[]', '{"p": 0.9, "1": 0.1}', '2026-01-02'),
  (2, 1, 'evidence', 5, 9, '[]', '{}', '2026-01-02');
INSERT INTO verdict (series_id, commit_id, expectation_id, deviation_limit, verdict,
  probability, judged_at)
VALUES (1, 1, 4, '1', 'mismatch', '{"mismatch": 1.0}', '2026-01-01'),
  (1, 1, 5, '1', 'match', '{"match": 0.75}', '2026-01-02')
"""


def test_probabilities_outlive_that_each_analysis_keeps_them_in_one_blob(blank):
    schema.upgrade(blank, "0022")
    with blank.begin() as connection:
        for statement in f"{RUN_OF_0008};{FOUND_BY_0022}".split(";"):
            connection.exec_driver_sql(statement)

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        assert probabilities.at(session, 1) == {
            1: Likely('{"p":0.9,"1":0.1}', '{"match":0.75}', 5),
            2: Likely(),
        }
        found = verdicts.models_at(session, 1, ["time"])
        assert {
            (series_id, each.expectation_id): each.likely
            for series_id, models in found.items()
            for each in models
        } == {
            (1, 4): Likely('{"p":0.9,"1":0.1}'),
            (1, 5): Likely('{"p":0.9,"1":0.1}', '{"match":0.75}', 5),
            (2, None): Likely(),
        }


def test_quartiles_outlive_that_they_are_told_from_the_median(blank):
    schema.upgrade(blank, "0023")
    with blank.begin() as connection:
        for statement in RUN_OF_0008.split(";"):
            connection.execute(text(statement))
        for series, (low, middle, high) in enumerate(
            [(1.25, 1.5, 2.0), (-1e300, 1.0, 1e300), (None, None, None)], start=1
        ):
            connection.execute(
                text(
                    "INSERT INTO point (series_id, run_id, start, count, minimum, "
                    "q25, q50, q75) VALUES (:series, 1, 0, 4, :low, :low, :middle, "
                    ":high)"
                ),
                {"series": series, "low": low, "middle": middle, "high": high},
            )

    schema.upgrade(blank)

    with sessions_of(blank).reading() as session:
        points = session.scalars(select(tables.Point).order_by(tables.Point.series_id))
        assert [(each.minimum, each.q50, *quartiles_of(each)) for each in points] == [
            (1.25, 1.5, 1.25, 2.0),
            (
                -1e300,
                1.0,
                pytest.approx(-3.4e38, rel=1e-2),
                pytest.approx(3.4e38, rel=1e-2),
            ),
            (None, None, None, None),
        ]


POINTS_OF_0019 = """
INSERT INTO point (series_id, run_id, start, count, minimum, q25, q50, q75, q95, mean,
  deviation, flags, reason)
VALUES (1, 1, 0, 2, 1.5, 1.5, 1.5, 2.5, 2.5, 2.0, 0.5, 3, ''),
  (2, 1, 2, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'killed')
"""

POINTS_OF_0024 = """
INSERT INTO point (series_id, run_id, start, count, minimum, q50, below, above, q95,
  mean, deviation, flags, reason)
VALUES (1, 1, 0, 2, 1.5, 1.75, 0.25, 0.5, 2.5, 2.0, 0.5, 3, ''),
  (2, 1, 2, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 'killed')
"""

LOCATIONS_OF_0021 = """
INSERT INTO grid (id, digest, parameters, settings)
VALUES (1, 'a', '["p"]', '[[2.0],[4.0]]'), (2, 'b', '["p"]', '[[2.0],[8.0]]');
INSERT INTO location (series_id, commit_id, fingerprint_id, grid_id, log)
VALUES (1, 1, 1, 1, '[0.5, 0.25]'), (2, 1, 1, 2, '[0.5, null]')
"""


def undo(engine, revision):
    with schema.migrating(engine) as config:
        command.downgrade(config, revision)


def fill(engine, *scripts):
    with engine.begin() as connection:
        for statement in ";".join(scripts).split(";"):
            connection.exec_driver_sql(statement)


def rows_of(engine, question):
    with engine.connect() as connection:
        return connection.execute(text(question)).all()


def layout(engine, table):
    """Return columns, keys and indices of a table, in any order."""
    seen = inspect(engine)
    columns = {
        (each["name"], str(each["type"]), each["nullable"])
        for each in seen.get_columns(table)
    }
    keys = {tuple(each["referred_columns"]) for each in seen.get_foreign_keys(table)}
    indices = {each["name"] for each in seen.get_indexes(table)}
    return columns, keys, indices, seen.get_pk_constraint(table)["constrained_columns"]


POINTS = "SELECT * FROM point ORDER BY series_id"
LOCATIONS = (
    "SELECT l.series_id, l.commit_id, l.fingerprint_id, CAST(l.log AS TEXT), "
    "CAST(g.parameters AS TEXT), CAST(g.settings AS TEXT) "
    "FROM location AS l JOIN grid AS g ON g.id = l.grid_id ORDER BY l.series_id"
)
LIKELY = (
    "SELECT m.series_id, CAST(class_probability AS TEXT), expectation_id, "
    "CAST(probability AS TEXT) FROM model AS m LEFT JOIN verdict AS v "
    "ON v.commit_id = m.commit_id AND v.series_id = m.series_id "
    "ORDER BY m.series_id, expectation_id"
)


# What a migration of SQLite copies, it reflects first, and with it what that refers to.
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression")
@pytest.mark.parametrize(
    ("revision", "table", "filled", "question"),
    [
        ("0019", "point", POINTS_OF_0019, POINTS),
        ("0021", "location", LOCATIONS_OF_0021, LOCATIONS),
        ("0024", "point", POINTS_OF_0024, POINTS),
    ],
)
def test_rows_outlive_that_a_migration_is_undone_and_made_again(
    blank, revision, table, filled, question
):
    before = f"{int(revision) - 1:04}"
    schema.upgrade(blank, before)
    former = layout(blank, table)
    schema.upgrade(blank, revision)
    fill(blank, RUN_OF_0008, filled)
    known = rows_of(blank, question)

    undo(blank, before)
    was = schema.version(blank), layout(blank, table)
    schema.upgrade(blank, revision)

    assert was == (before, former)
    assert len(known) == 2
    assert rows_of(blank, question) == known


def test_probabilities_outlive_that_their_blobs_are_undone(blank):
    schema.upgrade(blank, "0022")
    fill(blank, RUN_OF_0008, FOUND_BY_0022)
    schema.upgrade(blank)
    with sessions_of(blank).reading() as session:
        known = probabilities.at(session, 1)

    undo(blank, "0021")

    found = [
        (series, json.loads(growths), by, verdicts and json.loads(verdicts))
        for series, growths, by, verdicts in rows_of(blank, LIKELY)
    ]
    schema.upgrade(blank)
    with sessions_of(blank).reading() as session:
        assert probabilities.at(session, 1) == known
    assert found == [
        (1, {"p": 0.9, "1": 0.1}, 4, {}),
        (1, {"p": 0.9, "1": 0.1}, 5, {"match": 0.75}),
        (2, {}, None, None),
    ]


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression")
def test_what_cannot_be_undone_says_so_and_changes_nothing(blank):
    schema.upgrade(blank)

    with pytest.raises(CommandError, match=r"0020 cannot be undone.* restore a copy"):
        undo(blank, "0018")

    assert schema.version(blank) == schema.newest()


def test_times_of_shared_cores_are_analysed_again_after_an_upgrade(blank):
    schema.upgrade(blank, "0024")
    fill(blank, RUN_OF_0008.rstrip())

    schema.upgrade(blank)

    sessions = sessions_of(blank)
    with sessions.writing.begin() as session:
        claim = jobs.claim(session, "worker")
    assert (claim.kind, claim.subject) == (jobs.JobKind.REANALYSE, "1")
    undo(blank, "0024")
    assert rows_of(blank, "SELECT kind FROM job") == []


def test_jobs_of_former_versions_know_their_project(blank):
    schema.upgrade(blank, "0034")
    fill(blank, RUN_OF_0008.rstrip())
    fill(
        blank,
        "INSERT INTO webhook (id, project_id, url, secret, author, created_at) "
        "VALUES (7, 1, 'http://127.0.0.1/', 's', 'ada', CURRENT_TIMESTAMP)",
        "INSERT INTO job (kind, subject, state, attempts, created_at) VALUES "
        "('analyse', '1/1', 'done', 0, CURRENT_TIMESTAMP), "
        "('analyse', '99/1', 'done', 0, CURRENT_TIMESTAMP), "
        "('notify', '7/3', 'done', 0, CURRENT_TIMESTAMP), "
        "('notify', '99/3', 'done', 0, CURRENT_TIMESTAMP), "
        "('watch', '1', 'done', 0, CURRENT_TIMESTAMP), "
        "('thin', '1/12', 'done', 0, CURRENT_TIMESTAMP)",
    )

    schema.upgrade(blank)

    kept = "SELECT kind, subject, project_id FROM job WHERE state = 'done' ORDER BY id"
    assert rows_of(blank, kept) == [
        ("analyse", "1/1", 1),
        ("analyse", "99/1", 0),
        ("notify", "7/3", 1),
        ("notify", "99/3", 0),
        ("watch", "1", 1),
        ("thin", "1/12", 1),
    ]


OF_EACH_COMMIT = """
INSERT INTO "commit" (id, project_id, sha, parents, first_run_at)
VALUES (:number, 1, :digest, '[]', :at);
INSERT INTO fingerprint (id, machine_id, digest, facts, first_seen_at)
VALUES (:number, 1, :digest, :facts, :at);
INSERT INTO run (id, uuid, commit_id, machine_id, fingerprint_id, configuration_id,
  suite, coordinate, received_at)
VALUES (:number, :uuid, :number, 1, :number, 1, 'a', '{}', :at);
INSERT INTO location (series_id, commit_id, fingerprint_id, grid_id, log)
VALUES (1, :number, :number, 1, '[0.5, 0.25]')
"""


def commits_of_0034():
    """Return nine commits that a machine met each on another node.

    Its MPI library is another one from the fifth of them on.
    """
    for number in range(2, 11):
        mpi = "Open MPI 5.0.3" if number < 6 else "Open MPI 5.0.5"
        facts = {
            "cores": 128,
            "memory_bytes": 270_000_000_000 + 4096 * number,
            "kernel": f"Linux 5.14.0-{362 + number}.el9",
            "mpi": mpi,
        }
        yield {
            "number": number,
            "digest": f"c{number}",
            "uuid": f"{number:032}",
            "facts": json.dumps(facts),
            "at": f"2026-01-{number:02}",
        }


STATES_OF_LOCATIONS = (
    "SELECT fingerprint_id, count(*) FROM location GROUP BY fingerprint_id "
    "ORDER BY fingerprint_id"
)
GRID_OF_0034 = """
INSERT INTO grid (id, digest, parameters, settings)
VALUES (1, 'a', '["p"]', '[[2.0],[4.0]]');
INSERT INTO watch (project_id, at, details) VALUES (1, '2026-01-10', '{}')
"""


def test_histories_that_nodes_cut_in_pieces_are_whole_after_an_upgrade(blank):
    schema.upgrade(blank, "0034")
    fill(blank, RUN_OF_0008, GRID_OF_0034)
    with blank.begin() as connection:
        for statement in OF_EACH_COMMIT.split(";"):
            for commit in commits_of_0034():
                used = {k: v for k, v in commit.items() if f":{k}" in statement}
                connection.execute(text(statement), used)
    before = rows_of(blank, STATES_OF_LOCATIONS)

    schema.upgrade(blank)

    assert before == [(number, 1) for number in range(2, 11)]
    assert rows_of(blank, STATES_OF_LOCATIONS) == [(2, 4), (6, 5)]
    with sessions_of(blank).writing.begin() as session:
        (whole,) = series_histories(session, 1, lineage(commits.of_project(session, 1)))
        assert len(whole.positions) == 9
        claim = jobs.claim(session, "worker")
        assert (claim.kind, claim.subject) == (jobs.JobKind.WATCH, "1")
    undo(blank, "0034")
    assert rows_of(blank, STATES_OF_LOCATIONS) == before
