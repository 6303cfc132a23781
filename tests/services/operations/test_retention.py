"""What is kept, thinned, replayed, backed up and restored."""

import json
from datetime import timedelta

import numpy as np
import pytest
import zstandard
from click.testing import CliRunner
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from scalewatch.app import create_app
from scalewatch.cli import main
from scalewatch.errors import DatabaseNotEmpty, InvalidReport, UnreadableFile
from scalewatch.services.access import policies
from scalewatch.services.access.policies import Policy
from scalewatch.services.files import kept_files
from scalewatch.services.operations import retention
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.settings import get_settings
from scalewatch.storage import tables
from scalewatch.storage.database import backups, schema
from scalewatch.storage.database.session import connect
from scalewatch.storage.runs import payloads, points, samples
from scalewatch.storage.tables import Table
from support.builders import sweep, sweep_reports
from support.service_sentences import SAID


@pytest.fixture
def measured(sessions, work_off):
    """Runs with 100 repetitions each, modelled."""
    with sessions.writing.begin() as session:
        record_prepared(session, map(prepare, sweep_reports(repetitions=100)))
    work_off()
    return sessions


def contents(engine):
    """Return all rows of all tables, in the order of their keys."""
    with engine.connect() as connection:
        return {
            table.name: connection.execute(
                select(table).order_by(*table.primary_key)
            ).all()
            for table in Table.metadata.sorted_tables
        }


@pytest.fixture
def other(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/other/scalewatch.db")
    schema.upgrade(engine)
    yield engine
    engine.dispose()


def test_run_that_this_version_refuses_stays_as_it_was_read(measured):
    refused = zstandard.compress(b'{"schema": 1}')
    with measured.writing.begin() as session:
        first = session.scalars(select(tables.Payload).limit(1)).one()
        first.body = refused
        run_id = first.run_id

    with measured.writing() as session:
        points = session.scalars(select(tables.Point.q50)).all()
        with pytest.raises(InvalidReport, match="id"):
            kept_files.replay(session, run_id)
        assert session.scalars(select(tables.Point.q50)).all() == points


def test_restored_backup_has_equal_contents_and_goes_on(
    measured, engine, other, tmp_path
):
    written = backups.write(engine, tmp_path / "backup.zst")

    restored = backups.restore(other, tmp_path / "backup.zst")

    assert written == restored.rows > 30
    assert contents(other) == contents(engine)
    client = TestClient(create_app(other, embedded_worker=False))
    assert client.get("/p/mpich").status_code == 200
    posted = client.post("/api/v1/runs", json=sweep(commit={"sha": "v6"}))
    assert posted.status_code == 202
    assert measured is not None


def test_backup_of_one_database_is_restored_into_the_other(
    measured, engine, other, tmp_path
):
    backups.write(engine, tmp_path / "first.zst")
    backups.restore(other, tmp_path / "first.zst")
    backups.write(other, tmp_path / "second.zst")

    for table in reversed(Table.metadata.sorted_tables):
        with engine.begin() as connection:
            connection.execute(table.delete())
    backups.restore(engine, tmp_path / "second.zst")

    assert contents(engine) == contents(other)
    with measured.writing.begin() as session:
        record_prepared(session, map(prepare, sweep_reports(commit={"sha": "v6"})))


def test_cut_backup_restores_nothing(measured, engine, other, tmp_path):
    file = tmp_path / "backup.zst"
    backups.write(engine, file)
    with file.open("rb") as packed:
        whole = zstandard.ZstdDecompressor().stream_reader(packed).read()
    cut = b"\n".join(whole.splitlines()[:-5]) + b"\n"
    file.write_bytes(zstandard.compress(cut))
    before = contents(other)

    with pytest.raises(UnreadableFile, match="cut"):
        backups.restore(other, file)

    assert contents(other) == before
    assert measured is not None


def test_backup_is_not_restored_over_something(measured, engine, tmp_path):
    backups.write(engine, tmp_path / "backup.zst")

    with pytest.raises(DatabaseNotEmpty):
        backups.restore(engine, tmp_path / "backup.zst")
    assert measured is not None


@pytest.mark.parametrize("content", [b"", b"nonsense", zstandard.compress(b"[]\n{}\n")])
def test_what_is_no_backup_is_refused_by_name(other, tmp_path, content):
    file = tmp_path / "backup.zst"
    file.write_bytes(content)

    with pytest.raises(UnreadableFile, match="it is no backup of Scalewatch"):
        backups.restore(other, file)


def test_replay_repairs_what_was_read_wrongly(measured, engine, work_off):
    before = contents(engine)
    with measured.writing.begin() as session:
        session.execute(update(tables.Point).values(q50=-1.0, start=0))
        session.execute(update(tables.Samples).values(blob=b"\x00\x00"))

    with measured.reading() as session:
        ids = payloads.runs_after(session, 0, limit=100)
    with measured.writing.begin() as session:
        for run_id in ids:
            kept_files.replay(session, run_id)
    work_off()

    after = contents(engine)
    for table in ("point", "samples", "payload", "run", "series"):
        assert after[table] == before[table], table


def test_thinning_keeps_summaries_and_quantiles_but_few_repetitions(measured, engine):
    summaries = select(
        tables.Point.run_id, tables.Point.series_id, tables.Point.q50
    ).order_by(tables.Point.run_id, tables.Point.series_id)
    with engine.connect() as connection:
        before = connection.execute(summaries).all()
        sizes = text("SELECT sum(length(blob)) FROM samples")
        large = connection.scalar(sizes)
    with measured.reading() as session:
        ids = payloads.runs_after(session, 0, limit=100)
        whole = samples.of_runs(session, ids)

    with measured.writing.begin() as session:
        for run_id in ids:
            retention.thin(session, run_id, 21)

    with engine.connect() as connection:
        assert connection.execute(summaries).all() == before
        assert connection.scalar(sizes) < large / 3
    with measured.reading() as session:
        assert payloads.runs_after(session, 0, limit=100) == []
        kept = samples.of_runs(session, ids)
        for run_id in ids:
            for _, start, count in payloads.places_of(session, run_id):
                assert count == 21
                assert set(kept[run_id][start : start + count]) <= set(whole[run_id])


def test_thinned_values_have_the_quantiles_of_all():
    values = np.random.default_rng(1).lognormal(size=401)

    kept = retention.thinned(values, 41)

    for quantile in (0, 0.25, 0.5, 0.75, 1):
        assert np.quantile(kept, quantile) == np.quantile(values, quantile)
    assert retention.thinned(kept, 41) is kept


def test_thin_command_exports_before_it_removes(
    measured, engine, tmp_path, monkeypatch
):
    with measured.writing.begin() as session:
        project = session.scalars(select(tables.Project)).one()
        policy = {"is_private": False, "retention_days": 30, "kept_repetitions": 10}
        session.add(tables.Policy(project_id=project.id, **policy))
        old = text("UPDATE run SET received_at = '2020-01-01 00:00:00'")
        session.execute(old)
    url = engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv("SCALEWATCH_DATABASE_URL", url)
    monkeypatch.setattr("scalewatch.cli.server.database.prepare", lambda _engine: None)
    get_settings.cache_clear()
    folder = tmp_path / "exports"

    result = CliRunner().invoke(main, ["thin", "--export", str(folder)])

    get_settings.cache_clear()
    assert SAID["thinned"] in result.output
    (file,) = folder.iterdir()
    lines = zstandard.decompress(file.read_bytes()).splitlines()
    exported = {json.loads(line)["id"] for line in lines}
    assert exported == {one["id"] for one in sweep(repetitions=100)}
    with measured.reading() as session:
        (commit,) = session.scalars(select(tables.Commit.id)).all()
        (machine,) = session.scalars(select(tables.Machine.id)).all()
        assert {one.count for one in points.of_commit(session, commit, machine)} == {10}


def test_old_repetitions_are_exported_and_thinned_when_it_is_time(
    measured, engine, work_off, tmp_path, monkeypatch
):
    monkeypatch.setenv("SCALEWATCH_HOME", str(tmp_path))
    get_settings.cache_clear()
    with measured.writing.begin() as session:
        policy = Policy(retention_days=30, kept_repetitions=21)
        policies.change(session, "mpich", policy)
        session.execute(
            update(tables.Run).values(received_at=tables.now() - timedelta(days=31))
        )

    for _ in range(2):  # the second time nothing is due
        with measured.writing.begin() as session:
            retention.queue_due(session, timedelta(hours=24))
        work_off()

    [export] = (tmp_path / "exports").iterdir()
    lines = zstandard.decompress(export.read_bytes()).splitlines()
    with engine.connect() as connection:
        assert set(connection.scalars(select(tables.Point.count))) == {21}
        kinds = connection.scalars(select(tables.Job.kind)).all()
    assert kinds.count("thin") == 2  # one for the runs, one that found no more
    with measured.reading() as session:
        assert payloads.runs_after(session, 0, limit=100) == []
    assert [len(json.loads(line)["results"][0]["values"]) for line in lines] == [
        100 for _ in sweep_reports()
    ]
    get_settings.cache_clear()
