"""`scalewatch report`: the scaling section of a proposal, as forms ask for it."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scalewatch.cli.files.options import (
    Finite,
    file_options,
    read_terms,
    scaling_options,
    scaling_terms,
)
from scalewatch.errors.operations import pip_install

if TYPE_CHECKING:
    from scalewatch.services.efficiencies.scan import ScanScaling
    from scalewatch.services.papers.proposal import Production, Proposal

UNREADABLE: Final = 3
NOTHING: Final = 4
"""Exit codes: a file cannot be read, the others are reported; nothing to report."""

MANIFEST: Final = "manifest.json"
BASE: Final = ("tex", "md", "csv", "json")
EXTRA: Final = ("pdf", "docx", "figures")
"""Forms that the base install writes, and those that need the extra `report`."""

PACKAGES: Final = {"figures": "matplotlib", "pdf": "typst", "docx": "docx"}

EPILOG: Final = """
\b
Examples:
  scalewatch report times.csv --for proposal --code NEKO --machine LUMI-G
  scalewatch report jobs.txt --file-format sacct --for proposal --runs 64 --length 25
  scalewatch report logs/*.out --for proposal --per-node cores=128 --format pdf,docx
  scalewatch report weak.csv strong.csv --for proposal --charge 'core-h = 24 * gpu-h'

\b
Written into --output: section.{tex,pdf,docx,md}, document.tex, figures/, numbers.csv,
report.json, checklist.md, manifest.json. The paragraph and the run that would tell
most are printed.

\b
Exit codes:
  0  written
  2  wrong usage, or a form that needs a package which is not installed
  3  a file cannot be read; the others are reported
  4  nothing to report: it is said what is missing
"""


class Formats(click.ParamType[tuple[str, ...]]):
    """`pdf,docx,tex,md,csv,json,figures`."""

    name = "LIST"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the forms, each once."""
        if isinstance(value, tuple):
            return value
        wanted = tuple(dict.fromkeys(map(str.strip, str(value).split(","))))
        for form in wanted:
            if form not in {*BASE, *EXTRA}:
                known = ", ".join((*EXTRA, *BASE))
                self.fail(f"{form!r} is none of {known}", param, ctx)
        return wanted


class Charge(click.ParamType[tuple[str, float]]):
    """`core-h = 24 * gpu-h`, or `core-h = 128`: what an hour of the scale counts."""

    name = "UNIT = NUMBER * HOURS"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, float]:
        """Return the unit that is charged, and how many of it an hour counts."""
        unit, _, arithmetic = str(value).partition("=")
        factor = arithmetic.partition("*")[0].strip()
        try:
            number = float(factor)
        except ValueError:
            number = 1.0 if arithmetic.strip() and "*" not in arithmetic else 0.0
        if not unit.strip() or not 0 < number < float("inf"):
            self.fail(f"{value!r} is not like 'core-h = 24 * gpu-h'", param, ctx)
        return unit.strip(), number


@click.command("report", epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["proposal"]),
    required=True,
    help="Document: the scaling section of a computing-time proposal.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("scaling-report"),
    show_default=True,
    help="Folder; only files that its manifest.json names are overwritten.",
)
@click.option(
    "--format",
    "forms",
    type=Formats(),
    help="Of pdf, docx, tex, md, csv, json, figures; all that can be written unless "
    "given.",
)
@click.option("--code", default="", help="Name of the code.")
@click.option("--version", "code_version", default="", help="Version of the code.")
@click.option("--machine", default="", help="Where it was measured.")
@click.option("--case", default="", help="What was run, in words.")
@click.option(
    "--base-reason",
    default="",
    metavar="TEXT",
    help="Why the base is the smallest size: 'whose memory holds the case'.",
)
@click.option(
    "--doubling",
    type=Finite(1, 2, min_open=True),
    metavar="FACTOR",
    help="Speed-up per doubling that is asked for, such as 1.5, instead of a limit of "
    "the efficiency.",
)
@click.option(
    "--charge",
    type=Charge(),
    help="What is charged: 'core-h = 24 * gpu-h'.",
)
@click.option("--runs", type=click.IntRange(1), help="Production runs planned.")
@click.option(
    "--length",
    type=Finite(0, min_open=True),
    default=1.0,
    help="Of a production run, as a multiple of the one that was measured.",
)
@click.option(
    "--plan",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of production runs: name, runs, and size, length, period where known.",
)
@click.option("--no-forecast", is_flag=True, help="Print measured sizes alone.")
@click.option(
    "--largest",
    type=Finite(0, min_open=True),
    help="The machine's largest job: no forecast or run is beyond it.",
)
@click.option("--region", help="Only this one, where files hold several; or a pattern.")
@click.option(
    "--template",
    "form_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A form in DOCX: the section comes in place of the paragraph {{scaling}}, "
    "else at its end.",
)
@click.option(
    "--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True
)
@file_options("--file-format")
@scaling_options
@click.pass_context
def command(ctx: click.Context, /, files: Sequence[str], **options: Any) -> None:
    """Write the scaling section of a computing-time proposal.

    Reads what `scalewatch model` reads. Measured sizes with efficiency and its
    interval, the largest size that is surely efficient, what a run costs, and the plan
    of production runs; what is missing is listed in checklist.md.
    """
    forms, missing = _forms(options["forms"], options["form_file"])
    proposals, code = _proposals(files, options)
    if not proposals:
        ctx.exit(code or NOTHING)
    folder: Path = options["output"]
    many = len(proposals) > 1
    for name, proposal in proposals:
        place = folder / name if many else folder
        _write(place, proposal, forms, files, options)
        if many:
            click.echo(f"{place}:")
        click.echo(proposal.paragraph.replace("\N{NO-BREAK SPACE}", " "))
        for note in proposal.notes:
            click.echo(f"  {note}")
    click.echo(f"Written to {folder}")
    if missing:
        click.echo(f"Note: {', '.join(missing)} need {pip_install('report')}", err=True)
    ctx.exit(code)


def _forms(
    wanted: Sequence[str] | None, form_file: Path | None
) -> tuple[list[str], list[str]]:
    """Return the forms to be written, and those whose package is missing.

    Raises
    ------
    click.UsageError
        If a form was asked for that cannot be written here.
    """
    from importlib.util import find_spec  # noqa: PLC0415 - not for --help

    has = {form: find_spec(package) is not None for form, package in PACKAGES.items()}
    for form in ("pdf", "docx"):
        has[form] &= has["figures"]
    absent = [form for form in EXTRA if not has[form]]
    for form in wanted or ():
        if form in absent:
            raise click.UsageError(f"{form} needs {pip_install('report')}")
    if form_file is not None and "docx" in absent:
        raise click.UsageError(f"--template needs {pip_install('report')}")
    forms = [*(wanted or (*BASE, *EXTRA))]
    return [form for form in forms if form not in absent], absent if not wanted else []


def _proposals(
    files: Sequence[str], options: Mapping[str, Any]
) -> tuple[list[tuple[str, "Proposal"]], int]:
    """Return a section for each scan, by a name, and the exit code."""
    from fnmatch import fnmatchcase  # noqa: PLC0415 - as what follows

    from scalewatch.cli.files import findings, preview  # noqa: PLC0415
    from scalewatch.cli.files.efficiencies import headings_of  # noqa: PLC0415
    from scalewatch.importers import read_files  # noqa: PLC0415
    from scalewatch.services.efficiencies import wording  # noqa: PLC0415
    from scalewatch.services.files.model_files import Question  # noqa: PLC0415
    from scalewatch.services.papers.proposal import (  # noqa: PLC0415
        UNDECIDED,
        ProposalTerms,
        proposal_of,
    )
    from scalewatch.stores.files import plain  # noqa: PLC0415

    reading = read_files(files, *read_terms(options))
    preview.tell(reading)
    code = UNREADABLE if reading.unreadable else 0
    question = Question(better=options["better"])
    region = options["region"]
    all_series = [
        series
        for series in question.along(reading.series)
        if region is None or fnmatchcase(series.region, region)
    ]
    if region is not None and reading.series and not all_series:
        known = ", ".join(sorted({each.region for each in reading.series}))
        click.echo(f"Error: no region is {region!r}; there are {known}", err=True)
        return [], NOTHING
    findings.warn(all_series, question)
    terms = ProposalTerms(
        code=options["code"],
        version=options["code_version"],
        machine=options["machine"],
        case=options["case"],
        base_reason=options["base_reason"],
        plan=_plan(options),
        doubling=options["doubling"],
        charge=options["charge"],
        paper=options["paper"],
    )
    scans = findings.scalings(
        all_series, question, scaling_terms(options), headings_of(reading)
    )
    if not any(scans):
        _tell_nothing(all_series, reading)
        return [], NOTHING
    proposals = []
    for row in findings.modelled(all_series, question, scans):
        for scaled in row.scalings:
            doubts = {question.doubt for question in scaled.questions}
            if scaled.scaling is None or UNDECIDED & doubts:
                for sentence in wording.questions(scaled):
                    click.echo(f"Error: {row.series.region}: {sentence}", err=True)
                code = code or NOTHING
                continue
            held = "-".join(f"{key}{value:g}" for key, value in scaled.held.items())
            name = plain("-".join(filter(None, (row.series.region, held))))
            shown = _shown(scaled, options)
            _refuse_unknown_sizes(shown, terms.plan)
            proposals.append((name, proposal_of(shown, terms)))
    return proposals, code


def _shown(scaled: "ScanScaling", options: Mapping[str, Any]) -> "ScanScaling":
    """Return a scan with the forecasts that are wanted."""
    largest = options["largest"] or float("inf")
    kept = () if options["no_forecast"] else scaled.forecasts
    return replace(scaled, forecasts=tuple(row for row in kept if row.size <= largest))


def _refuse_unknown_sizes(scaled: "ScanScaling", plan: Sequence["Production"]) -> None:
    rows = (*(scaled.scaling.rows if scaled.scaling else ()), *scaled.forecasts)
    known = {row.size for row in rows}
    for production in plan:
        if production.size is not None and production.size not in known:
            sizes = ", ".join(f"{size:,.10g}" for size in sorted(known))
            raise click.UsageError(
                f"{production.name}: nothing was measured at {production.size:g} "
                f"{scaled.scale.many}, only {sizes}"
            )


def _tell_nothing(all_series: Sequence[Any], reading: Any) -> None:
    """Say why nothing can be reported: what was read instead of a scan."""
    if not all_series:
        if not reading.unreadable:
            click.echo("Error: the files hold no measurements", err=True)
        return
    for series in all_series[:3]:
        names = ", ".join(series.parameters) or "nothing"
        sizes = len(series.settings)
        reason = (
            f"{names} varies, and counts no nodes, GPUs, processes or threads; "
            "--column nodes=NAME says which column does"
        )
        if sizes == 1:
            reason = "it was measured at one size only; a scaling needs two"
        click.echo(f"Error: {series.region} ({series.metric}): {reason}", err=True)


def _plan(options: Mapping[str, Any]) -> "list[Production]":
    """Return the production runs of a file, or of --runs and --length."""
    from scalewatch.services.papers.proposal import Production  # noqa: PLC0415

    file: Path | None = options["plan"]
    if file is None:
        runs, length = options["runs"], options["length"]
        return [Production("Production", runs, length=length)] if runs else []
    planned = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            for number, row in enumerate(csv.DictReader(text), 2):
                planned.append(_production(row, file, number))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise click.UsageError(f"{file}: {error}") from None
    if not planned:
        raise click.UsageError(f"{file} plans no runs")
    return planned


def _production(row: Mapping[str, str], file: Path, number: int) -> "Production":
    from scalewatch.services.papers.proposal import Production  # noqa: PLC0415

    where = f"{file}, line {number}"
    name, runs = (row.get("name") or "").strip(), (row.get("runs") or "").strip()
    if not name or not runs.isdecimal() or int(runs) < 1:
        raise click.UsageError(f"{where}: a plan needs name and runs, a whole number")
    numbers: dict[str, float | None] = {}
    for key in ("size", "length"):
        text = (row.get(key) or "").strip()
        try:
            numbers[key] = float(text) if text else None
        except ValueError:
            raise click.UsageError(f"{where}: {key} {text!r} is no number") from None
        if text and not 0 < (numbers[key] or 0) < float("inf"):
            raise click.UsageError(f"{where}: {key} {text!r} is not positive")
    return Production(
        name,
        int(runs),
        numbers["size"],
        numbers["length"] or 1.0,
        (row.get("period") or "").strip(),
    )


def _write(
    folder: Path,
    proposal: "Proposal",
    forms: Sequence[str],
    inputs: Sequence[str],
    options: Mapping[str, Any],
) -> None:
    """Write a section in all forms; what somebody else wrote there stays.

    Raises
    ------
    click.UsageError
        If a file would be overwritten that is none of ours.
    """
    from scalewatch.exporters.papers import latex, markdown  # noqa: PLC0415

    has_figures = "figures" in forms or {"pdf", "docx"} & {*forms}
    text = {
        "tex": {
            latex.SECTION: latex.section(proposal.document),
            "document.tex": latex.whole(proposal.document),
        },
        "md": {
            "section.md": markdown.text(
                proposal.document, "svg" if has_figures else None
            )
        },
        "csv": {"numbers.csv": _csv(proposal.numbers)},
        "json": {"report.json": _json(proposal.content)},
    }
    files: dict[str, str] = {}
    for form in forms:
        files |= text.get(form, {})
    letters = latex.lost(" ".join(_texts(proposal))) if "tex" in forms else []
    files["checklist.md"] = _checklist(proposal, letters)
    made: list[str] = []
    if has_figures:
        from scalewatch.figures.printed import (  # noqa: PLC0415
            EXTENSIONS,
            PANELS,
            TOGETHER,
            write_figures,
        )

        names = [*PANELS, TOGETHER]
        made = [f"figures/{name}.{each}" for name in names for each in EXTENSIONS]
    printed = [f"section.{form}" for form in ("pdf", "docx") if form in forms]
    written = [*files, *made, *printed]
    ours = _ours(folder)
    for name in written:
        if (folder / name).exists() and name not in ours:
            raise click.UsageError(
                f"{folder / name} was written by somebody else: name another --output"
            )
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
    if has_figures:
        write_figures(proposal.printed, folder / "figures")
    else:
        (folder / "figures").rmdir()
    if "pdf" in forms:
        from scalewatch.exporters.papers.typst import write_pdf  # noqa: PLC0415

        write_pdf(proposal.document, folder, "section.pdf")
    if "docx" in forms:
        from scalewatch.exporters.papers.word import write_docx  # noqa: PLC0415

        write_docx(proposal.document, folder, "section.docx", options["form_file"])
    (folder / MANIFEST).write_text(
        _json(
            {
                "scalewatch": version("scalewatch"),
                "inputs": {name: _digest(name) for name in inputs},
                "files": sorted(written),
            }
        ),
        encoding="utf-8",
    )


def _ours(folder: Path) -> set[str]:
    """Return the files that an earlier report wrote."""
    try:
        return {*json.loads((folder / MANIFEST).read_text())["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _digest(name: str) -> str | None:
    path = Path(name)
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    from io import StringIO  # noqa: PLC0415

    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _texts(proposal: "Proposal") -> list[str]:
    from scalewatch.exporters.papers.blocks import Table  # noqa: PLC0415

    texts = [proposal.document.title, proposal.paragraph]
    for block in proposal.document.blocks:
        texts.append(getattr(block, "caption", ""))
        if isinstance(block, Table):
            texts += [cell for row in block.rows for cell in row.cells]
            texts += block.headings
    return texts


def _checklist(proposal: "Proposal", letters: Sequence[str]) -> str:
    from scalewatch.exporters.markdown import escaped  # noqa: PLC0415

    parts = {
        "Given": proposal.given,
        "Missing": proposal.missing,
        "Only you can say": proposal.to_say,
        "Not for the proposal": proposal.notes,
        "Letters that LaTeX lacks": letters,
    }
    lines = ["# Checklist"]
    for title, entries in parts.items():
        if entries:
            box = "x" if title == "Given" else " "
            lines += ["", f"## {title}", ""]
            lines += [f"- [{box}] {escaped(entry)}" for entry in entries]
    return "\n".join(lines) + "\n"
