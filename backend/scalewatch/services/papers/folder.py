"""The folder of a section: documents, pictures, numbers, checklist, manifest.

Of scans of files, or of a region as a server knows it.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.errors.operations import pip_install
from scalewatch.exporters import markdown
from scalewatch.exporters.markdown import escaped
from scalewatch.exporters.papers import latex
from scalewatch.exporters.papers.blocks import Table
from scalewatch.exporters.papers.typst import lost, write_pdf
from scalewatch.exporters.papers.word import write_docx
from scalewatch.figures.printed import write_figures
from scalewatch.services.papers.proposal import (
    Production,
    Proposal,
    ProposalTerms,
    proposal_of,
    undecided,
)
from scalewatch.services.regions.efficiency import EfficiencyQuestion, efficiency_at
from scalewatch.services.selection.view import View

MANIFEST: Final = "manifest.json"
BASE: Final = ("tex", "md", "csv", "json")
EXTRA: Final = ("pdf", "docx", "figures")
"""Forms that the base install writes, and those that need the extra `report`."""

PACKAGES: Final = {"figures": "matplotlib", "pdf": "typst", "docx": "docx"}

_DRAWING: Final = Lock()
"""Settings of matplotlib are those of a process."""


def lacking() -> list[str]:
    """Return the forms whose package is not installed here."""
    has = {form: find_spec(package) is not None for form, package in PACKAGES.items()}
    return [form for form in EXTRA if not (has[form] and has["figures"])]


def folder_of(
    proposal: Proposal,
    forms: Sequence[str],
    inputs: Mapping[str, str | None],
    form_file: Path | None = None,
) -> dict[str, bytes]:
    """Return the files of a section by their path in its folder.

    Parameters
    ----------
    forms
        Of `BASE` and `EXTRA`, those that are wanted and not `lacking`.
    inputs
        What it was made of, with digests of files.
    form_file
        A form in DOCX into which the section goes.
    """
    document = proposal.document
    has_figures = "figures" in forms or bool({"pdf", "docx"} & {*forms})
    text = {
        "tex": {
            latex.SECTION: latex.section(document),
            "document.tex": latex.whole(document),
        },
        "md": {"section.md": markdown.text(document, "svg" if has_figures else None)},
        "csv": {
            f"numbers{mark}.csv": _csv(rows) for mark, rows in proposal.numbers.items()
        },
        "json": {"report.json": _json(proposal.content)},
    }
    words = " ".join(_texts(proposal))
    letters = {
        document: lacking
        for document, form, letters_lost in (
            ("LaTeX", "tex", latex.lost),
            ("the PDF", "pdf", lost),
        )
        if form in forms and (lacking := letters_lost(words))
    }
    files = {"checklist.md": _checklist(proposal, letters).encode()}
    for form in forms:
        for name, content in text.get(form, {}).items():
            files[name] = content.encode()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if has_figures:
            (folder / "figures").mkdir()
            with _DRAWING:
                write_figures(proposal.printed, folder / "figures")
        if "pdf" in forms:
            write_pdf(document, folder, "section.pdf")
        if "docx" in forms:
            write_docx(document, folder, "section.docx", form_file)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    manifest = {
        "scalewatch": version("scalewatch"),
        "inputs": dict(inputs),
        "files": sorted(files),
        "paragraph": proposal.paragraph,
        "notes": proposal.notes,
        "lost_letters": letters,
    }
    return files | {MANIFEST: _json(manifest).encode()}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return files as a ZIP archive, the same bytes for the same files."""
    archive = BytesIO()
    with ZipFile(archive, "w") as packed:
        for name, content in files.items():
            packed.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return archive.getvalue()


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _texts(proposal: Proposal) -> list[str]:
    texts = [proposal.document.title, proposal.paragraph]
    for block in proposal.document.blocks:
        texts.append(getattr(block, "caption", ""))
        if isinstance(block, Table):
            texts += [cell for row in block.rows for cell in row.cells]
            texts += block.headings
    return texts


def _checklist(proposal: Proposal, letters: Mapping[str, Sequence[str]]) -> str:
    parts = {
        "Given": proposal.given,
        "Missing": proposal.missing,
        "Only you can say": proposal.to_say,
        "Not for the proposal": proposal.notes,
        **{f"Letters that {name} lacks": lacking for name, lacking in letters.items()},
    }
    lines = ["# Checklist"]
    for title, entries in parts.items():
        if entries:
            box = "x" if title == "Given" else " "
            lines += ["", f"## {title}", ""]
            lines += [f"- [{box}] {escaped(entry)}" for entry in entries]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class ProposalQuestion:
    """The section that is asked for, beside the efficiency that it is about.

    Parameters
    ----------
    forms
        Of `BASE` and `EXTRA`; all that can be written unless given.
    """

    terms: ProposalTerms
    forms: Sequence[str] = ()


def region_folder(
    session: Session,
    view: View,
    region: str | None,
    efficiency: EfficiencyQuestion,
    question: ProposalQuestion,
) -> tuple[str, dict[str, bytes]]:
    """Return the name of a section and its files, about a region on a machine.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region or the machine is unknown.
    InvalidReport
        If there is nothing to report, or a form needs a package that is not here.
    """
    absent = lacking()
    if lost := [form for form in question.forms if form in absent]:
        remedy = f"the server lacks {pip_install('report')}"
        raise InvalidReport([("format", f"{', '.join(lost)}: {remedy}")])
    shown = efficiency_at(session, view, region, efficiency)
    scaled = shown.chosen
    if scaled is None:
        reason = "its runs vary no number of nodes, GPUs, processes or threads"
        raise InvalidReport(
            [("region", f"nothing to report of {shown.region}: {reason}")]
        )
    if reasons := undecided(scaled):
        raise InvalidReport([("region", " ".join(reasons))])
    terms = question.terms
    if not terms.plan and efficiency.runs:
        planned = Production(
            "Production",
            round(efficiency.runs),
            efficiency.at,
            efficiency.length or 1.0,
        )
        terms = replace(terms, plan=(planned,))
    terms = replace(terms, machine=terms.machine or shown.machine)
    forms = question.forms or (*BASE, *EXTRA)
    written = folder_of(
        proposal_of({shown.region: scaled}, terms),
        [form for form in forms if form not in absent],
        {f"{shown.project} {shown.commit.sha} {shown.machine} {shown.region}": None},
    )
    return f"{shown.region}-{shown.commit.label}-scaling", written
