"""Findings as a table: coloured for people on a terminal, plain text in a pipe."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch import modelling
from scalewatch.errors.files import printable
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Finding, Forecast, Growth, Model, Verdict
from scalewatch.modelling.splits import SplitChoice
from scalewatch.services.analysis import questions
from scalewatch.services.analysis.versions import Compared, comparison_words
from scalewatch.services.efficiencies.scan import ScanScaling
from scalewatch.services.efficiencies.table import efficiency_text
from scalewatch.wire.fields import Direction

GAP: Final = 2
"""Blanks between columns."""

NO_GROWTH: Final = "none fits"
"""The growth of a series that its model does not explain."""

WRAPPED: Final = 24
"""Width down to which texts are wrapped where the terminal is narrow."""


COLOURS: Final[Mapping[Verdict, str]] = {
    Verdict.MATCH: "#009E73",
    Verdict.APPROXIMATE: "#E69F00",
    Verdict.MISMATCH: "#D55E00",
    Verdict.UNDECIDED: "bright_black",
}
"""Colours of verdicts on a terminal."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write growths, models, verdicts and what there is not."""

    growth: Callable[[Growth], str]
    times: str
    missing: str
    adjusted_r2: str
    divergence: str
    symbols: Mapping[Verdict, str]

    def growth_text(self, growth: Growth | None) -> str:
        """Return a growth without its O."""
        return self.missing if growth is None else self.growth(growth)

    def model_text(self, model: Model | None) -> str:
        """Return a model with the digits that matter to the eye."""
        if model is None:
            return self.missing
        if model.is_exact:
            return model.formula
        text = f"{model.constant:.4g}" if model.constant or not model.terms else ""
        for term in model.terms:
            sign = " - " if term.coefficient < 0 else " + " if text else ""
            growth = self.growth(term.growth)
            factor = growth[1:] if growth.startswith("1 / ") else self.times + growth
            text += f"{sign}{abs(term.coefficient):.4g}{factor}"
        return text.strip()

    def number_text(self, number: float | None, digits: int) -> str:
        """Return a number with fixed digits."""
        return self.missing if number is None else f"{number:.{digits}f}"

    def verdict_text(self, finding: Finding, *, is_cost: bool) -> str:
        """Return symbol, word, direction and probability of a verdict.

        What grows faster than expected is worse for a cost, and better for a rate.
        """
        if finding.expectation is None:
            return self.missing
        verdict = finding.verdict
        text = f"{self.symbols[verdict]}{verdict}"
        if verdict is Verdict.MISMATCH and finding.direction:
            worse, better = modelling.Direction.WORSE, modelling.Direction.BETTER
            is_worse = (finding.direction is worse) == is_cost
            text += f" ({worse if is_worse else better})"
        probability = finding.verdict_probability.get(verdict)
        return text if probability is None else f"{text} {probability:.0%}"

    def forecast_text(self, forecast: Forecast | None) -> str:
        """Return a predicted value with its interval."""
        if forecast is None:
            return self.missing
        text = f"{forecast.value:.4g}"
        if forecast.low is not None and forecast.high is not None:
            text += f" [{forecast.low:.4g}, {forecast.high:.4g}]"
        return text


RICH: Final = Notation(
    growth=Growth.unicode,
    times=" · ",
    missing="–",
    adjusted_r2="R̄²",
    divergence="δ",
    symbols={verdict: f"{verdict.symbol} " for verdict in Verdict},
)

PLAIN: Final = Notation(
    growth=str,
    times=" * ",
    missing="-",
    adjusted_r2="adj. R2",
    divergence="divergence",
    symbols=dict.fromkeys(Verdict, ""),
)


class FindingRow(NamedTuple):
    """A series and what was found.

    Parameters
    ----------
    share
        Of what all cost at the target, where they are ranked.
    proposal
        What to measure next, where that is asked for and the verdict is undecided.
    compared
        What it has to do with an earlier version, where there is one.
    composed
        The composed model that it is compared with, where there is one.
    better
        Which way its values are better.
    splits
        Which splits of cores are best, where that is asked for.
    scalings
        Efficiency of its scans over a parallel scale, unless growths are asked for.
    """

    series: ImportedSeries
    finding: Finding
    share: float | None = None
    proposal: modelling.Proposal | None = None
    compared: Compared | None = None
    composed: modelling.Composed | None = None
    better: Direction = "lower"
    splits: Sequence[SplitChoice] = ()
    scalings: Sequence[ScanScaling] = ()


@dataclass(frozen=True, slots=True)
class FindingColumn:
    """A heading and the cells below it.

    Parameters
    ----------
    is_number
        Whether it is lined up at the right.
    is_coloured
        Whether it has the colour of the verdict.
    narrowest
        Where the terminal is too narrow: how far the text is wrapped, if at all.
    is_told_once
        Whether a terminal shows it above the table if it is the same in all rows.
    """

    heading: str
    cells: Sequence[str]
    is_number: bool = False
    is_coloured: bool = False
    narrowest: int | None = None
    is_told_once: bool = False

    @property
    def widest(self) -> int:
        """The width that it needs unwrapped."""
        return max(len(self.heading), *map(len, self.cells))

    @property
    def least_width(self) -> int:
        """The width below which it cannot be read."""
        return min(self.widest, self.narrowest or self.widest)


def print_table(rows: Sequence[FindingRow], console: Console) -> None:
    """Print one line per row, in their order, and one that sums them up."""
    findings = [row.finding for row in rows]
    if console.is_terminal:
        notation = PLAIN if console.options.ascii_only else RICH
        colours = [COLOURS[finding.verdict] for finding in findings]
        _print_coloured(columns_of(rows, notation), colours, console)
    else:
        padded = []
        for column in columns_of(rows, PLAIN):
            fit = str.rjust if column.is_number else str.ljust
            lines = (column.heading, *column.cells)
            padded.append([fit(line, column.widest) for line in lines])
        for line in zip(*padded, strict=True):
            console.file.write(f"{(' ' * GAP).join(line).rstrip()}\n")
    console.file.write(f"{summary(findings)}\n")


def summary(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each kind."""
    counts = Counter(
        "without model"
        if finding.model is None
        else "without expectation"
        if finding.expectation is None
        else finding.verdict
        for finding in findings
    )
    kinds = (*map(str, modelling.Verdict), "without expectation", "without model")
    tally = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
    return f"{len(findings)} series: {tally}"


def columns_of(rows: Sequence[FindingRow], notation: Notation) -> list[FindingColumn]:
    """Return the columns that tell something about these rows."""
    findings = [row.finding for row in rows]
    held = [row.series.configuration for row in rows]
    varied = [
        name
        for name in dict.fromkeys(name for settings in held for name in settings)
        if len({settings.get(name, ...) for settings in held}) > 1
    ]
    growth, number = notation.growth_text, notation.number_text
    columns = [
        FindingColumn(
            "region", [printable(row.series.region) for row in rows], narrowest=WRAPPED
        ),
        FindingColumn(
            "configuration",
            [
                printable(", ".join(f"{n}={each[n]}" for n in varied if n in each))
                for each in held
            ],
            narrowest=WRAPPED,
        ),
        FindingColumn(
            "share",
            ["" if row.share is None else f"{row.share:.1%}" for row in rows],
            is_number=True,
        ),
        FindingColumn(
            "metric",
            [
                printable(f"{each.metric} [{each.unit}]" if each.unit else each.metric)
                for each in (row.series for row in rows)
            ],
            is_told_once=True,
        ),
        FindingColumn("efficiency %", [*map(_efficiency, rows)], is_number=True),
        FindingColumn(
            "model", [_model(each, notation) for each in findings], narrowest=WRAPPED
        ),
        FindingColumn(
            "growth",
            [
                NO_GROWTH
                if each.growth and not each.told_growth
                else growth(each.growth)
                for each in findings
            ],
        ),
        FindingColumn(
            notation.adjusted_r2,
            [number(each.adjusted_r2, 4) for each in findings],
            is_number=True,
        ),
        FindingColumn(
            "SMAPE %", [number(each.smape, 2) for each in findings], is_number=True
        ),
    ]
    if any(finding.expectation is not None for finding in findings):
        columns += [
            FindingColumn(
                "expected",
                [growth(each.expectation) for each in findings],
                is_told_once=True,
            ),
            FindingColumn(
                notation.divergence, [growth(each.divergence) for each in findings]
            ),
            FindingColumn(
                "verdict",
                [
                    notation.verdict_text(row.finding, is_cost=row.better == "lower")
                    for row in rows
                ],
                is_coloured=True,
            ),
        ]
    forecasts = [
        {at_text(each.at): each for each in finding.forecasts} for finding in findings
    ]
    columns += [
        FindingColumn(
            f"at {target}",
            [
                f"not beyond {finding.horizon:.3g}"
                if target not in at and finding.horizon is not None
                else notation.forecast_text(at.get(target))
                for finding, at in zip(findings, forecasts, strict=True)
            ],
            is_number=True,
            narrowest=WRAPPED,
        )
        for target in dict.fromkeys(target for at in forecasts for target in at)
    ]
    texts: dict[str, Callable[[FindingRow], str]] = {
        "since the earlier version": _compared,
        "reason": _reason,
        "repetitions": lambda row: "; ".join(
            str(each) for each in row.finding.unsteadiness if each
        ),
        "measure next": lambda row: (
            questions.separating_words(row.finding.exactness.separating)
            if row.finding.exactness and row.finding.exactness.separating
            else questions.proposal_words(row.proposal)
            if row.proposal
            else ""
        ),
    }
    for heading, text in texts.items():
        cells = [text(row) for row in rows]
        columns.append(FindingColumn(heading, cells, narrowest=WRAPPED))
    first, *others = columns
    return [first, *(column for column in others if any(column.cells))]


def _efficiency(row: FindingRow) -> str:
    """Return the efficiency at the largest size: `86 +/- 2 at 32`."""
    last = [each.scaling.rows[-1] for each in row.scalings if each.scaling]
    texts = [f"{efficiency_text(each)} at {each.size:.10g}" for each in last]
    return "; ".join(texts).replace("±", "+/-")


def _model(finding: Finding, notation: Notation) -> str:
    """Return the model, where it does not hold, and on what it does not depend."""
    text = notation.model_text(finding.model)
    known = finding.exactness
    if known is None or finding.model is None:
        return text
    remarks = []
    if known.excepted:
        remarks.append(f"but at {', '.join(map(at_text, known.excepted))}")
    if known.independent:
        remarks.append(f"independent of {' and '.join(known.independent)}")
    return f"{text} ({', '.join(remarks)})" if remarks else text


def _reason(row: FindingRow) -> str:
    """Return why there is no model or no verdict, if an expectation asked for one."""
    finding = row.finding
    if finding.misfit and finding.expectation is None:
        return str(finding.misfit)
    if finding.model is None:
        steps = questions.series_steps(row.series)
        sentence = questions.whole_step_words(steps, row.series.parameters[0])
        return "; ".join(filter(None, [finding.reason, sentence]))
    exactness = finding.exactness
    is_ambiguous = exactness and exactness.outcome is modelling.Outcome.AMBIGUOUS
    reason = finding.reason
    if finding.model and finding.expectation is None and not is_ambiguous:
        reason = None
    step = None if finding.last_step is None else str(finding.last_step)
    return "; ".join(filter(None, [reason, step]))


def _compared(row: FindingRow) -> str:
    """Return what has changed and, where that is sure, whether to the worse."""
    compared = row.compared
    if compared is None:
        return ""
    words = comparison_words(compared)
    if (
        isinstance(compared, modelling.Incomparable)
        or compared.likeliest is modelling.VersionChange.NONE
    ):
        return words
    if compared.low <= 1 <= compared.high:
        return words
    is_worse = (compared.factor > 1) == (row.better == "lower")
    return f"{words}: {'worse' if is_worse else 'better'}"


def at_text(at: Mapping[str, float]) -> str:
    """Return settings by parameter, such as `p = 64, n = 1000`."""
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


def _print_coloured(
    columns: Sequence[FindingColumn], colours: Sequence[str], console: Console
) -> None:
    """Print what is the same in all rows, then as many tables as the width asks for."""
    once = [each for each in columns if each.is_told_once and len({*each.cells}) == 1]
    for column in once:
        console.print(Text(f"{column.heading}: {column.cells[0]}"))
    first, *others = (column for column in columns if column not in once)
    parts = [[first]]
    for column in others:
        widths = [each.least_width for each in (*parts[-1], column)]
        if sum(widths) + GAP * (len(widths) - 1) > console.width and len(widths) > 2:
            parts.append([first])
        parts[-1].append(column)
    for part in parts:
        table = Table(
            box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
        )
        for column in part:
            table.add_column(
                column.heading,
                justify="right" if column.is_number else "left",
                overflow="fold",
                no_wrap=column.narrowest is None,
                min_width=column.least_width,
            )
        for row, colour in enumerate(colours):
            table.add_row(
                *(
                    Text(column.cells[row], style=colour if column.is_coloured else "")
                    for column in part
                )
            )
        console.print(table)
        console.print()
