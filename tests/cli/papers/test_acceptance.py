"""Needs of forms and their reviewers of a section, each as a whole command.

The acceptance tests of proposals that `test_report` has not: documents that compile and
embed their fonts, hostile names, jobs of Slurm, limits, and nothing wrong in silence.
"""

import csv
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from scalewatch.figures.printed import INK, MEASURED
from support.papers import NEEDS_EXTRA, content

WRITTEN, NOTHING = 0, 4
STRONG = "nodes,time\n4,1000\n8,520\n16,275\n32,146\n64,91\n"
JOBS = """\
JobID|JobName|NNodes|State|ElapsedRaw|Restarts|ExitCode
101|neko|4|COMPLETED|1000|0|0:0
101.batch|batch|1|COMPLETED|999|0|0:0
101.extern|extern|4|COMPLETED|1000|0|0:0
102|neko|8|COMPLETED|520|0|0:0
103|neko|16|FAILED|12|0|1:0
104|neko|16|COMPLETED|275|0|0:0
105|neko|32|TIMEOUT|3600|0|0:0
106|neko|32|COMPLETED|146|0|0:0
107|neko|64|CANCELLED by 1001|30|0|0:0
108|neko|64|COMPLETED|91|0|0:0
109|neko|64|RUNNING|44|0|0:0
"""


def table(report):
    text = (report.out / "numbers.csv").read_text()
    return list(csv.DictReader(text.splitlines()))


HOSTILE = (
    'R&D #1 50% {x} ~ ^ \\n $5 "q"',
    "α_β",
    "10⁶ m²",
    "Jülich",
    "富岳",
    "#let x",
    "a|b *c*",
    "bell\x07",
)


@NEEDS_EXTRA
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing")
@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_written_in_every_form_and_compiles(report, name):
    done = report(STRONG, "--code", name, "--case", name, "--runs", "2")
    compiled = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "document.tex"],
        cwd=report.out,
        capture_output=True,
        check=False,
    )

    assert done.exit_code == WRITTEN, done.stderr
    assert compiled.returncode == 0, compiled.stdout.decode(errors="replace")[-500:]
    with zipfile.ZipFile(report.out / "section.docx") as archive:
        xml = archive.read("word/document.xml").decode()
    plain = re.sub(r"<[^>]+>", "", xml)
    for sign, entity in (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        plain = plain.replace(sign, entity)
    plain = plain.replace("\N{NO-BREAK SPACE}", " ")
    assert name.replace("\x07", "") in plain
    for document in ("section.pdf", "document.pdf"):
        fonts = fonts_of(report.out / document)
        assert {font.split()[-5] for font in fonts} == {"yes"}  # embedded
        assert not [font for font in fonts if "Type 3" in font]


def fonts_of(path):
    """Return the lines of the fonts of a PDF: name, type, … embedded, …"""
    if shutil.which("pdffonts") is None:
        pytest.skip("pdffonts is missing")
    command = ["pdffonts", str(path)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    _, _, *fonts = listed.stdout.splitlines()
    return fonts


def test_jobs_that_did_not_complete_are_left_out_and_listed(report):
    options = ("--file-format", "sacct", "--format", "csv,json,md")
    done = report(JOBS, *options, name="jobs.txt")

    assert done.exit_code == WRITTEN, done.stderr
    measured = [row for row in table(report) if "forecast" not in row["remark"]]
    assert [row["Time (s)"] for row in measured] == ["1,000", "520", "275", "146", "91"]
    said = "Runs that failed are left out: 3 at 16, 32, 64 nodes (jobs 103, 105, 107)."
    assert said in done.stdout
    assert said in content(report)["notes"]
    assert "1 jobs have not ended" in done.stderr


def test_jobs_that_were_restarted_cost_nothing_until_that_is_settled(report):
    text = JOBS.replace("146|0|", "146|2|")
    options = ("--file-format", "sacct", "--format", "csv,json")
    done = report(text, *options, name="jobs.txt")

    assert done.exit_code == WRITTEN, done.stderr
    assert content(report)["scaling"]["hours_unit"] is None
    assert "Jobs on 32 nodes were restarted" in done.stdout


def test_single_values_have_no_interval_and_the_caption_says_what_is_assumed(report):
    report(STRONG, "--format", "csv,md")

    measured = [row for row in table(report) if "forecast" not in row["remark"]]
    assert not [row for row in measured if "±" in row["Time (s)"]]
    assert all("±" in row["Efficiency (%)"] for row in measured[1:])
    text = (report.out / "section.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "assumes 2 % from job to job where a size was run once" in text


def test_the_other_kind_changes_title_caption_and_formulas(report):
    texts = []
    for kind in ("strong", "weak"):
        report(STRONG, "--format", "md,csv", "--scaling", kind)
        texts.append(((report.out / "section.md").read_text(), table(report)))

    (strong, by_strong), (weak, by_weak) = texts
    assert strong.startswith("## Strong scaling")
    assert weak.startswith("## Weak scaling")
    assert "*Table 1.* Weak scaling" in weak
    assert by_strong[1]["Efficiency (%)"].startswith("96")
    assert by_weak[1]["Efficiency (%)"].startswith("192")


@pytest.mark.parametrize(
    ("heading", "cost"),
    [
        ("ns/day", "Node-hours per ns"),
        ("SYPD", "Node-hours per simulated year"),
        ("ms per step", None),
    ],
)
def test_rates_cost_by_what_they_produce_and_steps_nothing(report, heading, cost):
    values = (10, 19, 36, 64) if cost else (80, 42, 23, 14)
    rows = "".join(f"{n},{v}\n" for n, v in zip((1, 2, 4, 8), values, strict=True))

    done = report(f"nodes,{heading}\n{rows}", "--format", "csv")

    assert done.exit_code == WRITTEN, done.stderr
    headings = [*table(report)[0]]
    hours = [each for each in headings if "hours" in each]
    assert hours == ([cost] if cost else [])


def test_the_base_of_cores_is_a_full_node_where_a_node_is_known(report):
    cores = (1, 2, 16, 64, 128, 256, 512)
    rows = "".join(f"{n},{1000 / n + 2}\n" for n in cores)

    done = report(
        f"cores,time\n{rows}", "--per-node", "cores=128", "--format", "json,csv"
    )

    assert done.exit_code == WRITTEN, done.stderr
    assert content(report)["scaling"]["base"] == 128
    assert [r["remark"] for r in table(report)][:4] == ["below the base"] * 4


@pytest.mark.parametrize(("gain", "passes"), [(1.52, True), (1.45, False)])
def test_a_gain_per_doubling_passes_or_fails(report, gain, passes):
    done = report(
        f"nodes,time\n4,1000\n8,{1000 / gain:.4g}\n",
        *("--doubling", "1.5", "--format", "json"),
    )

    words = "p to 8 nodes each doubling" if passes else "no doubling makes"
    assert words.lower() in done.stdout.lower().replace("\n", " ")


def test_the_sum_is_runs_times_length_times_hours(report):
    plan = ("--runs", "64", "--length", "25")
    report(STRONG, *plan, "--format", "json,md")

    (planned,) = content(report)["plan"]
    assert planned["hours"] == pytest.approx(64 * 25 * 32 * 146 / 3600)
    assert "2,080 ± 120" in (report.out / "section.md").read_text()


@NEEDS_EXTRA
def test_pictures_draw_points_filled_hollow_and_the_ideal_dashed(report):
    report(STRONG, "--format", "figures")

    drawn = (report.out / "figures/time.svg").read_text().lower()
    # In grey, the form tells them apart: the ideal dashed, a forecast hollow.
    assert "stroke-dasharray" in drawn
    assert f"fill: {MEASURED}; stroke: {MEASURED}" in drawn
    assert f"fill: #ffffff; stroke: {INK}" in drawn


@NEEDS_EXTRA
def test_a_section_needs_no_home_and_no_network(report, tmp_path):
    (tmp_path / "times.csv").write_text(STRONG)
    apart = ["unshare", "-n"]
    is_allowed = (
        shutil.which("unshare")
        and not subprocess.run(
            [*apart, "true"], capture_output=True, check=False
        ).stderr
    )
    begin = (sys.executable, "-c", "from scalewatch.cli import main; main()")

    done = subprocess.run(
        [
            *(apart if is_allowed else []),
            *("env", "-i", "HOME=/nonexistent", *begin),
            *("report", "times.csv", "--for", "proposal", "--output", "out"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == WRITTEN, done.stderr
    written = {path.name for path in report.out.iterdir()}
    assert written >= {"section.pdf", "section.docx", "figures"}
    assert not done.stderr.strip()


OWN = {
    # A table, and what it asks about before it prints what a run costs.
    "nodes,s/iter\n4,80\n8,42\n16,23\n": "--steps",
    "nodes,Time/step [s]\n4,80\n8,42\n16,23\n": "--steps",
    "nodes,ms/timestep\n4,80\n8,42\n16,23\n": "--steps",
    "nodes,mean time per outer iteration\n4,80\n8,42\n16,23\n": "--steps",
    "MPI ranks,time (s)\n16,80\n32,42\n64,23\n": "--per-node ranks",
    "MPI tasks,time (s)\n16,80\n32,42\n64,23\n": "--per-node tasks",
    "nprocs,time (s)\n16,80\n32,42\n64,23\n": "--per-node processes",
    "cores,time (s)\n1,800\n2,420\n4,230\n8,140\n": "--per-node cores",
    "#Cores,time (s)\n1,800\n2,420\n4,230\n8,140\n": "--per-node cores",
    "nodes,time (s)\n4,80\n4,300\n8,42\n8,160\n16,23\n16,80\n": "different problems",
    "nodes,time (s),requeues\n4,80,0\n8,42,2\n16,23,0\n": "restarted",
    "nodes,time (s),n_restart\n4,80,0\n8,42,1\n16,23,0\n": "restarted",
    "nodes,time (s)\n1,100\n2,20\n4,9\n": "was the problem the same?",
}


@pytest.mark.parametrize("text", OWN)
def test_what_would_make_node_hours_wrong_is_asked_about_by_name(report, text):
    done = report(text, "--format", "json")

    assert done.exit_code == WRITTEN, done.stderr
    known = content(report)["scaling"]
    assert OWN[text] in done.stdout
    assert known["hours_unit"] is None or "same?" in OWN[text]


def test_gpus_are_charged_by_nodes_where_a_node_is_known_alone(report):
    text = "gpus,time (s)\n4,800\n8,420\n16,230\n"

    alone = report(text, "--format", "json")
    by_gpu = content(report)["scaling"]["hours_unit"]
    report(text, "--format", "json", "--per-node", "gpus=4")

    assert "--per-node gpus=N" in alone.stdout
    assert by_gpu == "GPU-hours"
    known = content(report)["scaling"]
    assert known["hours_unit"] == "node-hours"
    assert known["rows"][0]["hours"] == pytest.approx(800 / 3600)


def test_failed_rows_and_problems_of_another_size_are_no_part_of_a_scan(report):
    failed = "nodes,time (s),status\n4,80,ok\n8,42,ok\n16,3600,TIMEOUT\n32,14,ok\n"
    sizes = "nodes,cells,time (s)\n4,1000,80\n8,1000,42\n16,4000,90\n32,4000,48\n"

    left_out = report(failed, "--format", "csv")
    assert "left out: 1 at 16 nodes" in left_out.stdout
    assert "3,600" not in (report.out / "numbers.csv").read_text()

    shutil.rmtree(report.out)
    apart = report(sizes, "--format", "csv")
    assert apart.exit_code == WRITTEN
    assert len([*report.out.glob("*/numbers.csv")]) == 2
