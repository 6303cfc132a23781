"""What lies in folders and archives and is no result, or more than a disk holds."""

import gzip
import io
import os
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scalewatch.importers import AUTO, SettingRules, archives, read_files
from scalewatch.importers.files import read_source
from scalewatch.importers.source import Source

TABLE = "p,time\n4,1\n8,2\n"
BOMB = TABLE + "16,3\n" * 10_000


def zipped(path: Path, text: str) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    return str(path)


def gzipped(path: Path, text: str) -> str:
    path.write_bytes(gzip.compress(text.encode()))
    return str(path)


def tarred(path: Path, text: str) -> str:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("t.csv")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text.encode()))
    return str(path)


PACKED = {"t.zip": zipped, "t.csv.gz": gzipped, "t.tar.gz": tarred}


@pytest.mark.parametrize("name", PACKED)
def test_packed_file_is_read_and_a_bomb_refused(tmp_path, monkeypatch, name) -> None:
    sound = PACKED[name](tmp_path / name, TABLE)
    [series] = read_files([sound]).series
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 30_000)

    reading = read_files([PACKED[name](tmp_path / f"bomb-{name}", BOMB)])

    assert series.values.tolist() == [[1], [2]]
    assert not reading.series
    [error] = reading.unreadable
    assert "it holds more than 2 GiB once unpacked" in str(error)


@pytest.mark.parametrize("name", PACKED)
def test_bomb_is_refused_long_before_it_is_too_large(
    tmp_path, monkeypatch, name
) -> None:
    monkeypatch.setattr(archives, "USUAL_MEMBER", 30_000)
    monkeypatch.setattr(archives, "MOST_UNPACKED", 20)

    reading = read_files([PACKED[name](tmp_path / name, BOMB)])

    assert not reading.series
    assert "it holds more than 20 times its size once unpacked" in str(
        reading.unreadable[0]
    )


def test_archive_of_many_bombs_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 30_000)
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.csv", BOMB[:15_000] + "\n")

    reading = read_files([str(tmp_path / "t.zip")])

    assert len(reading.series) == 1
    assert "it holds more than 16 GiB" in str(reading.unreadable[0])


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_cut_archive_says_that_it_is_broken(tmp_path, name, share) -> None:
    path = Path(PACKED[name](tmp_path / name, BOMB))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    reading = read_files([str(path)])

    assert reading.unreadable
    assert all(str(path) in str(error) for error in reading.unreadable)


def test_links_that_lead_out_of_a_folder_or_an_archive_are_left_out(tmp_path) -> None:
    outside = tmp_path / "outside"
    folder = tmp_path / "folder"
    for each in (outside, folder):
        each.mkdir()
        (each / "t.csv").write_text(TABLE)
    (folder / "link.csv").symlink_to(outside / "t.csv")
    (folder / "linked").symlink_to(outside)
    (folder / "nowhere").symlink_to(tmp_path / "missing")
    os.mkfifo(folder / "pipe")
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        archive.add(folder / "t.csv", "t.csv")
        archive.add(folder / "link.csv", "link.csv")

    from_folder = read_files([str(folder)])
    from_archive = read_files([str(tmp_path / "t.tar")])

    assert (from_folder.files, len(from_folder.series)) == (1, 1)
    assert (from_archive.files, len(from_archive.series)) == (1, 1)


@pytest.mark.parametrize("name", ["t.cubex", "t.cali", "t.db", "profile.0.0.0", "t.gz"])
def test_table_with_the_ending_of_another_tool_is_a_table(write, name) -> None:
    [series] = read_files([write(TABLE, name)]).series

    assert series.values.tolist() == [[1], [2]]


@pytest.mark.parametrize("kind", ["cube", "database", "caliper", "asv", "tau", "imb"])
def test_table_that_is_told_to_be_something_else_is_refused(write, kind) -> None:
    [error] = read_files([write(TABLE)], kind).unreadable

    assert "\n" not in str(error)


def test_name_with_control_characters_is_told_in_one_line(tmp_path) -> None:
    (tmp_path / "a\n\x1b[31mb.csv").write_text("p,time\n4,x\n")

    [error] = read_files([str(tmp_path)]).unreadable

    assert "a\\n\\x1b[31mb.csv: line 2: expected a number" in str(error)


@pytest.mark.parametrize("name", PACKED)
def test_archive_comes_through_standard_input(tmp_path, monkeypatch, name) -> None:
    content = Path(PACKED[name](tmp_path / name, TABLE)).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    [series] = read_files(["-"]).series

    assert series.values.tolist() == [[1], [2]]


def test_long_log_is_not_held_in_memory() -> None:
    def lines() -> Iterator[bytes]:
        yield b"# OSU MPI Multiple Bandwidth Test v5.6\n"
        yield b"# [ pairs: 8 ]\n"
        yield b"# Size  MB/s\n"
        yield b"1  2.5\n"
        yield b"\n"
        for number in range(120_000):  # 5 MB
            yield b"iteration %d of a long job that says so\n" % number

    tracemalloc.start()
    scans = read_source(Source("log", lines()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(scans.series()) == 1
    assert peak < 4 * 2**20


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        ("1e999", "a setting of a (p) is not finite"),
        ("9" * 400, "it holds a number beyond 1e308"),
    ],
)
def test_setting_beyond_all_numbers_is_refused(write, number, fault) -> None:
    path = write(
        '{"session_info": {}, "runs": [{"testcases": [{"name": "a", "num_tasks": '
        f'{number}, "perfvalues": {{"a:b:t": [1.5, 0, null, null, "s"]}}}}]}}]}}'
    )

    [error] = read_files([path]).unreadable

    assert str(error) == f"cannot read {path}: {fault}"


def test_value_beyond_all_numbers_is_refused(write) -> None:
    path = write(
        "Flat profile:\n\n  %   cumulative   self              self     total\n"
        " time   seconds   seconds    calls  ms/call  ms/call  name\n"
        f" 60.00      0.03     {400 * '9'}.03     7208     0.00     0.00  f\n"
    )

    [error] = read_files([path], rules={AUTO: SettingRules(at={"p": 8.0})}).unreadable

    assert str(error) == f"cannot read {path}: a value of f is not finite"


@pytest.mark.parametrize("name", ["null", "nan", "None"])
def test_test_may_be_called_as_nothing_is_written(write, name) -> None:
    path = write(
        f'{{"session_info": {{}}, "runs": [{{"testcases": [{{"name": "{name}", '
        '"num_tasks": 2, "perfvalues": {"a:b:t": [1.5, 0, null, null, "s"]}}]}]}'
    )

    [series] = read_files([path]).series

    assert series.region == name


def test_file_that_begins_with_thousands_of_blank_lines_is_of_no_known_format(
    tmp_path,
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\n" * 70_000 + TABLE)

    [error] = read_files([str(path)]).unreadable

    assert "is of no known format" in error.reason
