"""Words about traced programs."""

from typing import Final

from scalewatch.pages.rendering.word import Word

TRACED_WORDS: Final = (
    Word(
        "trace",
        "All calls of MPI in a run: when, where in the source, how many bytes.",
    ),
    Word(
        "overhead",
        "What calls of MPI take beyond the best time of their function with so "
        "many processes and bytes; all of their time where none is calibrated.",
    ),
    Word(
        "efficiencies",
        "POP's factors of parallel efficiency, quotients of times: load balance, "
        "serialisation and transfer. Below 0.8 a program calls for action.",
    ),
    Word(
        "late sender",
        "A receive that begins before its message is sent; late receiver is the "
        "reverse, and at collectives one waits for those that enter last.",
    ),
    Word(
        "extrapolation",
        "A parabola a₀ + a₁·p + a₂·p² through the times at the first S numbers of "
        "processes. e_max is its largest error there, d that at the next one.",
    ),
)
