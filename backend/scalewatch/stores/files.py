"""Files of a store: a JSON Lines file for each job and commit, a line for each report.

Parallel jobs never write the same file. A name ends with the beginning of the digest
of the content, so that a file that was damaged, or changed by hand, is noticed; files
without one, which somebody put there, are taken as they are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

from pydantic import ValidationError

from scalewatch.wire import RunReport, first_fault, without_metadata

VERSION: Final = 1
"""Version of the layout of a store."""

REPORTS: Final = 1
"""Newest schema of reports that is read, and that is written."""

STORE: Final = "store.json"
RUNS: Final = "runs/"
DECISIONS: Final = "decisions.jsonl"
PROJECT_FILE: Final = "scalewatch.toml"

MOST_BYTES: Final = 64 * 2**20
"""Bytes of a file: a job that measures more writes several."""

LONGEST_NAME: Final = 60
"""Letters of a part of a name before its digest."""

UNDATED: Final = "undated"
"""Folder of commits whose time nobody tells."""

NO_JOB: Final = "runs"
"""Stands for the job of runs that name none, such as imported ones."""

_PLAIN: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_ODD: Final = re.compile(r"[^a-z0-9.-]+")
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that some systems keep for devices."""

_NAME: Final = re.compile(
    r"runs/(?P<project>[a-z0-9.-]+)/(?P<month>\d{4}-\d{2}|undated)/"
    r"(?P<stem>[a-z0-9.-]+?)(\.(?P<digest>[0-9a-f]{8}))?\.jsonl"
)


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A file or line of a store that cannot be read.

    Parameters
    ----------
    line
        Number of the line; None where the whole file is meant.
    """

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        at = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{at}: {self.reason}"


class StoredRun(NamedTuple):
    """A report with the line that holds it."""

    report: RunReport
    line: bytes

    @classmethod
    def of(cls, given: RunReport | bytes) -> Self:
        """Return a report, or the text of one, which stays if it is in one line.

        Raises
        ------
        pydantic.ValidationError
            If a text is none of a report.
        """
        if isinstance(given, RunReport):
            return cls(given, line_of(given))
        report, line = RunReport.model_validate_json(given), given.strip()
        is_whole = b"\n" not in line and b"\r" not in line
        return cls(report, line if is_whole else line_of(report))


class Head(NamedTuple):
    """The commit that a file tells of."""

    sha: str
    parents: tuple[str, ...]
    committed_at: datetime | None
    tag: str | None


class FileKey(NamedTuple):
    """The names of a file but for the digest of its content."""

    project: str
    month: str
    stem: str

    @classmethod
    def of(cls, report: RunReport) -> Self:
        """Return where the report of a run belongs."""
        job = report.job
        moment = report.commit.committed_at or (
            job and (job.ended_at or job.started_at)
        )
        parts = (
            plain(str(report.commit.sha)[:12]),
            plain(report.machine.name),
            plain((job and job.id) or NO_JOB),
        )
        return cls(
            plain(report.project),
            f"{moment.astimezone(UTC):%Y-%m}" if moment else UNDATED,
            "-".join(parts),
        )

    @classmethod
    def read(cls, name: str) -> "tuple[FileKey, str | None] | None":
        """Return the key of a file and the digest in its name; None for other names."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        return cls(match["project"], match["month"], match["stem"]), match["digest"]

    def name(self, content: bytes) -> str:
        """Return the name of the file with a content."""
        folder = f"{RUNS}{self.project}/{self.month}"
        return f"{folder}/{self.stem}.{digest_of(content)}.jsonl"


def digest_of(content: bytes) -> str:
    """Return the digest of a content as names hold it, eight hexadecimal digits."""
    return sha256(content).hexdigest()[:8]


def plain(text: str) -> str:
    """Return a text as a part of a name that every system keeps apart from others.

    Where that changes it, a digest tells it from other texts.
    """
    cut = text[:LONGEST_NAME]
    if cut == text and _PLAIN.fullmatch(text) and not _DEVICES.fullmatch(text):
        return text
    shown = _ODD.sub("-", cut.lower()).strip(".-") or "x"
    return f"{shown}-{sha256(text.encode(errors='surrogatepass')).hexdigest()[:6]}"


def store_json() -> bytes:
    """Return the file that says how a store is to be read."""
    return json.dumps({"store": VERSION, "reports": REPORTS}).encode() + b"\n"


def why_not_understood(content: bytes | None) -> str | None:
    """Say why a store of this version cannot be read here; None where it can."""
    if content is None:
        return f"it has no {STORE}; `scalewatch store add` makes one"
    try:
        stated = dict(json.loads(content))
    except (ValueError, TypeError, RecursionError):
        return f"its {STORE} is no JSON object"
    for key, known in (("store", VERSION), ("reports", REPORTS)):
        if not isinstance(stated.get(key), int) or not 1 <= stated[key] <= known:
            return (
                f"its {STORE} says {key}: {json.dumps(stated.get(key))}, and this "
                f"version reads {key}: {known}; use a later release of scalewatch"
            )
    return None


def line_of(report: RunReport) -> bytes:
    """Return the line of a report: the fields that differ from their defaults."""
    return report.model_dump_json(by_alias=True, exclude_defaults=True).encode()


def content_of(lines: Iterable[bytes]) -> bytes:
    """Return the content of a file with these lines."""
    return b"".join(line + b"\n" for line in lines)


def head_of(content: bytes) -> Head | None:
    """Return the commit of the first line that tells one; the rest is not checked."""
    for line in content.splitlines():
        try:
            commit = json.loads(line)["commit"]
            sha, parents = commit["sha"], tuple(commit.get("parents") or ())
            moment = commit.get("committed_at")
            made = datetime.fromisoformat(moment) if moment else None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
        if made and made.tzinfo is None:
            made = made.replace(tzinfo=UTC)
        if isinstance(sha, str) and all(isinstance(each, str) for each in parents):
            return Head(sha, parents, made, commit.get("tag"))
    return None


def runs_of(name: str, content: bytes) -> tuple[list[StoredRun], list[StoreFault]]:
    """Return the runs of a file, and what cannot be read in it.

    A name that cannot be taken, such as that of an author, loses itself alone.
    """
    runs, wrong = [], []
    named = FileKey.read(name)
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            run = StoredRun(_report(line), line)
        except _NoReport as error:
            wrong.append(StoreFault(name, number, str(error)))
            continue
        if named and plain(run.report.project) != named[0].project:
            reason = f"it is of project {run.report.project!r}, the folder of another"
            wrong.append(StoreFault(name, number, reason))
            continue
        runs.append(run)
    if named and named[1] and named[1] != digest_of(content):
        # Which number of a line was changed, nothing tells: none of them counts.
        reason = (
            "the file is not as it was written: its digest is "
            f"{digest_of(content)}, its name says {named[1]}; no run of it counts"
        )
        return [], wrong or [StoreFault(name, None, reason)]
    return runs, wrong


class _NoReport(Exception):
    """A line holds no report."""


def _report(line: bytes) -> RunReport:
    try:
        return RunReport.model_validate_json(line)
    except ValidationError as error:
        reason = first_fault(error)
        try:
            sound = without_metadata(json.loads(line), error)
            if sound is not None:
                return RunReport.model_validate_json(json.dumps(sound[0]))
        except (ValueError, TypeError, RecursionError, ValidationError):
            pass
    raise _NoReport(reason)


def in_order(runs: Iterable[StoredRun]) -> Sequence[StoredRun]:
    """Return runs in an order that does not depend on the files that hold them."""

    def place(run: StoredRun) -> tuple[Any, ...]:
        report = run.report
        setting = sorted(report.coordinate.items())
        return _moment_of(report), report.machine.name, setting, str(report.id)

    return sorted(runs, key=place)


_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


def _moment_of(report: RunReport) -> datetime:
    """Return when a run ended, or else when its commit was made."""
    return moment_of(report) or _LONG_AGO


def moment_of(report: RunReport) -> datetime | None:
    """Return when a run ended, or else began, or else when its commit was made."""
    job = report.job
    return (job and (job.ended_at or job.started_at)) or report.commit.committed_at


def lines_in(content: bytes) -> Iterator[bytes]:
    """Yield the lines of a file that hold anything."""
    yield from filter(bytes.strip, content.split(b"\n"))
