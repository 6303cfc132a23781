import gzip
import io
import tarfile
import zipfile

import pytest

from scalewatch.importers import read_files

TABLE = "region,p,time\nsolve,4,1\nsolve,8,2\n"


def test_folder_is_read_file_by_file_and_says_what_it_passes_over(tmp_path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text(TABLE)
    (tmp_path / "README").write_text("It was a dark and stormy night.\n")
    (tmp_path / "broken.json").write_text('{"params": ')

    reading = read_files([str(tmp_path)])

    assert len(reading.series) == 1
    assert reading.passed_over == [str(tmp_path / "README")]
    assert [error.source for error in reading.unreadable] == [
        str(tmp_path / "broken.json")
    ]


def test_prose_with_commas_is_passed_over(tmp_path) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "NOTES").write_text("Runs, as ever, on Monday.\nSlow, but done.\n")

    reading = read_files([str(tmp_path)])

    assert reading.passed_over == [str(tmp_path / "NOTES")]
    assert not reading.unreadable


def test_only_archives_are_opened_as_archives(tmp_path, monkeypatch) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    opened = []
    monkeypatch.setattr(tarfile, "open", lambda *of: opened.append(of))

    assert len(read_files([str(tmp_path)]).series) == 1
    assert not opened


def test_compressed_archive_is_read(tmp_path) -> None:
    for kind in ("gz", "xz", "bz2"):
        path = tmp_path / f"a.tar.{kind}"
        with tarfile.open(path, f"w:{kind}") as held:
            member = tarfile.TarInfo("a.csv")
            member.size = len(TABLE)
            held.addfile(member, io.BytesIO(TABLE.encode()))

        assert len(read_files([str(path)]).series) == 1


def test_link_that_leads_out_of_the_folder_is_not_followed(tmp_path) -> None:
    (tmp_path / "secret.csv").write_text(TABLE)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.csv").symlink_to(tmp_path / "secret.csv")

    reading = read_files([str(tmp_path / "in")])

    assert not reading.series


def archive(path, kind) -> str:
    if kind == "gzip":
        path.write_bytes(gzip.compress(TABLE.encode()))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as held:
            held.writestr("a.csv", TABLE)
    else:
        with tarfile.open(path, "w") as held:
            member = tarfile.TarInfo("a.csv")
            member.size = len(TABLE)
            held.addfile(member, io.BytesIO(TABLE.encode()))
    return str(path)


@pytest.mark.parametrize("kind", ["gzip", "zip", "tar"])
def test_archive_is_read_and_a_cut_one_named(tmp_path, kind) -> None:
    path = archive(tmp_path / "whole", kind)
    content = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(
        content[: 530 if kind == "tar" else len(content) * 2 // 3]
    )

    assert len(read_files([path]).series) == 1
    errors = read_files([str(tmp_path / "cut")]).unreadable
    assert {error.source for error in errors} == {str(tmp_path / "cut")}
