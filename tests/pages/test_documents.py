"""LaTeX and Markdown of every page can be pasted: they compile and fit the text."""

import re
import shutil
import subprocess

import pytest

from support.addresses import large_examples, page_addresses
from support.builders import sweep_reports
from support.odd_projects import ODD_PROJECTS
from support.recorded import record, record_configurations, record_hydro
from support.traced import wavefront

PDFLATEX = shutil.which("pdflatex")
DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{array,booktabs,longtable}
\begin{document}
%s
\end{document}
"""
NUMBER = re.compile(r"(?<![\w.:\-])\d[\d,]*\.\d+")
"""A number with decimals, no part of a name or version."""

MOST_DIGITS = 4
"""Digits of a single time in a table of efficiencies; all else has three."""


HOSTILE = (
    "100 %_&~^\\\\ {x} $y$ <z> | `w` \N{GREEK CAPITAL LETTER OMEGA}",
    "O(log p) 名前",
)
"""Names of regions that mean something to LaTeX, or that its fonts lack."""

OTHERS = {
    "traces": lambda sessions: record(sessions, wavefront()),
    "hotspots": record_hydro,
    "configurations": record_configurations,
    "hostile": lambda sessions: record(
        sessions,
        sweep_reports(
            (1, 2, 4, 8, 16),
            {name: lambda p: 1e-5 * p for name in HOSTILE},
            project="hostile",
            coordinate={"p": 1, "message_bytes": 8},
        ),
    ),
}
PAGES = {
    "traces": ("/p/sweep/traces",),
    "hotspots": ("/p/hydro/hotspots?held=distribution%3Dtiled", "/p/hydro"),
    "configurations": ("/p/hybrid/configurations", "/p/hybrid"),
    "hostile": (
        "/p/hostile",
        "/p/hostile/cost",
        "/p/hostile/efficiency",
        "/search?q=O",
    ),
}
"""Pages of further projects, of which the large one has none."""

compiles = pytest.mark.skipif(PDFLATEX is None, reason="pdflatex is not installed")


def documents_of(client, addresses, form="tex"):
    """Return what pages give as LaTeX or as Markdown, by address."""
    written = {}
    for address in addresses:
        mark = "&" if "?" in address else "?"
        answer = client.get(f"{address}{mark}format={form}")
        if "html" not in answer.headers["content-type"]:
            written[address] = answer.text
    return written


def said_by_latex(tables, folder, box="[hv]box"):
    """Return what pdfLaTeX says of tables in a document; nothing where all is well.

    They compile, and fit the text of the class `article`: no box is overfull.
    """
    text = DOCUMENT % "\n\\clearpage\n".join(tables)
    (folder / "all.tex").write_text(text, "utf-8")
    command = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    said = done.stdout.decode(errors="replace")
    wide = "\n".join(re.findall(rf"Overfull .{box} .*", said))
    return said[-400:] if done.returncode else wide


@compiles
def test_latex_of_every_page_compiles(large_client, tmp_path):
    addresses = page_addresses(large_examples(large_client))
    tables = documents_of(large_client, addresses).values()

    said = said_by_latex(tables, tmp_path)

    assert len(tables) > 20
    assert said == ""


@compiles
@pytest.mark.parametrize("build", ODD_PROJECTS, ids=lambda build: build.__name__)
def test_latex_of_odd_projects_compiles(client, sessions, build, tmp_path):
    project = build(sessions)
    tables = documents_of(client, page_addresses(project.examples)).values()

    # A cell of names of 200 letters may be higher than a page.
    assert said_by_latex(tables, tmp_path, "hbox") == ""


@compiles
@pytest.mark.parametrize("kind", OTHERS)
def test_latex_of_traces_profiles_and_hostile_names_compiles(
    client, sessions, kind, tmp_path
):
    OTHERS[kind](sessions)
    tables = documents_of(client, PAGES[kind])

    assert [*tables] == [*PAGES[kind]]
    assert said_by_latex(tables.values(), tmp_path) == ""


@pytest.mark.parametrize("form", ["tex", "md"])
def test_numbers_in_documents_have_the_digits_of_pages(large_client, form):
    addresses = page_addresses(large_examples(large_client))
    long = {
        (address, number)
        for address, text in documents_of(large_client, addresses, form).items()
        for number in NUMBER.findall(text)
        if len(re.sub(r"^0[.0]*|[.,]", "", number)) > MOST_DIGITS
    }

    assert long == set()
