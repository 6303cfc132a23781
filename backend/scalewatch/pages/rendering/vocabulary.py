"""The words of the product: one word, one meaning; the glossary and every tooltip."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Word:
    """A word, what it means, and the route of a page where it is seen."""

    word: str
    meaning: str
    seen: str = "region"

    @property
    def anchor(self) -> str:
        """Where on the glossary's page it is explained."""
        return self.word.replace(" ", "-").replace("R̄²", "adjusted-R2")


TRACED_WORDS: Final = (
    Word(
        "trace",
        "All calls of MPI in a run: when, where in the source, how many bytes.",
        "traces",
    ),
    Word(
        "overhead",
        "What calls of MPI take beyond the best time of their function with so "
        "many processes and bytes; all of their time where none is calibrated.",
        "traces",
    ),
    Word(
        "efficiencies",
        "POP's factors of parallel efficiency, quotients of times: load balance, "
        "serialisation and transfer. Below 0.8 a program calls for action.",
        "traces",
    ),
    Word(
        "late sender",
        "A receive that begins before its message is sent; late receiver is the "
        "reverse, and at collectives one waits for those that enter last.",
        "traces",
    ),
    Word(
        "extrapolation",
        "A parabola a₀ + a₁·p + a₂·p² through the times at the first S numbers of "
        "processes. e_max is its largest error there, d that at the next one.",
        "traces",
    ),
)


TOPICS: Final = {
    "What is measured": (
        Word("project", "A code base under test.", "report"),
        Word(
            "commit",
            "A version of a project: a commit hash or a release tag, with its "
            "parents, branch, time and message.",
            "report",
        ),
        Word(
            "machine",
            "A named platform: hardware, network and MPI library. When a part of its "
            "fingerprint changes that matters, a new state of the machine begins; node "
            "names, microcode, kernel patches and memory to 1 % do not matter.",
            "machine",
        ),
        Word(
            "common mode",
            "Drift shared by all regions of a machine in one night, in level and tilt; "
            "it is subtracted before changes are searched.",
            "machine",
        ),
        Word(
            "two modes",
            "Levels between which a series jumps from commit to commit, or from one "
            "repetition to the next, as a memory layout or a clock frequency makes it; "
            "how often it is at the upper one is its share.",
        ),
        Word(
            "warm-up",
            "First repetitions of a setting that are off all others, as caches, "
            "connections or compilers are still cold.",
        ),
        Word(
            "run",
            "One execution of a suite: a commit on a machine at one coordinate.",
            "report",
        ),
        Word(
            "coordinate",
            "The point in parameter space where a run measures: p processes, problem "
            "size n, threads.",
        ),
        Word(
            "configuration",
            "The parameters that are held fixed along a scan: compiler, flags, "
            "message size, tasks per node.",
        ),
        Word(
            "region",
            "What is timed: a library function, a kernel, a call path, a source "
            "location.",
            "report",
        ),
        Word(
            "metric",
            "A named quantity with its unit and its better direction: time, memory, "
            "bytes sent, floating-point operations.",
            "report",
        ),
        Word("measurement", "All repetitions of one metric of one region in one run."),
        Word(
            "series",
            "The measurements of a region's metric along a scan, all else held fixed.",
            "report",
        ),
        Word(
            "litmus test",
            "Our own implementation of a known algorithm. Where it diverges too, "
            "suspect the platform rather than the library.",
            "report",
        ),
    ),
    "How it scales": (
        Word(
            "model",
            "The performance model that the measurements select: a function of the "
            "parameter, such as 7.3 µs + 2.1 µs · √p.",
        ),
        Word(
            "growth",
            "The leading-order term of a model without its coefficient: what "
            "dominates as the parameter becomes large.",
        ),
        Word(
            "R̄²",
            "Adjusted R²: the share of the variation that the model explains, lowered "
            "for every term it spends. 1 is perfect.",
        ),
        Word(
            "SMAPE",
            "Symmetric mean absolute percentage error of the model at the measured "
            "coordinates. 0 % is perfect.",
        ),
        Word(
            "growth probability",
            "How probable each growth is, given the scatter of the repetitions.",
        ),
        Word(
            "misfit",
            "The model explains nothing: less than the mean does (R̄² below 0), a "
            "constant far off its values, or not positive where all were. There are no "
            "odds of growths then, and no verdict.",
        ),
        Word(
            "exact counts",
            "A series whose repetitions are all equal, such as messages, bytes or "
            "calls. Its model is the shortest formula that reproduces every count; "
            "several may do, or none.",
        ),
    ),
    "How it is judged": (
        Word(
            "expectation",
            "The growth E that the authors expect, in big-O notation; saved by a "
            "person, or the status quo taken as baseline. It says how the metric "
            "grows, not how large it is.",
        ),
        Word(
            "composed model",
            "A model made of those of other regions, as 13*8*N/triad + 2*parallel: an "
            "expectation with a value. The verdict is on measured/composed, which "
            "should not grow.",
        ),
        Word(
            "baseline",
            "The earlier commit that a commit is compared with: the one asked for, "
            "else a measured parent, else the one measured before it.",
            "report",
        ),
        Word(
            "divergence",
            "δ = G/E, the growth found over the growth expected. 1 means that both "
            "grow alike; √p that the gap widens with the root of p.",
        ),
        Word(
            "tolerance",
            "D, how far the growth may stray: between E/D and E·D it is still "
            "acceptable. Half the leading exponent of E unless somebody says "
            "otherwise.",
        ),
        Word(
            "verdict",
            "The result of comparing growth and expectation: match, approximate, "
            "better, mismatch or undecided.",
        ),
        Word("match", "✓ The growth is the expected one.", "report"),
        Word(
            "approximate",
            "≈ The growth is another one, within the tolerance.",
            "report",
        ),
        Word(
            "better",
            "▼ The growth is beyond the tolerance on the good side: the region "
            "scales better than expected.",
            "report",
        ),
        Word(
            "mismatch",
            "✗ The growth is beyond the tolerance and worse than expected: a "
            "scalability bug, or an expectation to correct.",
            "report",
        ),
        Word(
            "undecided",
            "? Too few coordinates, too much noise, or processes that shared cores.",
            "report",
        ),
        Word(
            "guideline",
            "A rule across regions: one should not scale worse than those that can "
            "replace it together, such as Allreduce ⪯ Reduce + Bcast.",
            "guidelines",
        ),
    ),
    "How far it is from ideal": (
        Word(
            "strong scaling",
            "The same problem on more processes; ideally, twice as many need half the "
            "time.",
            "serial-fraction",
        ),
        Word(
            "weak scaling",
            "A problem that grows with the processes; ideally, its time stays as it "
            "is.",
            "scaling-errors",
        ),
        Word(
            "scaling error",
            "Loss against ideal scaling between p₁ and p₂ processes, 0 if "
            "none: α = p₂/p₁ − t(p₁)/t(p₂) for strong scaling, β = 1 − t(p₁)/t(p₂) "
            "for weak scaling, with a problem that grew by p₂/p₁.",
            "scaling-errors",
        ),
        Word(
            "parallel efficiency",
            "Achieved speed-up over ideal speed-up: 100 % is ideal.",
            "scaling-errors",
        ),
        Word("speed-up", "Time on p₁ processes over time on p₂.", "scaling-errors"),
        Word(
            "Karp–Flatt fraction",
            "The share of the work that seems to be serial. If it stays constant, "
            "serial work limits the code; if it grows, overhead does. Above 1, more "
            "processes take longer.",
            "scaling-errors",
        ),
        Word(
            "configuration search",
            "Which configuration of a region is the best one for an objective, the "
            "divergence of its scaling or the time at a scale, and which of its "
            "settings matter.",
            "configurations",
        ),
        Word(
            "divergence metric",
            "One number for how quickly a scaling error grows, so that scalings can be "
            "ranked; larger is worse.",
            "scaling-errors",
        ),
    ),
    "Where the time goes": (
        Word(
            "profile",
            "The seconds that each function of a code took in one run, without those "
            "of the functions it called.",
            "hotspots",
        ),
        Word("hotspot", "A function that takes much of the time of a run.", "hotspots"),
        Word(
            "χ²",
            "How much two profiles differ, with their seconds as counts: 0 for the "
            "same proportions. Its p-value is the probability of a larger one by "
            "chance, near 1 for similar profiles.",
            "hotspots",
        ),
        Word(
            "Kendall τ",
            "How far two profiles agree in the order of their functions: 1 for the "
            "same order, −1 for the reverse.",
            "hotspots",
        ),
    ),
    "What communication costs": TRACED_WORDS,
    "How measurements were taken": (
        Word(
            "repetition",
            "One timing of an operation, reduced to the maximum over the processes.",
        ),
        Word(
            "round-time",
            "All processes agreed on a common start time by their synchronised "
            "clocks, anew for each repetition; those with a late process were "
            "discarded and counted.",
        ),
        Word(
            "barrier-synchronised",
            "Processes were lined up by a barrier instead of a common start time, so "
            "part of the barrier's own skew is in the numbers. Used where rounds "
            "fail, mostly with more processes than cores. Times are counted "
            "from the start of the process in question.",
        ),
        Word(
            "oversubscribed",
            "More processes than cores: they take turns, and the contention says "
            "little about how the library would scale on a machine with enough cores. "
            "Such times are left out of verdicts unless the project accepts them.",
            "report",
        ),
        Word(
            "disturbed",
            "Other jobs took its processors: runnable processes waited for over 3.5 % "
            "of the time. Such times are left out of "
            "verdicts unless the project accepts them.",
        ),
        Word(
            "uncertain clocks",
            "The clocks of the processes could be compared only to more than a tenth "
            "of what was measured, so the processes may not have started together.",
        ),
        Word(
            "interpreted loop",
            "An operation of less than 20 µs was repeated from Python, which adds "
            "about half a microsecond to each call; a C compiler on the machine that "
            "measures avoids it.",
        ),
        Word(
            "late",
            "A repetition that was discarded because a process started after the "
            "common start time.",
        ),
    ),
}
"""Words by topic, in the order in which one comes to need them."""

MEANINGS: Final = {word.word: word for words in TOPICS.values() for word in words}

RULES: Final = {
    "evidence": "evidence of the repetitions",
    "exact": "shortest description of exact counts",
    "paper": "adjusted R² of the lower quartiles",
    "refinement": "term by term, as long as the fit improves",
    "surfaces": "evidence of sums and products of several parameters",
    "smape": "cross-validated SMAPE of the means",
}
"""The criterion of each rule of selection."""
