"""Outcomes of runs, by the words, codes and signs with which tools state them.

A run succeeded only where something that is understood says so, or where nothing was
said at all. A word that is in no list is neither: whoever reads it refuses it by name,
or takes the run for failed, and never for a success.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome that a cell states.

    Parameters
    ----------
    has_succeeded
        None where the cell is not understood.
    words
        The cell as it was written, behind the name of its column: `exit code 137`.
    is_absent
        Whether the cell is empty, or says that nothing is known.
    """

    has_succeeded: bool | None
    words: str
    is_absent: bool = False


_SUCCESS: Final = frozenset(
    {
        *("ok", "okay", "pass", "passed", "passing", "success", "successful"),
        *("succeeded", "done", "complete", "completed", "finished", "valid"),
        *("correct", "converged", "verified", "normal", "good", "true", "yes"),
        *("y", "t", "✓", "✔", "✅", "exited normally", "no error", "none", "cd"),
        *("normally", "validated"),
    }
)
_FAILURE: Final = frozenset(
    {
        *("fail", "failed", "failure", "fails", "error", "errored", "err", "errors"),
        *("oom", "oom killed", "oomkilled", "out of memory", "out of mem"),
        *("killed", "kill", "cancelled", "canceled", "aborted", "abort", "aborting"),
        *("timeout", "timed out", "time out", "time limit", "deadline", "expired"),
        *("node fail", "node failure", "boot fail", "launch failed", "preempted"),
        *("revoked", "crash", "crashed", "segfault", "segv", "segmentation fault"),
        *("bus error", "core dumped", "invalid", "incorrect", "wrong", "bad", "broken"),
        *("unsuccessful", "not converged", "diverged", "unverified", "incomplete"),
        *("dnf", "did not finish", "hang", "hung", "terminated", "exception", "panic"),
        *("abnormal", "abnormally", "sigsegv", "sigkill", "sigabrt", "sigbus"),
        *("sigterm", "sigfpe", "sigill", "core dump", "no result", "not run"),
        *("false", "no", "n", "f", "✗", "✘", "❌", "nan"),
        # Slurm's other states, and their short forms: no run has ended well in them.
        *("running", "pending", "suspended", "stopped", "requeued", "configuring"),
        *("completing", "resizing", "signaling", "staged out", "stage out", "requeue"),
        *("special exit", "reconfig fail", "resv del hold", "requeue fed"),
        *("requeue hold", "power up node", "queued", "held", "skipped", "skip"),
        *("ca", "to", "nf", "bf", "dl", "pr", "rv", "rq", "pd", "st", "se", "cg"),
    }
)
_SLURM_ABBREVIATIONS: Final = frozenset(
    {"cd", "ca", "to", "nf", "bf", "dl", "pr", "rv", "rq", "pd", "st", "se", "cg"}
)
"""Short forms that mean nothing outside a column of states."""

_WEAK: Final = _SLURM_ABBREVIATIONS | {
    *("false", "no", "n", "f", "nan", "bad", "wrong", "broken", "held", "skip"),
    *("skipped", "queued", "running", "stopped", "suspended", "pending", "kill"),
    *("hang", "panic", "exception", "deadline", "invalid", "incomplete", "abort"),
}
"""Failures that may as well be a setting, in a column that is not about outcomes."""

_ABSENT: Final = frozenset({"", "-", "--", "—", "–", "n/a", "na", "none", "null", "."})
"""Cells of values that were not measured."""

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_SIZED: Final = re.compile(r"[+-]?\d[\d.,]*\s?[A-Za-zµμ%]{1,3}")
"""A numerical error with its unit, `114.15 us`."""

_CODES: Final = re.compile(r"(-?\d+):(\d+)")
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_WORD_BEGINS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def judge_value(cell: str) -> Outcome | None:
    """Return the failure that stands in place of a value; None for any other text.

    `OOM`, `killed`, `TIMEOUT` and `nan` in a column of times are failed runs.
    """
    word = _plain(cell)
    if word in _FAILURE - _SLURM_ABBREVIATIONS and word not in {"n", "f", "no"}:
        return Outcome(has_succeeded=False, words=cell.strip())
    return None


def is_absent(cell: str) -> bool:
    """Tell whether a cell says that nothing was measured."""
    return cell.strip().lower() in _ABSENT


def is_missing(cell: str) -> bool:
    """Tell whether a setting is none: absent, or no number where one should be."""
    return is_absent(cell) or cell.strip().lower() == "nan"


def is_about_outcome(column: str) -> bool:
    """Tell whether a column or key states how a run ended."""
    return _judge_of(column) is not None


def states_outcomes(column: str, cells: Iterable[str]) -> bool:
    """Tell whether a column of a table states how runs ended, by its name or cells.

    So it does where a cell has a word for a failure that is hardly a setting, such as
    `NODE_FAIL`; of a column called a status or a state where any word is known.
    """
    if is_about_outcome(column):
        return True
    known = _FAILURE - _WEAK
    if _words(column)[-1:] in (["status"], ["state"], ["outcome"]):
        known = _SUCCESS | _FAILURE
    return any(_plain(cell) in known for cell in cells)


def judge_cell(
    column: str, cell: str, *, is_about_outcome: bool = False
) -> Outcome | None:
    """Return the outcome that a cell states; None if its column is not about one.

    An exit code fails unless it is 0, `passed` unless it is true, `errors` unless it is
    empty, 0 or false; a status is a word.

    Parameters
    ----------
    is_about_outcome
        Whether the column is about outcomes though its name does not tell.
    """
    judge = _judge_of(column) or (_is_good_word if is_about_outcome else None)
    if judge is None:
        return None
    words = f"{column.strip()} {cell.strip()}".strip()
    return Outcome(judge(cell), words, is_absent(cell))


def signs_of_abort(lines: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the lines by which programs and schedulers tell of an end by error.

    Such a line behind a table says that what was printed before may be only a part.
    Each comes with its position among all lines.
    """
    # Logs are long and signs are rare: most lines are never looked at alone.
    text = b"".join(lines).lower()
    letters = text.translate(None, _NO_LETTERS)
    if not any(map(letters.__contains__, _ROOTS)):
        return
    if not any(map(text.__contains__, _BYTES)):
        return
    for at, line in enumerate(lines):
        shown = line[:_LONGEST_SIGN].decode("utf-8", "replace").strip()
        lowered = shown.lower()
        last = shown.rpartition(" ")[2]
        if any(sign in lowered for sign in _SIGNS) or last in _ENDS:
            yield at, shown


def _plain(cell: str) -> str:
    """Return a word in lower case, without emphasis and with single blanks."""
    return _SEPARATORS.sub(" ", cell.strip(" \t*_`'\"()[]<>.!").lower()).strip()


def _is_good_word(cell: str) -> bool | None:
    word = _plain(cell)
    first = word.partition(" ")[0]
    if word in _SUCCESS or word == "0":
        return True
    # sacct cuts what its columns do not hold: OUT_OF_ME+.
    if word.endswith("+") and len(word) > len("oom+"):
        return False if any(each.startswith(word[:-1]) for each in _FAILURE) else None
    # Slurm writes `CANCELLED by 1234`, shells `Killed (signal 9)`.
    if word in _FAILURE or first in _FAILURE - _SLURM_ABBREVIATIONS:
        return False
    return False if _NUMBER.fullmatch(cell.strip()) else None


def _is_code_of_success(cell: str) -> bool | None:
    plain = cell.strip()
    if codes := _CODES.fullmatch(plain):
        return int(codes[1]) == int(codes[2]) == 0
    if _NUMBER.fullmatch(plain):
        return float(plain) == 0
    return False if _plain(cell) in _FAILURE else None


def _is_set(cell: str) -> bool | None:
    """Tell whether a flag is set that a success sets."""
    if _NUMBER.fullmatch(cell.strip()):
        return float(cell) == 1
    return _is_good_word(cell) if cell.strip() else None


def _is_free_of_errors(cell: str) -> bool | None:
    """Tell whether a column of errors holds none; any text in it is an error.

    A whole number counts errors; another one is how large a numerical error is.
    """
    if _NUMBER.fullmatch(cell.strip()):
        number = float(cell)
        return number == 0 or not number.is_integer()
    if _SIZED.fullmatch(cell.strip()):
        return True
    return is_absent(cell) or _plain(cell) in {
        "false",
        "no",
        "ok",
        "n",
        "f",
        "no error",
    }


_JUDGES: Final[Mapping[Callable[[str], bool | None], tuple[str, ...]]] = {
    _is_good_word: (
        *("status", "state", "outcome", "job state", "run status", "exit status"),
        *(
            "job status",
            "exit state",
            "verification",
            "validation",
            "check",
            "jobstate",
        ),
        *("verdict", "correctness", "ended", "termination"),
        *(
            f"{about} {noun}"
            for about in ("slurm", "run", "test", "end", "final", "completion", "mpi")
            for noun in ("state", "status", "outcome")
        ),
    ),
    _is_code_of_success: (
        *("exit", "exit code", "exitcode", "return code", "returncode", "retcode"),
        *("rc", "error code", "errorcode", "ierr", "exit status code", "retval"),
        *("return value", "derivedexitcode", "derived exit code", "signal", "errno"),
    ),
    _is_set: (
        *("passed", "pass", "success", "successful", "succeeded", "ok", "valid"),
        *("correct", "converged", "verified", "is valid", "validated", "completed"),
    ),
    _is_free_of_errors: (
        *("failed", "fail", "failure", "failures", "error", "errors", "timed out"),
        *("wrong", "#wrong", "crashed", "killed", "oom", "aborted", "exception"),
        *("error message", "error occurred", "timeout", "mismatches", "timed_out"),
        *("err", "nerrors", "nerr", "error count", "timeouted"),
    ),
}
_JUDGE: Final = {name: judge for judge, names in _JUDGES.items() for name in names}
_ENDINGS: Final = frozenset(
    {"exit code", "return code", "error code", "exit status", "exitcode", "returncode"}
    | {"passed", "ok", "success", "succeeded", "converged", "verified", "correct"}
    | {"failed", "crashed", "errors"}
)
"""Last words of names that are about outcomes whatever stands before them."""


@lru_cache(maxsize=4096)
def _judge_of(column: str) -> Callable[[str], bool | None] | None:
    words = _words(column)
    judge = _JUDGE.get(" ".join(words)) or _JUDGE.get(_plain(column))
    if judge or not words:
        return judge
    if "rc" in words:
        return _is_code_of_success
    ends = (" ".join(words[-2:]), words[-1])
    return next((_JUDGE[end] for end in ends if end in _ENDINGS), None)


def _words(column: str) -> list[str]:
    return _plain(_WORD_BEGINS.sub(" ", column)).split()


_LONGEST_SIGN: Final = 400
"""Characters of a line in which a sign is looked for."""

_ENDS: Final = frozenset({"Killed", "Aborted", "Terminated"})
"""Last words of a shell about a process."""

_SIGNS: Final = (
    "segmentation fault",
    "core dumped",
    "assertion failed",
    "assertion `",
    "mpi_abort",
    "abort(",
    "bad termination of",
    "process received signal",
    "returned a non-zero exit code",
    "exited on signal",
    "terminate called after",
    "traceback (most recent call last)",
    "floating point exception",
    "bus error",
    "illegal instruction",
    "out of memory",
    "out-of-memory",
    "oom-kill",
    "oom_kill",
    "std::bad_alloc",
    "cannot allocate memory",
    "due to time limit",
    "due to preemption",
    "due to node failure",
    "slurmstepd: error",
    "srun: error",
    "forrtl: severe",
    "fortran runtime error",
    "error stop",
    "cuda error",
    "cudaerror",
    "hiperror",
    "ncclsystemerror",
    "ncclunhandledcudaerror",
    "panicked at",
    "fatal error in",
    "addresssanitizer",
)

_BYTES: Final = tuple(sign.lower().encode() for sign in (*_SIGNS, *_ENDS))
"""Bytes of which a text with a sign holds some."""

_ROOTS: Final = tuple(
    root.encode()
    for root in (
        *("segmentationfault", "dumped", "assert", "abort", "terminat", "signal"),
        *("traceback", "exception", "rror", "illegal", "outofmemory", "oomk", "alloc"),
        *("duetotime", "duetopre", "duetonode", "killed", "severe", "panicked"),
        *("sanitizer", "exitcode"),
    )
)
"""Letters of which each sign has some: few, since most texts have none of them."""

_NO_LETTERS: Final = bytes(set(range(128)) - set(b"abcdefghijklmnopqrstuvwxyz"))
"""Bytes that are left out before the letters of a sign are sought."""
