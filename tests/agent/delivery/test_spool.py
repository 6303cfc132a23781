import errno
import json
import os
from uuid import UUID

import pytest

from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.errors import FolderUnwritable, UnreadableEntry
from scalewatch_agent.folders import libraries_folder, spool_folder
from support.builders import run_report

SERVER = "http://server"


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "spool")


def spooled(spool, number=1):
    entry = spool.entry(run_report(id=str(UUID(int=number))), SERVER)
    spool.put(entry)
    return entry


def entries(paths):
    return [SpooledRun.read(path) for path in paths]


def test_run_comes_back_from_disk_as_it_was_put(spool):
    entry = spooled(spool)

    assert entries(spool.pending()) == [entry]
    assert SpooledRun.read(entry.path).body == entry.body


def test_body_is_what_the_server_reads_as_the_same_run(spool):
    report = run_report()

    entry = spool.entry(report, SERVER)

    assert type(report).model_validate_json(entry.body) == report


def test_file_is_there_whole_or_not_at_all(spool, monkeypatch):
    def fail(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FolderUnwritable, match="No space left") as failure:
        spooled(spool)

    assert failure.value.folder == spool.folder
    assert [path for path in spool.folder.iterdir() if path.is_file()] == []


def test_oldest_run_comes_first(spool):
    late, early = spooled(spool, 1), spooled(spool, 2)
    os.utime(early.path, (1, 1))

    assert entries(spool.pending()) == [early, late]


def test_removed_run_is_gone_and_may_be_removed_again(spool):
    entry = spooled(spool)

    spool.remove(entry)
    spool.remove(entry)

    assert list(spool.pending()) == []


def test_refused_run_lies_apart_beside_its_problem(spool):
    problem = {"status": 422, "detail": "p is negative"}

    spool.reject(spooled(spool), problem)

    (refused,) = entries(spool.refused())
    assert refused.problem == problem
    assert list(spool.pending()) == []


def test_removing_a_refused_run_removes_its_problem(spool):
    spool.reject(spooled(spool), {"status": 422})

    spool.remove(*entries(spool.refused()))

    assert list(spool.rejected.iterdir()) == []


def test_run_that_a_full_disk_kept_out_is_written_later(spool):
    entry = spool.entry(run_report(), SERVER)

    spool.keep(entry)

    assert entries(spool.pending()) == [entry]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        "[" * 100_000,
        '{"server": "s", "spooled_at": "now", "run": {"id": "1"}}',
    ],
)
def test_file_without_a_run_is_named(spool, content):
    path = spool.folder / "broken.json"
    path.write_text(content)

    with pytest.raises(UnreadableEntry) as failure:
        SpooledRun.read(path)

    assert failure.value.path == path


@pytest.fixture
def umask_of_all():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask_of_all")
def test_spool_is_its_owners_alone_whatever_the_umask(tmp_path):
    earlier = tmp_path / "spool"
    earlier.mkdir(0o777)

    spool = Spool(earlier)
    entry, refused = spooled(spool), spooled(spool, 2)
    path = spool.reject(refused, {"detail": "no"})

    folders = [spool.folder, spool.rejected]
    files = [entry.path, path, path.with_suffix(".problem")]
    assert {oct(folder.stat().st_mode & 0o777) for folder in folders} == {"0o700"}
    assert {oct(file.stat().st_mode & 0o777) for file in files} == {"0o600"}


@pytest.mark.usefixtures("umask_of_all")
def test_nobody_else_can_put_another_spool_in_its_place(tmp_path):
    Spool(tmp_path / "state" / "agent" / "spool")

    for folder in (tmp_path / "state", tmp_path / "state" / "agent"):
        assert oct(folder.stat().st_mode & 0o777) == "0o700"


def test_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(FolderUnwritable, match="SCALEWATCH_AGENT_HOME"):
        Spool(tmp_path / "file" / "spool")


def test_file_is_readable_by_people(spool):
    content = json.loads(spooled(spool).path.read_text())

    assert content["server"] == SERVER
    assert content["run"]["project"] == "mpich"


@pytest.mark.parametrize(
    ("environment", "libraries", "spool"),
    [
        ({"SCALEWATCH_AGENT_HOME": "/a"}, "/a/mpi", "/a/spool"),
        (
            {"XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "/s"},
            "/c/scalewatch-agent/mpi",
            "/s/scalewatch-agent/spool",
        ),
    ],
)
def test_folders_follow_the_environment(environment, libraries, spool):
    assert str(libraries_folder(environment)) == libraries
    assert str(spool_folder(environment)) == spool
