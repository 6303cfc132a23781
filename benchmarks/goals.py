"""What a figure of the scoreboard has to reach, and whom it is compared with."""

from dataclasses import dataclass
from typing import Final

EXTRA_P: Final = "Extra-P 4.2.5"
OTAVA: Final = "Otava 0.8.0"
RIVAL: Final = "rival"
"""As a limit: no worse than the rival in the same run."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure of the scoreboard.

    Parameters
    ----------
    figure
        Its name.
    form
        How a value is written, with its unit.
    least, most
        The limits that make it reached; without any it is only shown.
    among
        The words that make it reached, of a figure that is a word.
    rival
        Whose value stands beside ours.
    reason
        Why it is not reached, said where it is not.
    """

    figure: str
    form: str
    least: float | str | None = None
    most: float | str | None = None
    among: tuple[str, ...] = ()
    rival: str = ""
    reason: str = ""

    def text(self) -> str:
        """Write what is to reach."""
        if self.among:
            return " or ".join(self.among)
        if self.least is not None:
            return self._bound("≥", self.least)
        return "–" if self.most is None else self._bound("≤", self.most)

    def _bound(self, sign: str, limit: float | str) -> str:
        return f"{sign} {limit if limit == RIVAL else self.form.format(limit)}"

    def rival_text(self, rival: float | None) -> str:
        """Write who the rival is and its value, where it was measured."""
        if rival is None:
            return self.rival or "–"
        return f"{self.rival}: {self.form.format(rival)}"

    def is_reached(self, ours: float | str, rival: float | None) -> bool | None:
        """Tell whether a value is within the limit; None where there is no limit."""
        if isinstance(ours, str):
            return ours in self.among
        least, most = (
            rival if limit == RIVAL else limit for limit in (self.least, self.most)
        )
        if least is None and most is None:
            return None
        return (least is None or ours >= least) and (most is None or ours <= most)
