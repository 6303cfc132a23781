"""Documents keep to what is there: files, settings, commands."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch.cli.deferred import Deferred
from scalewatch.settings import Settings
from scalewatch_agent.cli import main as scalewatch_agent
from scalewatch_agent.experiments.launchers import LAUNCHERS

CHECKOUT = Path(__file__).parents[1]
PAGES = [
    *(CHECKOUT / name for name in ("README.md", "CHANGELOG.md", "STYLE.md")),
    *sorted((CHECKOUT / "docs").glob("*.md")),
]
OPERATIONS = (CHECKOUT / "docs" / "operations.md").read_text("utf-8")
PROGRAMS = {"scalewatch": scalewatch, "scalewatch-agent": scalewatch_agent}
WIDTH = 100
README_LINES = 130

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SETTING = re.compile(r"\bSCALEWATCH_[A-Z_]*[A-Z]\b")
ROW = re.compile(r"^\| `([A-Z_]+)` \| (.+?) \| .+ \|$", re.MULTILINE)
READ = re.compile(
    r"""environ(?:ment)?\.get\(\s*"([A-Z0-9_]+)"|"""
    r"""_required\(environment,\s*"([A-Z0-9_]+)"\)|"""
    r"""variables\.get\("([A-Z0-9_]+)"\)|"""
    r"""envvar="([A-Z0-9_]+)"|"(XDG_[A-Z]+_HOME)"|FOLDER: Final = "([A-Z_]+)\""""
)


def name(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


def prose_of(page: Path) -> str:
    return FENCE.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page, as forges derive them from its headings."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


def sources() -> Iterator[str]:
    for folder in ("backend", "bench_agent"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            yield path.read_text("utf-8")


def shown_commands() -> Iterator[str]:
    """Yield the commands of ours that pages show in shell blocks."""
    for page in PAGES:
        for language, block in FENCE.findall(page.read_text("utf-8")):
            if language == "sh":
                for line in block.replace("\\\n", "").splitlines():
                    if line.split(" ")[0] in PROGRAMS:
                        yield line


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_of_a_page_lead_somewhere(page):
    for link in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        goal = (page.parent / file).resolve() if file else page

        assert goal.exists(), link
        assert not anchor or anchor in anchors(goal), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_of_a_page_fit_a_window_but_for_tables(page):
    lines = page.read_text("utf-8").splitlines()

    long = [line for line in lines if len(line) > WIDTH and not line.startswith("|")]
    assert long == []


def test_readme_is_short_and_leads_to_every_document():
    readme = (CHECKOUT / "README.md").read_text("utf-8")

    assert len(readme.splitlines()) <= README_LINES
    for page in PAGES[1:]:
        assert f"]({name(page)})" in readme


def test_readme_shows_what_the_command_prints(monkeypatch):
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    [transcript] = re.findall(r"```console\n\$ scalewatch (.+)\n((?:.+\n)+)```", readme)
    monkeypatch.chdir(CHECKOUT)

    done = CliRunner().invoke(scalewatch, shlex.split(transcript[0]))

    assert done.exit_code == 0
    assert done.stdout == transcript[1]


def test_every_setting_is_documented_with_its_default(monkeypatch):
    for setting in Settings.model_fields:
        monkeypatch.delenv(f"SCALEWATCH_{setting}".upper(), raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    settings = Settings()

    section = OPERATIONS.partition("## Settings")[2].partition("\n### ")[0]
    assert dict(ROW.findall(section)) == {
        f"SCALEWATCH_{field}".upper(): as_documented(field, value)
        for field, value in settings
    }


def as_documented(field: str, value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int | float):
        return f"`{value:g}`"
    home = "/home/ada/.local/share/scalewatch"
    known = "~/.local/share/scalewatch" if field == "home" else "$SCALEWATCH_HOME"
    return f"`{str(value).replace(home, known)}`"


def test_every_variable_that_server_or_agent_reads_is_documented():
    read = {found for text in sources() for found in SETTING.findall(text)}
    read |= {
        next(filter(None, groups))
        for text in sources()
        for groups in READ.findall(text)
    }

    assert "GITLAB_TOKEN" in read
    assert {each for each in read - {"PATH"} if f"`{each}`" not in OPERATIONS} == set()


def test_no_page_names_a_setting_that_nothing_reads():
    compose = (CHECKOUT / "docker-compose.yml").read_text("utf-8")
    read = {f"SCALEWATCH_{field}".upper() for field in Settings.model_fields}
    read |= {found for text in sources() for found in SETTING.findall(text)}
    read |= set(SETTING.findall(compose))

    named = {
        each for page in PAGES for each in SETTING.findall(page.read_text("utf-8"))
    }
    assert named - read == set()


@pytest.mark.parametrize("line", sorted(shown_commands()))
def test_shown_command_exists_with_its_options(line):
    program, *words = shlex.split(line, comments=True)
    command: click.Command = PROGRAMS[program]
    context = click.Context(command)
    while isinstance(command, click.Group):
        _, found, words = command.resolve_command(context, words)
        assert found is not None
        command = found.load() if isinstance(found, Deferred) else found

    known = {option for each in command.params for option in each.opts}
    known |= {option for each in command.params for option in each.secondary_opts}
    options = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
    assert options <= known | {"--help"}


def test_shown_targets_of_make_exist():
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))

    for page in PAGES:
        for _, block in FENCE.findall(page.read_text("utf-8")):
            assert set(re.findall(r"\bmake ([a-z]+)", block)) <= targets


def test_every_launcher_and_every_key_of_it_is_explained():
    usage = (CHECKOUT / "docs" / "usage.md").read_text("utf-8")
    simulating = (CHECKOUT / "docs" / "simulating.md").read_text("utf-8")
    launchers = usage.partition("### Launchers")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", launchers, re.MULTILINE)
    keys = {key for section in LAUNCHERS.values() for key in section.model_fields}

    assert sorted(rows) == sorted(LAUNCHERS)
    assert [
        key
        for key in sorted(keys)
        if f"`{key}`" not in launchers and f"  {key}: " not in simulating
    ] == []
