"""Sites that need no server: links lead to files, and a store makes the same ones."""

import asyncio
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest
from click.testing import Result

from scalewatch.stores.store import Store
from support.sites import Links, contents, publish
from support.stored import history, report, sha

UNREADABLE, REFUSED = 3, 4
USAGE = 2

HOSTILE = [
    "Solve", "solve", "<img src=x onerror=alert(1)>", "a'b\"c", "CON", "nul.txt",
    "..\\..\\etc", "a b&c=d;e", "schlüssel", "漢字", "index.html", "x" * 200, "50%25",
    "solve-0123abcd",
]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A folder with a history in which a commit made a region slower."""
    folder = tmp_path_factory.mktemp("store")
    Store.at(str(folder)).add(history(40, regions=2, steps={30: (1, 1.5)}))
    return folder


@pytest.fixture(scope="module")
def site(store, tmp_path_factory):
    """Its site, with a base."""
    out = tmp_path_factory.mktemp("out") / "site"
    done = publish(store, out, "--commits", 5, "--base-url", "https://x.example/repo/")
    assert done.exit_code == 0, done.output
    return out


def test_no_link_of_a_site_is_dead_or_absolute(site):
    links = Links(site)

    assert links.relative > 500
    assert (links.dead, links.absolute, links.outside) == ([], [], set())


def test_names_are_plain_and_differ_without_case(site):
    names = contents(site).keys()

    assert [name for name in names if not re.fullmatch(r"[a-z0-9._/-]+", name)] == []
    assert len({name.lower() for name in names}) == len(names)


def test_pages_of_kept_commits_and_of_the_change_are_there(site):
    names = contents(site).keys()

    reports = {
        name for name in names if re.fullmatch(r"p/hydro/c/\w+/index.html", name)
    }
    assert reports == {
        f"p/hydro/c/{sha(number)[:10]}/index.html" for number in (30, *range(35, 40))
    }
    assert "p/hydro/r/kernel1/index.html" in names
    assert "p/hydro/regressions/1/index.html" in names
    assert "p/hydro/history/region-kernel1.html" in names
    assert "p/hydro/badge.svg" in names


def test_pages_offer_nothing_that_needs_a_server(site):
    pages = [f.read_text() for f in site.rglob("*.html")]

    for page in pages:
        assert 'method="post"' not in page
        assert "site.invalid" not in page
        assert 'type="module"' not in page
        assert "data-live" not in page.partition("<main")[0]
        assert ">Settings<" not in page
        assert ">Status<" not in page


def test_links_to_what_is_not_there_are_text_that_says_so(site):
    region = (site / "p/hydro/r/kernel1/index.html").read_text()

    assert "kept in the store" in region


def test_choices_lead_to_pages_of_the_site_and_others_are_absent(site):
    page = (site / "p/hydro/index.html").read_text()
    commits = page.partition('id="commit"')[2].partition("</select>")[0]

    assert commits.count("<option") == 6
    assert commits.count("data-goto") == 5
    assert 'id="vs"' not in page


def test_feeds_state_the_address_of_the_site(store, site, tmp_path):
    publish(store, tmp_path / "bare", "--commits", 2)

    feed = (site / "p/hydro/regressions.atom").read_text()
    page = f"p/hydro/regressions/{sha(30)[:12]}/constant/kernel1/index.html"
    assert f"https://x.example/repo/{page}" in feed
    assert (site / page).is_file()
    assert "site.invalid" not in feed
    assert not list((tmp_path / "bare").rglob("*.atom"))


def test_the_search_finds_pages_of_the_site(site):
    text = (site / "assets/search.js").read_text()
    hits = json.loads(text.removeprefix("window.searchIndex = ").rstrip(";\n"))

    assert {hit["kind"] for hit in hits} >= {
        "Commits", "Machines", "Pages", "Projects", "Regions", "Regressions",
    }  # fmt: skip
    assert all((site / hit["path"]).is_file() for hit in hits)


def test_the_same_store_makes_the_same_bytes_in_any_order_on_any_day(
    store, site, tmp_path
):
    other = tmp_path / "other"
    files = sorted((store / "runs").rglob("*.jsonl"), reverse=True)
    for file in files:
        to = other / file.relative_to(store)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
        os.utime(to, (1, 1))
    shutil.copy(store / "store.json", other)

    publish(
        other, tmp_path / "out", "--commits", 5, "--base-url", "https://x.example/repo"
    )

    again, before = contents(tmp_path / "out"), contents(site)
    assert again.keys() == before.keys()
    assert [name for name in before if again[name] != before[name]] == []


def test_a_cache_makes_the_same_pages_and_only_changed_files_are_written(tmp_path):
    lines = [*history(30, regions=2)]
    Store.at(str(tmp_path / "s")).add(lines[:-5])
    cache = ("--cache", tmp_path / "kept" / "c.db", "--commits", 3)
    publish(tmp_path / "s", tmp_path / "site", *cache)
    first = contents(tmp_path / "site")
    icon = tmp_path / "site/assets/icon.svg"
    os.utime(icon, (1, 1))
    Store.at(str(tmp_path / "s")).add(lines[-5:])

    done = publish(tmp_path / "s", tmp_path / "site", *cache)
    publish(tmp_path / "s", tmp_path / "cold", "--commits", 3)

    second, cold = contents(tmp_path / "site"), contents(tmp_path / "cold")
    assert done.exit_code == 0
    assert icon.stat().st_mtime == 1
    oldest = f"p/hydro/c/{sha(26)[:10]}/index.html"
    assert oldest in first
    assert oldest not in second
    assert second.keys() == cold.keys()
    # The models of commits that had pages before stay in histories.
    others = [n for n in cold if "/history/" not in n and "view-table" not in n]
    assert [name for name in others if second[name] != cold[name]] == []


def test_hostile_names_become_plain_files_and_no_markup(tmp_path):
    lines = [
        report(
            number, p, {name: [1.0 + p, 1.1 + p] for name in HOSTILE}, machine=machine
        )
        for number in (1, 2)
        for p in (1, 2, 4, 8)
        for machine in ("M1", "m1")
    ]
    Store.at(str(tmp_path / "s")).add(lines)

    done = publish(tmp_path / "s", tmp_path / "site")

    links = Links(tmp_path / "site")
    names = contents(tmp_path / "site").keys()
    assert done.exit_code == 0, done.output
    assert (links.dead, links.absolute, links.outside) == ([], [], set())
    assert all(re.fullmatch(r"[a-z0-9._/-]+", name) for name in names)
    assert not any(re.search(r"(^|/)(con|nul)(\.|/)", name) for name in names)
    regions = {Path(name).parts[3] for name in names if name.startswith("p/hydro/r/")}
    assert len(regions) == len(HOSTILE)
    for page in (tmp_path / "site").rglob("*.html"):
        assert "<img src=x" not in page.read_text()


def test_several_projects_are_shown_and_one_may_be_chosen(tmp_path):
    store = Store.at(str(tmp_path / "s"))
    for project in ("A", "b"):
        store.add([report(1, p, {"r": [1.0]}, project=project) for p in (1, 2, 4)])

    publish(tmp_path / "s", tmp_path / "both")
    publish(tmp_path / "s", tmp_path / "alone", "--project", "b")

    both = {
        name.split("/")[1] for name in contents(tmp_path / "both") if name[:2] == "p/"
    }
    alone = {
        name.split("/")[1] for name in contents(tmp_path / "alone") if name[:2] == "p/"
    }
    assert len(both) == 2
    assert alone == {"b"}


def test_a_site_is_written_where_a_loop_already_runs(store, tmp_path):
    async def notebook() -> Result:
        return publish(store, tmp_path / "site", "--commits", 1)

    # A test of browsers may have left a loop in this thread.
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(lambda: asyncio.run(notebook())).result()

    assert done.exit_code == 0


def test_a_first_commit_whose_jobs_were_disturbed_has_a_site(tmp_path):
    runs = [json.loads(report(1, p, {"solve": [1.0 / p]})) for p in (1, 2, 4, 8)]
    for run in runs:
        run["results"][0]["procedure"] = {"disturbed": True}
    Store.at(str(tmp_path / "s")).add([json.dumps(run).encode() for run in runs])

    done = publish(tmp_path / "s", tmp_path / "site")

    assert done.exit_code == 0, done.output
    assert (tmp_path / "site/p/hydro/r/solve/index.html").is_file()


def test_equal_pictures_are_one_file_and_the_only_machine_chooses_no_page(site):
    files = contents(site)
    pictures = [content for name, content in files.items() if "pictures" in name]
    used = [
        picture
        for page in site.rglob("*.html")
        for picture in re.findall(r'src="[./]*assets/pictures/(\w+)', page.read_text())
    ]

    assert len({*pictures}) == len(pictures) == len({*used})
    assert len(used) > len(pictures)
    assert not [name for name in files if "machine-" in name]


def test_figures_have_the_digits_that_are_shown_and_whole_numbers_whole(site):
    page = (site / "p/hydro/history/region-kernel1.html").read_text()
    (document,) = re.findall(r"data-drawn='([^']*)'", page)
    figure = json.loads(document)
    (line,) = [trace for trace in figure["data"] if "ids" in trace]
    opened = json.loads(unescape(re.findall(r'data-opens="([^"]*)"', page)[0]))

    assert max(len(str(y).replace(".", "").lstrip("0")) for y in line["y"]) <= 7
    assert line["x"] == [*range(40)]
    assert line["ids"][:3] == ["0", "1", "2"]
    assert opened.keys() == {each for each in line["ids"] if len(each) == 40}


def test_files_of_others_stay(store, tmp_path):
    publish(store, tmp_path, "--commits", 1)
    (tmp_path / "CNAME").write_text("x.example")

    done = publish(store, tmp_path, "--commits", 2)

    assert done.exit_code == 0
    assert (tmp_path / "CNAME").read_text() == "x.example"


def test_a_folder_that_is_no_site_is_left_alone(store, tmp_path):
    (tmp_path / "thesis.tex").write_text("work")

    done = publish(store, tmp_path)

    assert done.exit_code == REFUSED
    assert "holds other files" in done.stderr
    assert [*contents(tmp_path)] == ["thesis.tex"]


def test_a_list_of_files_removes_nothing_outside_of_the_site(store, tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("work")
    site = tmp_path / "site"
    site.mkdir()
    names = ["../victim.txt", str(victim), "a/../../victim.txt"]
    (site / "scalewatch-site.json").write_text(json.dumps({"site": 1, "files": names}))

    done = publish(store, site, "--commits", 1)

    assert done.exit_code == 0
    assert victim.read_text() == "work"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "not json", '{"files": [1]}', '{"files": 3}']
)
def test_a_broken_list_of_files_is_named(store, tmp_path, text):
    (tmp_path / "scalewatch-site.json").write_text(text)

    done = publish(store, tmp_path)

    assert done.exit_code == REFUSED
    assert "cannot be read" in done.stderr


def test_a_file_in_place_of_the_folder_is_named(store, tmp_path):
    (tmp_path / "site").write_text("")

    done = publish(store, tmp_path / "site")

    assert done.exit_code == REFUSED
    assert str(tmp_path / "site") in done.stderr


def test_a_full_disk_ends_in_one_line(store):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = publish(store, Path("/dev/full/site"))

    assert done.exit_code == REFUSED
    assert done.stderr.count("\n") == 1


def test_a_store_without_runs_is_told(tmp_path):
    (tmp_path / "s").mkdir()

    done = publish(tmp_path / "s", tmp_path / "site")

    assert done.exit_code == UNREADABLE
    assert not (tmp_path / "site").exists()


def test_lines_that_cannot_be_read_are_named_and_the_others_shown(tmp_path):
    Store.at(str(tmp_path / "s")).add(history(3, regions=1))
    file = next((tmp_path / "s" / "runs").rglob("*.jsonl"))
    file.write_bytes(file.read_bytes()[:-20])

    done = publish(tmp_path / "s", tmp_path / "site")

    assert done.exit_code == UNREADABLE
    assert file.name in done.stderr
    assert (tmp_path / "site/index.html").is_file()


def test_a_base_that_is_no_address_is_wrong_usage(store, tmp_path):
    done = publish(store, tmp_path, "--base-url", "javascript:alert(1)")

    assert done.exit_code == USAGE
