"""Names of what programs are scaled over: processes, threads, nodes, GPUs, sizes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

PARAMETERS: Final[Mapping[str, str]] = {
    "p": "p np procs nprocs num_procs processes ranks nranks mpi_ranks tasks "
    "num_tasks mpi_procs",
    "n": "n size problem_size",
    "threads": "threads nthreads num_threads omp_threads omp_num_threads "
    "num_cpus_per_task cpus_per_task threadspertask",
    "nodes": "nodes nnodes num_nodes",
    "gpus": "gpus ngpus num_gpus",
    "x": "x",
    "y": "y",
    "z": "z",
}
"""Parameters and the usual names of their columns."""

_PARAMETER_OF: Final = {
    name: parameter for parameter, names in PARAMETERS.items() for name in names.split()
}

_SCALES: Final[Mapping[str, str]] = {
    name: parameter
    for parameter, names in {
        "p": (
            *("core", "cpu", "proc", "processor", "process", "rank", "task", "pe"),
            *("mpi rank", "mpi proc", "mpi process", "mpi task", "mpi size", "mpi"),
            *("processing element", "np", "nproc", "nprocs", "ncpu", "ncore", "worker"),
            *("nrank", "ntask", "world size", "alloccpu", "nprocess", "rank mpi"),
            *("vcpu", "logical core", "logical cpu"),
            *("kern", "kerne", "prozess", "prozesse", "prozessor", "prozessoren"),
            *("processu", "coeur", "cœur", "processeur", "cpu core", "core cpu"),
            *("proceso", "núcleo", "procesadore", "processi", "processo", "mpi worker"),
        ),
        "threads": (
            *("thread", "omp thread", "openmp thread", "nthread", "omp", "cpu thread"),
            *("hilo", "fil", "fäden"),
        ),
        "nodes": (
            *("node", "host", "machine", "pod", "knoten", "nnode", "compute node"),
            *("noeud", "nœud", "nodo", "nodi", "rechenknoten", "server"),
        ),
        "gpus": ("gpu", "device", "gcd", "accelerator", "ngpu", "gpu card", "xpu"),
        "n": (
            *("problem size", "unknown", "dof", "element", "cell", "particle", "atom"),
            *("grid size", "mesh size", "matrix size", "size", "n"),
        ),
    }.items()
    for name in names
}
"""Parameters by the names of columns, without what only says that something counts."""

ACCELERATOR: Final = re.compile(
    r"(?:NVIDIA |AMD |Intel |Tesla )?"
    r"(?:[AHVPLBTK]\d{1,3}|G[HB]\d{3}|MI\d{2,3}[AX]?|RTX|PVC|Max 1\d{3})\b"
)
"""The beginning of a name of GPUs, as in `4 x A100`."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A parameter of which more are to do the same in less time, and its words.

    Parameters
    ----------
    name
        Of the parameter, which is also its symbol.
    singular, many
        What it counts.
    hours
        What a run costs that holds all of them; None where that does not follow.
    """

    name: str
    singular: str
    many: str
    hours: str | None = None

    @property
    def axis(self) -> str:
        """The title of an axis: `nodes`, `GPUs`, `processes p`."""
        is_p = self.many == _PROCESSES.many
        return f"{self.many} {self.name}" if is_p else self.many

    @property
    def title(self) -> str:
        """The title of a column: `Nodes`, `GPUs`, `Processes p`."""
        return self.axis[0].upper() + self.axis[1:]

    def end(self, index: str) -> str:
        """Return the words of an end of a pair of sizes: `processes p₂`, `nodes`."""
        return f"{self.axis}{index}" if self.axis != self.many else self.axis

    def counted(self, size: float) -> str:
        """Return a size in words: `1 node`, `1,024 GPUs`."""
        return f"{size:,.10g} {self.singular if size == 1 else self.many}"

    def called(self, name: str) -> "Scale":
        """Return it with the words of a column's name: of p, `cores` or `ranks`."""
        words = {_singular(word) for word in words_of(name)} & _KINDS_OF_P
        if self.name != _PROCESSES.name or len(words) != 1:
            return self
        (word,) = words
        hours = "core-hours" if word == "core" else None
        return replace(self, singular=word, many=f"{word}s", hours=hours)


_PROCESSES: Final = Scale("p", "process", "processes")
_KINDS_OF_P: Final = frozenset({"core", "rank", "task"})

RESOURCES: Final[Mapping[str, Scale]] = {
    scale.name: scale
    for scale in (
        _PROCESSES,
        Scale("gpus", "GPU", "GPUs", "GPU-hours"),
        Scale("nodes", "node", "nodes", "node-hours"),
        Scale("threads", "thread", "threads"),
    )
}
"""Parameters of what programs run on, those first that others follow from."""


def axis_of(parameters: Iterable[str], preferred: str | None = None) -> Scale | None:
    """Return the parallel scale among parameters: the preferred one, p, or the first.

    None where no parameter counts what programs run on.
    """
    scales = [RESOURCES[name] for name in parameters if name in RESOURCES]
    scales.sort(key=lambda scale: (scale.name != preferred, scale is not _PROCESSES))
    return scales[0] if scales else None


def hours_of(parameters: Iterable[str]) -> str:
    """Return the unit of what runs on these parameters cost: `core-hours`."""
    scale = axis_of(sorted(parameters))
    return (scale and scale.hours) or "core-hours"


def varied_scale(
    coordinates: Sequence[Mapping[str, object]], preferred: str | None = None
) -> Scale | None:
    """Return the parallel scale along which coordinates differ; see `axis_of`.

    Where none varies, one that they name.
    """
    names = sorted(set().union(*coordinates))
    varying = [name for name in names if len({at.get(name) for at in coordinates}) > 1]
    return axis_of(varying, preferred) or axis_of(names, preferred)


_COUNTING: Final = frozenset(
    {"no", "number", "num", "total", "of", "the", "count", "anzahl", "der", "von"}
    | {"nombre", "nb", "nbr", "de", "des", "número", "numero", "di", "used"}
)
_WORD: Final = re.compile(
    r"[A-Z]{2,}s?(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿœ]+|[A-Z]+(?![a-zß-ÿ])|\d+|±"
)
_UNIT_OF_NAME: Final = re.compile(r"[\[(][^\[\]()]*+[\])]\Z")
_LISTED: Final = re.compile(r"[*×/]|(?<=\s)x(?=\s)|(?<=[a-zI])x(?=[A-Z])")
_TIMES_DIGITS: Final = "0123456789 x×*"
_BEHIND: Final = re.compile(r"[(,]")
_STATED: Final = re.compile(r"[=:]\s*+\d++\Z")
_THREADS_OF_ONE: Final = re.compile(
    r"(?:n_?)?(?:omp |openmp )?threads? ?(?:/|per) ?"
    r"(?:mpi )?(?:ranks?|tasks?|process|procs?)",
    re.IGNORECASE,
)
_PER: Final = re.compile(r"\bper\b", re.IGNORECASE)


SAME: Final = 1e-9
"""Relative difference below which proportions are the same."""


def parameter_of(name: str) -> str | None:
    """Return the parameter that usually has this name."""
    return _PARAMETER_OF.get(name.lower())


def scale_of(name: str) -> str | None:
    """Return the parameter that a column is called after: `No. Cores`, `#procs`.

    What is per node, per task or a share is none, but for threads of a process.
    """
    if _THREADS_OF_ONE.fullmatch(name.strip().lstrip("#")):
        return "threads"
    if "%" in name or "/" in name or _PER.search(name):
        return None
    if whole := _SCALES.get(_singular(name.strip().lower())):
        return whole  # DoFs, of which words would be do and fs
    words = [word for word in words_of(name) if word not in _COUNTING]
    words = words[1:] if len(words) > 1 and words[0] == "n" else words
    return _SCALES.get(" ".join(map(_singular, words)))


def counted_by(label: str) -> str | None:
    """Return the parameter that a label counts: `4 nodes (…)`, `np=4`, `2 A100`."""
    text = _BEHIND.split(label, 1)[0].lstrip(_TIMES_DIGITS)
    if ACCELERATOR.match(text):
        return "gpus"
    name = _STATED.sub("", text).rstrip()
    return scale_of(name) or parameter_of(name)


def scales_of(name: str) -> tuple[str, ...]:
    """Return the parameters that a name lists: `nodes * GPUs`, `ranks / threads`."""
    parts = _LISTED.split(name)
    scales = [scale_of(part) for part in parts]
    if len(parts) < 2 or None in scales:
        return ()
    return tuple(scale for scale in scales if scale is not None)


def goes_with(name: str, pairs: Iterable[tuple[float, float]]) -> bool:
    """Tell whether a parameter rises, or falls, throughout with another one.

    Nothing tells the growths of such two apart. Resources may also stay where the other
    rises, as nodes do while processes fill one.

    Parameters
    ----------
    name
        The parameter.
    pairs
        Settings of the other one and of this one.
    """
    settings = sorted(set(pairs))
    steps = {
        (x < next_x, (next_y > y) - (next_y < y))
        for (x, y), (next_x, next_y) in pairwise(settings)
    }
    if name in RESOURCES and len({x for x, _ in settings}) == len(settings):
        steps -= {(True, 0)}
    return len(steps) == 1 and steps <= {(True, 1), (True, -1)}


def followers_of(
    parameters: Sequence[str], coordinates: Sequence[Mapping[str, float]]
) -> dict[str, str]:
    """Return scales in proportion to the one that varies, by name: `nodes` to `p`."""
    scale = axis_of(parameters)
    names = set.intersection(*map(set, coordinates)) if coordinates else set()
    if scale is None or scale.name not in names:
        return {}
    followers = {}
    for name in sorted((names & RESOURCES.keys()) - {*parameters}):
        shares = [at[name] / at[scale.name] for at in coordinates if at[scale.name]]
        if shares and min(shares) > 0 and max(shares) <= (1 + SAME) * min(shares):
            followers[name] = scale.name
    return followers


def is_about_scale(name: str) -> bool:
    """Tell whether a name has a word of a scale, as `PEs / NUMA domain (%)` has."""
    if scale_of(name) is not None:
        return True
    parts = _LISTED.split(_PER.sub("/", name.replace("%", "")))
    return scale_of(parts[0]) is not None


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, without a unit in brackets."""
    text = _UNIT_OF_NAME.sub("", name.rstrip())
    return [word.lower() for word in _WORD.findall(text)]


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word.removesuffix("es")
    return word.removesuffix("s") if len(word) > 2 and word[-2] != "s" else word
