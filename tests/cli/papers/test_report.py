"""`scalewatch report --for proposal`: all forms say the same; nothing is invented."""

import csv
import filecmp
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from support.papers import NEEDS_EXTRA, content

WRITTEN, USAGE, UNREADABLE, NOTHING = 0, 2, 3, 4
BASE = {"section.tex", "document.tex", "section.md", "numbers.csv", "report.json"}
STRONG = "nodes,time\n4,1000\n8,520\n16,275\n32,146\n64,91\n"


def test_the_base_install_writes_text_tables_and_what_is_missing(report):
    done = report(STRONG, "--format", "tex,md,csv,json")

    assert done.exit_code == WRITTEN, done.stderr
    written = {path.name for path in report.out.iterdir()}
    assert written == BASE | {"checklist.md", "manifest.json"}
    checklist = (report.out / "checklist.md").read_text()
    assert "--machine" in checklist
    assert "unknown" not in (report.out / "section.md").read_text()
    assert "32 nodes are 6.85 times as fast" in done.stdout


def test_every_efficiency_follows_from_the_times_that_are_printed(report):
    report(STRONG, "--format", "csv")

    text = (report.out / "numbers.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    measured = [row for row in rows if "forecast" not in row["remark"]]
    first = measured[0]
    for row in measured:
        times = [float(each["Time (s)"].replace(",", "")) for each in (first, row)]
        sizes = [float(each["Nodes"]) for each in (first, row)]
        share = 100 * times[0] / times[1] * sizes[0] / sizes[1]
        assert abs(float(row["Efficiency (%)"].partition(" ")[0]) - share) < 1


@NEEDS_EXTRA
def test_all_forms_hold_the_same_strings(report):
    done = report(STRONG, "--code", "NEKO", "--runs", "64", "--length", "25")

    assert done.exit_code == WRITTEN, done.stderr
    with zipfile.ZipFile(report.out / "section.docx") as archive:
        word = re.sub(r"<[^>]+>", " ", archive.read("word/document.xml").decode())
    texts = {
        "word": word,
        "markdown": (report.out / "section.md").read_text(),
        "latex": (report.out / "section.tex")
        .read_text()
        .replace(r"\ensuremath{\pm}", "±"),
    }
    if shutil.which("pdftotext"):
        pdf = ["pdftotext", "-layout", str(report.out / "section.pdf"), "-"]
        texts["pdf"] = subprocess.run(
            pdf, capture_output=True, text=True, check=True
        ).stdout
    for text in texts.values():
        for cell in ("86 ± 7", "1.30", "2,076", "6.85"):
            assert cell in text.replace("\N{NO-BREAK SPACE}", " ").replace("~", " ")
    assert (report.out / "section.pdf").read_bytes().startswith(b"%PDF")


@NEEDS_EXTRA
def test_the_same_command_twice_writes_the_same_bytes(report):
    report(STRONG, "--code", "NEKO", "--runs", "8")
    before = report.out.rename(report.out.with_name("before"))

    report(STRONG, "--code", "NEKO", "--runs", "8")

    compared = filecmp.dircmp(before, report.out)
    figures = compared.subdirs["figures"]
    names = [path.name for path in before.iterdir() if path.is_file()]
    differ = filecmp.cmpfiles(before, report.out, names, shallow=False)[1]
    pictures = [path.name for path in (before / "figures").iterdir()]
    drawn = filecmp.cmpfiles(
        before / "figures", report.out / "figures", pictures, shallow=False
    )[1]
    assert (differ, drawn, figures.left_only, figures.right_only) == ([], [], [], [])


def test_production_runs_are_charged_as_they_are_planned(report):
    plan = "name,runs,size,length,period\nspin-up,2,16,10,first half\nmain,64,,25,\n"
    (report.out.parent / "plan.csv").write_text(plan)

    report(STRONG, "--plan", "plan.csv", "--charge", "core-h = 128 * node-h")

    spin_up, whole = content(report)["plan"]
    assert spin_up["hours"] == pytest.approx(2 * 10 * 16 * 275 / 3600 * 128)
    assert whole["hours"] == pytest.approx(64 * 25 * 32 * 146 / 3600 * 128)
    assert {spin_up["unit"], whole["unit"]} == {"core-h"}
    assert "first half" in (report.out / "section.md").read_text()


def test_a_size_that_was_not_measured_is_a_forecast_or_refused(report):
    plan = "name,runs,size\nlarge,1,128\n"
    (report.out.parent / "plan.csv").write_text(plan)

    forecast = report(STRONG, "--plan", "plan.csv", "--format", "md,json")
    refused = report(STRONG, "--plan", "plan.csv", "--no-forecast")

    assert forecast.exit_code == WRITTEN
    assert "large (forecast)" in (report.out / "section.md").read_text()
    assert refused.exit_code == USAGE
    assert "128" in refused.stderr


def test_the_kind_of_scaling_can_be_stated(report):
    weak = "nodes,time\n8,100\n16,101\n32,104\n64,110\n"

    guessed = report(weak, "--format", "tex")
    title = (report.out / "section.tex").read_text()
    stated = report(weak, "--format", "tex", "--scaling", "strong")

    assert (guessed.exit_code, stated.exit_code) == (WRITTEN, WRITTEN)
    assert "Weak scaling" in title
    assert "Strong scaling" in (report.out / "section.tex").read_text()


@pytest.mark.parametrize(("wanted", "largest"), [("1.5", "64"), ("1.7", "32")])
def test_a_speed_up_per_doubling_may_be_the_limit(report, wanted, largest):
    done = report(STRONG, "--doubling", wanted, "--format", "json")

    assert f"p to {largest} nodes each doubling" in done.stdout.replace("\n", " ")


def test_times_per_step_and_rates_cost_nothing_that_is_not_known(report):
    steps = "gpus,ms per step\n1,80\n2,42\n4,23\n8,14\n"

    without = report(steps, "--format", "json")
    hours = content(report)["scaling"]["hours_unit"]
    report(steps, "--format", "json", "--steps", "10000")

    assert without.exit_code == WRITTEN, without.stderr
    assert hours is None
    assert "--steps" in without.stdout
    assert content(report)["scaling"]["hours_unit"] is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nodes,time\n8,100\n8,101\n", "one size"),
        ("x,time\n1,10\n2,20\n4,40\n", "--column nodes="),
        ("nodes,time\n", "times.csv"),
    ],
)
def test_nothing_to_report_says_what_is_missing(report, text, said):
    done = report(text)

    assert done.exit_code in {UNREADABLE, NOTHING}
    assert said in done.stderr
    assert not report.out.exists()


def test_files_of_others_are_not_overwritten(report):
    report.out.mkdir()
    (report.out / "section.md").write_text("mine")

    done = report(STRONG, "--format", "md")

    assert done.exit_code == USAGE
    assert (report.out / "section.md").read_text() == "mine"


@pytest.mark.parametrize(
    "plan", ["name,runs\nx,many\n", "name,runs,size\nx,1,-4\n", "runs\n3\n", ""]
)
def test_a_plan_that_means_nothing_is_refused_by_its_line(report, plan):
    (report.out.parent / "plan.csv").write_text(plan)

    done = report(STRONG, "--plan", "plan.csv")

    assert done.exit_code == USAGE
    assert "plan.csv" in done.stderr


def test_a_form_that_needs_the_extra_names_it(report):
    blocked = (
        "import sys; sys.modules.update(matplotlib=None, typst=None, docx=None);"
        "from scalewatch.cli import main; main()"
    )
    (report.out.parent / "times.csv").write_text(STRONG)

    def run(*options):
        command = [sys.executable, "-c", blocked, "report", "times.csv"]
        command += ["--for", "proposal", "--output", "out", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    all_forms, pdf = run(), run("--format", "pdf")

    assert all_forms.returncode == WRITTEN, all_forms.stderr
    assert "report" in all_forms.stderr
    assert not (report.out / "figures").exists()
    assert pdf.returncode == USAGE
    assert "[report]" in pdf.stderr


@NEEDS_EXTRA
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing")
def test_the_document_compiles(report):
    report(STRONG, "--code", "R&D #1 50% {x} α_β", "--runs", "3")

    # An installation without booktabs has plain rules.
    whole = (report.out / "document.tex").read_text()
    (report.out / "plain.tex").write_text(whole.replace("booktabs.sty", "none.sty"))
    for name in ("document.tex", "plain.tex"):
        done = subprocess.run(
            ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", name],
            cwd=report.out,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-800:]
    assert "none.sty" in (report.out / "plain.tex").read_text()


@NEEDS_EXTRA
def test_the_section_goes_into_a_form(report):
    docx = pytest.importorskip("docx")
    form = docx.Document()
    form.add_paragraph("5.1 Code performance")
    form.add_paragraph("{{scaling}}")
    form.add_paragraph("5.2 Justification")
    form.save(str(report.out.parent / "form.docx"))

    done = report(STRONG, "--template", "form.docx", "--format", "docx")

    assert done.exit_code == WRITTEN, done.stderr
    texts = [p.text for p in docx.Document(str(report.out / "section.docx")).paragraphs]
    at = next(at for at, text in enumerate(texts) if text.startswith("Strong scaling"))
    assert texts[0] == "5.1 Code performance"
    assert 0 < at < texts.index("5.2 Justification")
    assert "{{scaling}}" not in texts


@NEEDS_EXTRA
def test_letters_that_no_font_has_are_named(report):
    options = ("--format", "pdf,tex", "--machine", "富岳", "--code", "Ωmega Ж é")
    done = report(STRONG, *options)

    _, *parts = (report.out / "checklist.md").read_text().split("## Letters that ")
    lost = {part.split(" lacks")[0]: part.split("\n- [ ] ")[1:] for part in parts}
    assert {key: [each.strip() for each in kept] for key, kept in lost.items()} == {
        "LaTeX": ["Ж", "富", "岳"],
        "the PDF": ["富", "岳"],
    }
    assert "the PDF has no font for 富, 岳: Word and Markdown keep them" in done.stderr


WEAK = "nodes,time\n4,100\n8,101\n16,104\n32,107\n64,120\n128,131\n"


def test_strong_and_weak_scaling_are_one_section(report):
    (report.out.parent / "strong.csv").write_text(STRONG)

    done = report(WEAK, "strong.csv", "--code", "NEKO", "--runs", "3", name="weak.csv")

    assert done.exit_code == WRITTEN, done.stderr
    read = content(report)
    assert read["title"] == "Strong and weak scaling of NEKO"
    kinds = [each["scaling"]["kind"] for each in read["sections"]]
    assert kinds == ["strong", "weak"]
    text = (report.out / "section.md").read_text()
    for number in (1, 2):
        assert f"Table {number}, Figure {number})" in text
        assert f"*Table {number}.*" in text
    assert "(Table 3)" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "*Table 3.*" in text
    headings = [
        (report.out / f"numbers{mark}.csv").read_text().splitlines()[0]
        for mark in ("", "-2")
    ]
    assert ["Scaled speed-up" in each for each in headings] == [False, True]


def test_both_kinds_may_stay_apart(report):
    (report.out.parent / "strong.csv").write_text(STRONG)

    options = ("--apart", "--format", "md")
    done = report(WEAK, "strong.csv", *options, name="weak.csv")

    assert done.exit_code == WRITTEN, done.stderr
    titles = {
        path.parent.name: path.read_text().splitlines()[0]
        for path in report.out.glob("*/section.md")
    }
    assert titles == {
        "program-weak": "## Weak scaling",
        "program-strong": "## Strong scaling",
    }


def test_regions_of_one_kind_are_named_where_they_are_together(report):
    table = "nodes,region,time\n" + "".join(
        f"{n},{region},{seconds / n}\n"
        for n in (1, 2, 4, 8)
        for region, seconds in (("solve", 100), ("halo", 10))
    )

    done = report(table, "--together", "--format", "md", "--code", "NEKO")

    assert done.exit_code == WRITTEN, done.stderr
    text = (report.out / "section.md").read_text()
    assert text.startswith("## Strong scaling of NEKO\n")
    assert "Strong scaling of solve in NEKO" in text
    assert "The strong scaling of halo in NEKO was measured" in text


def test_what_was_gained_is_said_where_no_size_is_efficient_too(report):
    text = "nodes,time\n4,103.6\n6,98.54\n8,81.88\n12,75.1\n16,72.1\n"

    done = report(text, "--scaling", "strong", "--format", "md")

    gained = done.stdout.index("16 nodes are 1.44 times as fast")
    assert gained < done.stdout.index("No size beyond 4 nodes keeps")
