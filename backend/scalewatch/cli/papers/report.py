"""`scalewatch report`: the scaling section of a proposal, as forms ask for it."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import ZipFile

import click

from scalewatch.cli.files.options import (
    Finite,
    file_options,
    read_terms,
    scaling_options,
    scaling_terms,
)
from scalewatch.cli.remote import Remote, Unreachable, segment, server_options
from scalewatch.errors.operations import pip_install

if TYPE_CHECKING:
    from scalewatch.services.efficiencies.scan import ScanScaling
    from scalewatch.services.papers.proposal import Production, Proposal

UNREADABLE: Final = 3
NOTHING: Final = 4
"""Exit codes: a file cannot be read, the others are reported; nothing to report."""

NOT_FOUND: Final = 404

MANIFEST: Final = "manifest.json"
FORMS: Final = ("pdf", "docx", "figures", "tex", "md", "csv", "json")

EPILOG: Final = """
\b
Examples:
  scalewatch report times.csv --for proposal --code NEKO --machine LUMI-G
  scalewatch report jobs.txt --file-format sacct --for proposal --runs 64 --length 25
  scalewatch report logs/*.out --for proposal --per-node cores=128 --format pdf,docx
  scalewatch report --project neko --region step --machine LUMI-G --for proposal
  scalewatch report weak.csv strong.csv --for proposal --charge 'core-h = 24 * gpu-h'

\b
Written into --output: section.{tex,pdf,docx,md}, document.tex, figures/, numbers.csv,
report.json, checklist.md, manifest.json. The paragraph and the most
informative run are printed.

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
            if form not in FORMS:
                self.fail(f"{form!r} is none of {', '.join(FORMS)}", param, ctx)
        return wanted


class Charge(click.ParamType[tuple[str, float]]):
    """`core-h = 24 * gpu-h`, or `core-h = 128`: what an hour of the scale counts."""

    name = "UNIT = NUMBER * HOURS"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, float]:
        """Return the unit that is charged, and how many of it an hour counts."""
        from scalewatch.services.papers.proposal import charge_of  # noqa: PLC0415

        charge = charge_of(str(value))
        if charge is None:
            self.fail(f"{value!r} is not like 'core-h = 24 * gpu-h'", param, ctx)
        return charge


@click.command("report", epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("files", nargs=-1, metavar="[FILE…]")
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
@click.option(
    "--together/--apart",
    default=None,
    help="One section of all scans, or a folder of each; strong and weak scaling "
    "together unless given, and several regions apart.",
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
@click.option("--project", help="Of a server, in place of files.")
@click.option("--commit", help="Of the project; the newest unless given.")
@click.option("--metric", help="Of the project; time unless given.")
@server_options
@file_options("--file-format")
@scaling_options
@click.pass_context
def command(ctx: click.Context, /, files: Sequence[str], **options: Any) -> None:
    """Write the scaling section of a computing-time proposal.

    Reads what `scalewatch model` reads. Measured sizes with efficiency and its
    interval, the largest size that is surely efficient, what a run costs, and the plan
    of production runs; what is missing is listed in checklist.md.
    """
    folder: Path = options["output"]
    if (options["project"] is None) == (not files):
        raise click.UsageError("name files, or a project of a server by --project")
    if options["project"] is not None:
        written = _of_server(options)
        _write(folder, written)
        _tell(json.loads(written[MANIFEST]))
        click.echo(f"Written to {folder}")
        return
    forms, missing = _forms(options["forms"], options["form_file"])
    proposals, code = _proposals(files, options)
    if not proposals:
        ctx.exit(code or NOTHING)
    from scalewatch.services.papers.folder import folder_of  # noqa: PLC0415

    inputs = {name: _digest(name) for name in files}
    many = len(proposals) > 1
    for name, proposal in proposals:
        place = folder / name if many else folder
        written = folder_of(proposal, forms, inputs, options["form_file"])
        _write(place, written)
        if many:
            click.echo(f"{place}:")
        _tell(json.loads(written[MANIFEST]))
    click.echo(f"Written to {folder}")
    if missing:
        click.echo(f"Note: {', '.join(missing)} need {pip_install('report')}", err=True)
    ctx.exit(code)


def _tell(manifest: Mapping[str, Any]) -> None:
    """Print a section with its notes, and which letters documents do not show."""
    click.echo(manifest["paragraph"].replace("\N{NO-BREAK SPACE}", " "))
    for note in manifest["notes"]:
        click.echo(f"  {note}")
    for document, letters in manifest["lost_letters"].items():
        click.echo(
            f"Note: {document} has no font for {', '.join(letters)}: Word and Markdown "
            "keep them",
            err=True,
        )


def _of_server(options: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a section about a region of a server.

    Raises
    ------
    click.UsageError
        If an option needs files, or the server refuses.
    """
    if options["form_file"] is not None:
        raise click.UsageError("--template goes with files: a server has no forms")
    terms = scaling_terms(options)
    production = [asdict(each) for each in _plan(options)]
    query = {
        "format": options["forms"] and ",".join(options["forms"]),
        "kind": terms.kind,
        "limit": ",".join(f"{100 * limit:.10g}" for limit in terms.limits),
        "per_node": ",".join(f"{key}={count}" for key, count in terms.per_node.items()),
        "plan": json.dumps(production) if production else None,
        "forecast": "false" if options["no_forecast"] else None,
        "charge": options["charge"] and "=".join(map(str, options["charge"])),
        **{
            name: None if options[name] is None else str(options[name])
            for name in (
                *("region", "commit", "machine", "metric", "scale", "base", "steps"),
                *("code", "case", "base_reason", "doubling", "largest", "paper"),
            )
        },
        "version": options["code_version"],
    }
    stated = {name: value for name, value in query.items() if value}
    remote = Remote(options["server"], options["token"])
    path = f"projects/{segment(options['project'])}/proposal"
    try:
        reply = remote.get(path, **stated)
    except Unreachable as error:
        raise click.ClickException(str(error)) from error
    if not reply.is_good:
        hidden = reply.status == NOT_FOUND and not options["token"]
        hint = "; a private one needs --token or SCALEWATCH_TOKEN" if hidden else ""
        raise click.ClickException(f"{reply.reason}{hint}")
    with ZipFile(BytesIO(reply.body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _forms(
    wanted: Sequence[str] | None, form_file: Path | None
) -> tuple[list[str], list[str]]:
    """Return the forms to be written, and those whose package is missing.

    Raises
    ------
    click.UsageError
        If a form was asked for that cannot be written here.
    """
    from scalewatch.services.papers.folder import lacking  # noqa: PLC0415

    absent = lacking()
    for form in wanted or ():
        if form in absent:
            raise click.UsageError(f"{form} needs {pip_install('report')}")
    if form_file is not None and "docx" in absent:
        raise click.UsageError(f"--template needs {pip_install('report')}")
    forms = [*(wanted or FORMS)]
    return [form for form in forms if form not in absent], absent if not wanted else []


def _proposals(
    files: Sequence[str], options: Mapping[str, Any]
) -> tuple[list[tuple[str, "Proposal"]], int]:
    """Return a section for each scan, by a name, and the exit code."""
    from fnmatch import fnmatchcase  # noqa: PLC0415 - as what follows

    from scalewatch.cli.files import findings, preview  # noqa: PLC0415
    from scalewatch.cli.files.efficiencies import headings_of  # noqa: PLC0415
    from scalewatch.errors import InvalidReport  # noqa: PLC0415
    from scalewatch.importers import read_files  # noqa: PLC0415
    from scalewatch.services.files.model_files import Question  # noqa: PLC0415
    from scalewatch.services.papers.proposal import (  # noqa: PLC0415
        ProposalTerms,
        parts_of,
        proposal_of,
        undecided,
    )

    reading = read_files(files, *read_terms(options))
    preview.tell(reading)
    code = UNREADABLE if reading.unreadable else 0
    question = Question(better=options["better"], scale=options["scale"])
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
        has_forecasts=not options["no_forecast"],
        largest=options["largest"],
        paper=options["paper"],
    )
    scans = findings.scalings(
        all_series, question, scaling_terms(options), headings_of(reading)
    )
    if not any(scans):
        _tell_nothing(all_series, reading)
        return [], NOTHING
    shown: list[tuple[str, ScanScaling]] = []
    for row in findings.modelled(all_series, question, scans):
        for scaled in row.scalings:
            reasons = undecided(scaled)
            for sentence in reasons:
                click.echo(f"Error: {row.series.region}: {sentence}", err=True)
            if reasons:
                code = code or NOTHING
            else:
                shown.append((row.series.region, scaled))
    if not shown:
        return [], code
    parts = parts_of(shown, together=options["together"])
    try:
        return [(next(iter(part)), proposal_of(part, terms)) for part in parts], code
    except InvalidReport as error:
        raise click.UsageError(str(error)) from None


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


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a section; what somebody else wrote in their place stays.

    Raises
    ------
    click.UsageError
        If a file would be overwritten that is none of ours.
    """
    ours = {MANIFEST, *_ours(folder)}
    for name in files:
        if (folder / name).exists() and name not in ours:
            raise click.UsageError(
                f"{folder / name} was written by somebody else: name another --output"
            )
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _ours(folder: Path) -> set[str]:
    """Return the files that an earlier report wrote."""
    try:
        return {*json.loads((folder / MANIFEST).read_text())["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _digest(name: str) -> str | None:
    path = Path(name)
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None
