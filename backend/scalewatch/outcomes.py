"""Outcomes of runs, by the words, codes and signs with which tools state them.

A run succeeded only where something that is understood says so, or where nothing was
said at all. A word that is in no list is neither: whoever reads it refuses it by name,
or takes the run for failed, and never for a success.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
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
        *("y", "t", "✓", "✔", "✅", "🟢", "exited normally", "no error", "none", "cd"),
        *("normally", "validated", "successfully", "match", "matches", "matched"),
        *("identical", "healthy", "erfolgreich", "bestanden", "fertig", "ja"),
        *("réussi", "réussie", "succès", "terminé", "oui", "éxito", "correcto"),
        *("sí", "riuscito", "completato"),
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
        *("false", "no", "n", "f", "✗", "✘", "❌", "💥", "☠", "🔴", "nan"),
        *("mismatch", "differs", "different", "unhealthy", "node down", "exit"),
        *("rejected", "stuck", "stalled", "unfinished", "abgestürzt", "avorté"),
        *("⚠", "⚠️", "❗", "❎", "☒", "✕", "✖"),
        *("limit exceeded", "ssusp", "ususp", "psusp", "unkwn", "zombi"),
        *("abgebrochen", "abbruch", "fehlgeschlagen", "fehler", "gescheitert", "nein"),
        *("échec", "échoué", "erreur", "interrompu", "non", "fallo", "fallido"),
        *("fallito", "errore", "interrotto"),
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
    *("hang", "panic", "exception", "deadline", "incomplete", "abort"),
    *("nein", "non", "different", "differs", "exit"),
}
"""Failures that may as well be a setting, in a column that is not about outcomes."""

_TELLING: Final = re.compile(
    r"\b(?:fail(?:ed|s|ure)?|error(?:ed)?|oom|killed|killer|crash(?:ed)?|segfault|segv"
    r"|mpi abort|aborting|core[. ]\d+|cancel(?:l?ed)|aborted|timeout|timed out"
    r"|sig(?:segv|kill|abrt|bus|term|fpe|ill)"
    r"|time limit|wall ?(?:clock|time)? limit|exceeded|(?:core|memory) dump(?:ed)?"
    r"|segmentation fault|out of memory|did not|not converged?|diverged|unsuccessful"
    r"|not (?:passed|ok|valid|correct|successful|completed?)|cannot|could not|err"
    r"|mismatch|node (?:down|fail(?:ure)?)|preempted|crashing|exception|abgebrochen"
    r"|fehlgeschlagen|fehler|échec|échoué|erreur|fallo|fallito|errore)\b"
)
"""Words that tell of a failure wherever they stand in a cell of several."""

_DENIED: Final = re.compile(r"\b(?:no|0|without|zero) (?:error|fail|crash|mismatch)")
_GOOD_WITHIN: Final = re.compile(
    r"\b(?:pass(?:ed)?|successful(?:ly)?|ok|completed|converged)\b"
)
_NEGATION: Final = re.compile(r"\b(?:not|no|never|partial(?:ly)?|un\w+|in\w+)\b")

_ABSENT: Final = frozenset(
    {"", "-", "--", "---", "—", "–", "n/a", "na", "none", "null", ".", "..", "...", "…"}
    | {"n.a.", "n.d.", "nd", "not available", "unavailable", "missing", "tbd"}
)
"""Cells of values that were not measured."""

_OF_SHEETS: Final = re.compile(r"#[A-Z/0]+[!?]\Z|#N/A\Z|ERR!|(?:>|≥|>=)\s*\d")
"""Mistakes of formulas, and times of which only a bound is known: it timed out."""

_PLAIN_NUMBER: Final = re.compile(r"[\d.,+-]*")
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_SIZED: Final = re.compile(r"[+-]?\d[\d.,]*\s?[A-Za-zµμ%]{1,3}")
"""A numerical error with its unit, `114.15 us`."""

_SHARE: Final = re.compile(r"(\d+(?:\.\d*)?)\s*%")
_CODES: Final = re.compile(r"(-?\d+):(\d+)")
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_WORD_BEGINS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def judge_value(cell: str) -> Outcome | None:
    """Return the failure that stands in place of a value; None for any other text.

    `OOM`, `killed`, `14.1 (failed)`, `> 3600` and `nan` in a column of times are failed
    runs, as the mistakes of a spreadsheet are.
    """
    if _PLAIN_NUMBER.fullmatch(cell):
        return None
    word = _plain(cell)
    is_word = word in _FAILURE - _SLURM_ABBREVIATIONS - {"n", "f", "no", "non"}
    if is_word or _tells_of_failure(cell) or _OF_SHEETS.match(cell.strip()):
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
    words = _words(column)
    if words[-1:] and words[-1] in _SIZES:
        return any(_is_finite(cell) is False for cell in cells)
    known = _FAILURE - _WEAK
    if words[-1:] and words[-1].endswith(_STATES):
        known = _SUCCESS | _FAILURE
    return any(_plain(cell) in known or _tells_of_failure(cell) for cell in {*cells})


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
    judge = _judge_of(column)
    if judge is None and is_about_outcome:
        last = "".join(_words(column)[-1:])
        judge = _is_finite if last in _SIZES else _is_no_failure
        judge = _is_good_word if last.endswith(_STATES) else judge
    if judge is None:
        return None
    words = f"{column.strip()} {cell.strip()}".strip()
    return Outcome(judge(cell), words, is_absent(cell))


def signs_of_abort(lines: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the lines by which programs and schedulers tell of an end by error.

    Such a line behind a table says that what was printed before may be only a part.
    Each comes with its position among all lines.
    """
    for at in _candidates(lines):
        shown = lines[at][:_LONGEST_SIGN].decode("utf-8", "replace").strip()
        if _SIGN.search(shown.lower()) or _SIGN_AS_WRITTEN.search(shown):
            yield at, shown


def _candidates(lines: Sequence[bytes]) -> list[int]:
    """Return the positions of lines that have letters of a sign.

    Logs are long and signs are rare: most lines are never looked at alone.
    """
    text = b"".join(lines).lower()
    starts = [0, *accumulate(map(len, lines))]
    candidates = set[int]()
    for root in _ROOTS:
        place = text.find(root)
        while place >= 0:
            at = bisect_right(starts, place)
            candidates.add(at - 1)
            place = text.find(root, starts[at])
    return sorted(candidates)


def _plain(cell: str) -> str:
    """Return a word in lower case, without emphasis and with single blanks."""
    return _SEPARATORS.sub(" ", cell.strip(" \t*_`'\"()[]<>.!?").lower()).strip()


def _tells_of_failure(cell: str) -> bool:
    """Tell whether a text of several words has one for a failure."""
    text = _SEPARATORS.sub(" ", _WORD_BEGINS.sub(" ", cell)).lower()
    return _TELLING.search(text) is not None and not _DENIED.search(text)


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
    if _tells_of_failure(cell):
        return False
    if _GOOD_WITHIN.search(word) and not _NEGATION.search(word):
        return True
    return False if _NUMBER.fullmatch(cell.strip()) else None


def _is_code_of_success(cell: str) -> bool | None:
    plain = cell.strip()
    if codes := _CODES.fullmatch(plain):
        return int(codes[1]) == int(codes[2]) == 0
    if _HEXADECIMAL.fullmatch(plain):
        return int(plain, 16) == 0
    if _NUMBER.fullmatch(plain):
        return float(plain) == 0
    return False if _is_good_word(cell) is False else None


def _is_set(cell: str) -> bool | None:
    """Tell whether a flag is set that a success sets."""
    if _NUMBER.fullmatch(cell.strip()):
        return {0.0: False, 1.0: True}.get(float(cell))
    if share := _SHARE.fullmatch(cell.strip()):
        return float(share[1]) == 100
    return _is_good_word(cell) if cell.strip() else None


def _is_free_of_errors(cell: str) -> bool | None:
    """Tell whether a column of errors holds none; any text in it is an error.

    A whole number counts errors; another one is how large a numerical error is.
    """
    plain = cell.strip()
    if _NUMBER.fullmatch(plain):
        number = float(plain)
        return number == 0 or not number.is_integer()
    if _SIZED.fullmatch(plain) or _ZEROS.fullmatch(plain):
        return True
    return is_absent(cell) or _plain(cell) in _NO_ERRORS


def _is_no_failure(cell: str) -> bool | None:
    """Tell whether a remark is none, or one that a run ended well."""
    return True if is_absent(cell) else _is_good_word(cell)


def _is_finite(cell: str) -> bool | None:
    """Tell whether a size is a number, as a residual is that did not blow up."""
    if _NUMBER.fullmatch(cell.strip()) or _SIZED.fullmatch(cell.strip()):
        return True
    is_none = _plain(cell).lstrip("+-") in {"nan", "inf", "infinity"}
    return False if is_none else _is_good_word(cell)


_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]{1,16}")
_ZEROS: Final = re.compile(r"0+(?:\s?[/,;]\s?0+)+")
_NO_ERRORS: Final = frozenset({"false", "no", "ok", "n", "f", "no error", "no errors"})
_STATES: Final = (
    *("status", "state", "outcome", "stat", "result", "statut", "ergebnis"),
    *("checksum", "sanity", "resultat", "résultat", "resultado", "esito", "zustand"),
)
"""Ends of names of outcomes, where the cells have words for them."""

_SIZES: Final = frozenset(
    {"residual", "residuals", "resid", "norm", "rmse", "rmsd"} | {"error", "err"}
)
"""Last words of names of sizes, which are no number after a computation blew up."""

_JUDGES: Final[Mapping[Callable[[str], bool | None], tuple[str, ...]]] = {
    _is_good_word: (
        *("status", "state", "outcome", "job state", "run status", "exit status"),
        *("job status", "exit state", "check", "jobstate", "jobstatus", "ended"),
        *("verdict", "correctness", "termination", "validate"),
        *("verification", "validation", "verify", "statut", "estado", "stato"),
        *(
            f"{about} {noun}"
            for about in ("slurm", "run", "test", "end", "final", "completion", "mpi")
            for noun in ("state", "status", "outcome")
        ),
    ),
    _is_code_of_success: (
        *(
            "wait status",
            "exit",
            "exit code",
            "exitcode",
            "return code",
            "returncode",
            "retcode",
        ),
        *("rc", "error code", "errorcode", "ierr", "exit status code", "retval"),
        *("return", "return value", "derivedexitcode", "derived exit code", "errno"),
    ),
    _is_set: (
        *("passed", "pass", "success", "successful", "succeeded", "ok", "valid"),
        *("correct", "converged", "verified", "validated", "completed", "complete"),
        *("finished", "healthy", "reproducible", "bit identical", "matches"),
        *("conserved", "success rate", "pass fail", "pass rate"),
        *(f"{what} match" for what in ("result", "results", "output", "checksum")),
        *("completion", "completion rate", "progress"),
    ),
    _is_free_of_errors: (
        *("failed", "fail", "failure", "failures", "error", "errors", "timed out"),
        *("wrong", "#wrong", "crashed", "killed", "oom", "aborted", "exception"),
        *("error message", "error occurred", "timeout", "mismatches", "timeouted"),
        *("err", "nerrors", "nerr", "error count", "crash", "crashes"),
        *("nan", "nans", "diverged", "killed by", "hang", "hung", "segfault"),
        *("nonzero exit", "mismatch", "exceptions", "incomplete", "kills"),
        *("signal", "has error", "any error", "had error", "timedout", "segv"),
        *("core dump", "errorlevel", "aborts", "invalid", "truncated", "preempted"),
        *("partial", "walltime hit", "limit hit", "unstable", "preemptions"),
    ),
}
_JUDGE: Final = {name: judge for judge, names in _JUDGES.items() for name in names}
_NO_ENDINGS: Final = frozenset(
    {"check", "pass", "state", "outcome", "ended", "stato"} | {"error", "err", "status"}
)
"""Names that mean something else behind another word: `number per pass`."""

_WITHIN: Final = re.compile(
    r"\b#?(?:failed|failures|crash|wrong\b|errors\b|kill|abort|segf|segv|dumped|interrupt|mismatch"
    r"|diverg|unfinish|incomplete|dnf|did not|oom\b|corrupt|invalid|reject"
    r"|hit (?:wall|limit|time))"
)
"""Stems that make a name one of errors wherever they stand: `n_failed_ranks`."""

_LONGEST_NAME: Final = 4
"""Words of a column that only one of them makes one of outcomes."""

_SET_WITHIN: Final = frozenset({"valid", "correct", "verified", "converged", "passed"})
"""Words that a success sets, wherever they stand: `is_valid_run`."""


@lru_cache(maxsize=4096)
def _judge_of(column: str) -> Callable[[str], bool | None] | None:
    """Return the judge of a column: by its name, or by what stands last in it."""
    words = _words(column)
    judge = _JUDGE.get(" ".join(words)) or _JUDGE.get(_plain(column))
    if judge or not words:
        return judge
    if "rc" in words:
        return _is_code_of_success
    ends = (" ".join(words[-2:]), words[-1])
    known = (_JUDGE.get(end) for end in ends if end not in _NO_ENDINGS)
    judge = next((judge for judge in known if judge), None)
    if judge is _is_set and _is_counted(words[:-1]):
        return None
    if judge is None and len(words) > _LONGEST_NAME:
        return None  # rather the name of a benchmark
    if judge is None and _WITHIN.search(" ".join(words)):
        return _is_free_of_errors
    is_flag = not _SET_WITHIN.isdisjoint(words) and not _is_counted(words[:-1])
    return judge or (_is_set if is_flag else None)


def _is_counted(before: list[str]) -> bool:
    """Tell whether words before `completed` make it a number: `steps completed`."""
    last = before[-1] if before else ""
    return last in {"n", "num", "number", "time"} or (
        last.endswith("s") and last not in {"is", "has", "was", "results", "values"}
    )


def _words(column: str) -> list[str]:
    return _WORDS.findall(_plain(_WORD_BEGINS.sub(" ", column)))


_WORDS: Final = re.compile(r"#?[^\W\d_]+")

_LONGEST_SIGN: Final = 400
"""Characters of a line in which a sign is looked for."""

_NO_NUMBER: Final = r"(?!\s*(?:[-+]?[\d.]|none\b|no\b|ok\b|false\b|$))"
"""Behind `error:` a number is how large it is."""

_SIGN: Final = re.compile(
    "|".join(
        (
            # Signals, and codes that are not 0.
            r"segmentation fault|core dumped|core\.\d+ dumped|bus error|alarm clock",
            r"floating point exception|illegal instruction|(?:caught|received) signal",
            r"(?:exited|terminated|killed) (?:on|with|by) signal|signal: ",
            r"\bsignal \(?\d+\)?|non-?zero (?:exit )?(?:code|status)|^\+ exit [1-9]",
            r"exit(?:ed)? (?:with )?(?:code|status):? [1-9]|error stop|\bstop [1-9]\b",
            r"\*\*\* .{0,60}\berror \d|exited with exit code [1-9]|exit string: ",
            # What schedulers, launchers and kernels print.
            r"(?:slurmstepd|srun|jsrun|aprun|mpirun|prterun): error|job step aborted",
            r"due to (?:time|preemption|node)|bad termination of|collective abort",
            r"\b(?:limit|walltime)\b.{0,60} (?<!not )exceeded",
            r"exceeded .{0,60}\b(?:limit|wall)",
            r"oom[-_ ]kill|out[- ]of[- ]memory|cannot allocate memory|job killed",
            r"being killed|, killing|uncorrectable|\bxid \(|kernel panic|bail out!",
            # What runtimes and libraries print.
            r"traceback \(most recent call last\)|backtrace for this error|panicked at",
            r"assertion (?:failed|`)|mpi_abort|::abort|abort\(|terminate called after",
            r"bad_alloc|double free or corrupt|corrupted (?:size vs|double-linked)",
            r"smashing detected|(?:malloc|free)\(\): |uninitialized stack frame",
            r"forrtl: (?:severe|error)|runtime error|fatal error in|stack overflow",
            r"addresssanitizer|exception in thread|unhandled exception|panic: "
            + _NO_NUMBER,
            r"\b(?:cuda|hip|nccl) ?(?:error(?!s)|failure)",
            r"nccl(?:system|unhandled)\w{0,40}error",
            # What programs say of their results.
            r"diverged at|blew up|\b(?:is|became|detected) nan\b|^not ok \d|is wrong$",
            r"(?:validation|verification|test|check)\s*+[:=]?\s*+(?:failed|unsuccessful)",
            r"^(?:fatal|panic|fail(?:ed|ure)?)\s*[:!]" + _NO_NUMBER,
            r"^(?:error|abort(?:ed)?)\s*[:!]" + _NO_NUMBER,
        )
    )
)
"""Signs in lower case, by who prints them."""

_SIGN_AS_WRITTEN: Final = re.compile(
    r"\b(?:Killed|Aborted|Terminated)\W*\Z|\AERROR in\b(?!.*[:=])"
    r"|\A(?:\D*\s)?(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?:[:(]|\Z)"
    r"|(?:[:=]\s*|\A|[^\W\d]\s)(?:FAIL|FAILED|INVALID|WRONG|INCORRECT|ABORTED|KILLED"
    r"|DIVERGED|UNSUCCESSFUL|NODE_FAIL|TIMEOUT|OUT_OF_MEMORY)\W*\Z"
)
"""Signs whose letters are large: last words of shells, errors by name, verdicts."""

_ROOTS: Final = tuple(
    root.encode()
    for root in (
        *("fault", "dump", "error", "alarm", "exception", "illegal", "signal", "exit"),
        *("stop ", "abort", "due to", "terminat", "exceeded", "oom", "memory"),
        *("killed", "killing", "uncorrectable", "xid (", "panic", "bail out!"),
        *("traceback", "backtrace", "assertion", "bad_alloc", "corrupt", "smashing"),
        *("malloc()", "free()", "stack frame", "overflow", "sanitizer", "failure"),
        *("diverged", "blew up", " nan", "not ok ", "wrong", "fail", "unsuccessful"),
        *("fatal", "invalid", "incorrect", "timeout"),
    )
)
"""Letters of which each sign has some."""
