"""The scaling section of a proposal: sentences, tables, pictures, what is missing.

It is about one scan or several, as of strong and of weak scaling, each with a
paragraph, a table and a picture.

The numbers and digits are those of `services.efficiencies`. What nobody said is left
out of the sentences, and asked for in the checklist; what only a person can say is
asked there, too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf
from typing import Any, Final

from scalewatch.errors import InvalidReport
from scalewatch.exporters.papers.blocks import (
    Block,
    Document,
    Figure,
    Paragraph,
    Part,
    Row,
    Table,
)
from scalewatch.figures.printed import TOGETHER, PrintedPoint, PrintedScan
from scalewatch.modelling import ScalingKind
from scalewatch.modelling.efficiencies import Largest, Quantity, Scaling, SizeRow
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.efficiencies import wording
from scalewatch.services.efficiencies.scan import HOUR, Doubt, ScanScaling
from scalewatch.services.efficiencies.table import (
    SURELY,
    efficiency_text,
    percent,
    probability,
    scaling_object,
    table_of,
    uncertain,
    unit_of,
)
from scalewatch.stores.files import plain
from scalewatch.texts.numbers import significant

_UNDECIDED: Final = frozenset({Doubt.KIND, Doubt.SIZES})
"""Doubts with which there is nothing to report yet."""

MOST_TOGETHER: Final = 4
"""Scans of both kinds that are one section unless said otherwise."""

_UNITS: Final = re.compile(
    r"(?<=\d) (?=(?:%|±|s\b|ms\b|min\b|h\b|nodes?\b|cores?\b|GPUs?\b|ranks?\b|"
    r"process(?:es)?\b|threads?\b))|(?<=±) (?=\d)|(?<=[<>]) (?=\d)|(?<=Table) |"
    r"(?<=Figure) "
)


@dataclass(frozen=True, slots=True)
class Production:
    """Runs that are planned.

    Parameters
    ----------
    runs
        How many.
    size
        On the scale; the largest efficient one unless given.
    length
        Of such a run, as a multiple of the one that was measured.
    period
        When they are to run, in words.
    """

    name: str
    runs: int
    size: float | None = None
    length: float = 1.0
    period: str = ""


def charge_of(text: str) -> tuple[str, float] | None:
    """Read `core-h = 24 * gpu-h`, or `core-h = 128`; None where it is nothing of it.

    What is charged, and how many of it an hour of the scale counts.
    """
    unit, _, arithmetic = text.partition("=")
    factor = arithmetic.partition("*")[0].strip()
    try:
        number = float(factor)
    except ValueError:
        number = 1.0 if arithmetic.strip() and "*" not in arithmetic else 0.0
    return (unit.strip(), number) if unit.strip() and 0 < number < inf else None


@dataclass(frozen=True, slots=True)
class ProposalTerms:
    """Words and plans that the measurements do not hold.

    Parameters
    ----------
    base_reason
        Why speed-ups are relative to that size: `whose memory holds the case`.
    doubling
        Speed-up per doubling that is asked for in place of an efficiency.
    charge
        What is charged, and how many of it an hour of the scale counts.
    has_forecasts, largest
        Whether forecasts are printed, and up to which size: the machine's largest job.
    """

    code: str = ""
    version: str = ""
    machine: str = ""
    case: str = ""
    base_reason: str = ""
    plan: Sequence[Production] = ()
    doubling: float | None = None
    charge: tuple[str, float] | None = None
    has_forecasts: bool = True
    largest: float | None = None
    paper: str = "a4"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A section with what belongs beside it.

    Parameters
    ----------
    printed, numbers
        Pictures and tables by what is behind the names of their files: nothing, `-2`.
    notes
        What is for whoever writes the proposal, not for its readers.
    given, missing, to_say
        The checklist: what the section says, which options would say more, and what
        only a person knows.
    """

    document: Document
    paragraph: str
    printed: Mapping[str, PrintedScan]
    numbers: Mapping[str, Sequence[tuple[str, ...]]]
    content: Mapping[str, Any]
    notes: tuple[str, ...]
    given: tuple[str, ...]
    missing: tuple[str, ...]
    to_say: tuple[str, ...]


def undecided(scaled: ScanScaling) -> list[str]:
    """Return why there is nothing to report of a scan yet; empty if there is."""
    if scaled.scaling and not _UNDECIDED & {each.doubt for each in scaled.questions}:
        return []
    return [*wording.questions(scaled)] or ["it was measured at one size only"]


def parts_of(
    scans: Iterable[tuple[str, ScanScaling]], *, together: bool | None
) -> list[dict[str, ScanScaling]]:
    """Return the scans of each section, by names that are folders.

    Parameters
    ----------
    scans
        Each with its region.
    together
        One section of all; strong and weak scaling of few scans unless it is said.
    """
    known = [*scans]
    metrics = {scaled.metric for _, scaled in known}
    kinds = {_kind(scaled) for _, scaled in known}
    named: dict[str, ScanScaling] = {}
    for region, scaled in known:
        parts = [region, *(f"{key}{value:g}" for key, value in scaled.held.items())]
        parts += [scaled.metric] if len(metrics) > 1 else []
        parts += [_kind(scaled)] if len(kinds) > 1 else []
        name = plain("-".join(parts))
        named[f"{name}-{len(named) + 1}" if name in named else name] = scaled
    if together is None:
        together = len(kinds) > 1 and len(named) <= MOST_TOGETHER
    return [named] if together else [{name: named[name]} for name in named]


def _kind(scaled: ScanScaling) -> str:
    return str(scaled.scaling and scaled.scaling.kind)


def proposal_of(scans: Mapping[str, ScanScaling], terms: ProposalTerms) -> Proposal:
    """Return the section about scans of which strong or weak is known.

    Parameters
    ----------
    scans
        By name, which is said where their kinds do not tell them apart. Strong scaling
        comes first, and production runs are those of the first.

    Raises
    ------
    InvalidReport
        If nothing is known of a planned size.
    """
    kinds = {name: _kind(scaled) for name, scaled in scans.items()}
    shown = {
        name: _with_forecasts_of(scans[name], terms)
        for name in sorted(scans, key=kinds.__getitem__)
    }
    names_tell = len({*kinds.values()}) < len(kinds)
    sections = [
        _Section(
            scaled,
            terms if number == 1 else replace(terms, plan=()),
            name if names_tell else "",
            number,
            len(shown),
        )
        for number, (name, scaled) in enumerate(shown.items(), 1)
    ]
    first = sections[0]
    if unknown := first.unknown_size():
        raise InvalidReport([("plan", unknown)])
    blocks = [block for section in sections for block in section.blocks()]
    if planned := first.planned():
        blocks.append(planned)
    contents = [section.content() for section in sections]
    title = first.title() if len(sections) == 1 else _title_of_all(sections)
    content: Mapping[str, Any] = contents[0]
    if len(sections) > 1:
        content = {"title": title, "sections": contents}

    def together(part: Callable[[_Section], Iterator[str]]) -> tuple[str, ...]:
        said = (sentence for section in sections for sentence in part(section))
        return tuple(dict.fromkeys(said))

    return Proposal(
        document=Document(title, tuple(blocks), terms.paper),
        paragraph="\n\n".join(section.paragraph() for section in sections),
        printed={section.mark: section.printed() for section in sections},
        numbers={section.mark: section.numbers() for section in sections},
        content=content,
        notes=together(_Section.notes),
        given=together(_Section.given),
        missing=tuple(first.missing()),
        to_say=TO_SAY,
    )


def _with_forecasts_of(scaled: ScanScaling, terms: ProposalTerms) -> ScanScaling:
    """Return a scan with the forecasts that are wanted, none beyond the largest job."""
    kept = scaled.forecasts if terms.has_forecasts else ()
    largest = terms.largest or inf
    return replace(scaled, forecasts=tuple(row for row in kept if row.size <= largest))


def _title_of_all(sections: "Sequence[_Section]") -> str:
    """Return `Strong and weak scaling of NEKO on LUMI-G`."""
    kinds = list(dict.fromkeys(section.kind for section in sections))
    words = " and ".join(filter(None, kinds))
    words = f"{words} scaling" if words else "scaling"
    return words[0].upper() + words[1:] + sections[0].subject()


TO_SAY: Final = (
    "Were all runs made with the same input, compiler and options?",
    "Do the times include input and output, as production runs will have them?",
    "Was it measured on the machine that is applied for?",
    "Why is the base the smallest size that can be used?",
)


@dataclass(frozen=True, slots=True)
class _Section:
    """Sentences, table and picture of one scan, by its number among so many."""

    scaled: ScanScaling
    terms: ProposalTerms
    name: str
    number: int
    count: int

    @property
    def mark(self) -> str:
        """Return what is behind the names of its files."""
        return "" if self.number == 1 else f"-{self.number}"

    def blocks(self) -> Iterator[Block]:
        yield Paragraph(self.paragraph())
        yield self.table()
        yield self.figure()

    def numbers(self) -> list[tuple[str, ...]]:
        table = table_of(self.scaled)
        rows = [(*row.cells, row.note) for row in table.rows]
        return [(*table.headings, "remark"), *rows]

    def content(self) -> dict[str, Any]:
        return {
            "title": self.title(),
            "paragraph": self.paragraph(),
            "scaling": scaling_object(self.scaled),
            "plan": self.plan_object(),
            "notes": [*self.notes()],
        }

    def unknown_size(self) -> str | None:
        """Return, in words, a planned size of which nothing is known."""
        known = {row.size for row in (*self.rows, *self.scaled.forecasts)}
        for production in self.terms.plan:
            if production.size is not None and production.size not in known:
                sizes = ", ".join(f"{size:,.10g}" for size in sorted(known))
                return (
                    f"{production.name}: nothing was measured at {production.size:g} "
                    f"{self.scaled.scale.many}, only {sizes}"
                )
        return None

    @property
    def _scaling(self) -> Scaling:
        assert self.scaled.scaling is not None
        return self.scaled.scaling

    @property
    def rows(self) -> Sequence[SizeRow]:
        return self._scaling.rows

    @property
    def base(self) -> SizeRow:
        return self.rows[0]

    @property
    def is_strong(self) -> bool:
        is_strong = self._scaling.kind is ScalingKind.STRONG
        return is_strong or self._scaling.quantity is not Quantity.TIME

    @property
    def is_time(self) -> bool:
        return self.scaled.measured.quantity is Quantity.TIME

    @property
    def first(self) -> Largest:
        return self._scaling.largest[0]

    @property
    def chosen(self) -> SizeRow:
        """The size that production runs use unless they say another."""
        if self.terms.doubling is None:
            return self.first.sure
        chosen = self.base
        for row in self.rows[1:]:
            if (row.per_doubling or 0.0) < self.terms.doubling:
                break
            chosen = row
        return chosen

    @property
    def hours_unit(self) -> str | None:
        return self.terms.charge[0] if self.terms.charge else self.scaled.hours_unit

    def hours(self, row: SizeRow) -> float | None:
        hours = self.scaled.hours_of(row)
        if hours is None or self.terms.charge is None:
            return hours
        return hours * self.terms.charge[1]

    @property
    def _code(self) -> str:
        return self.terms.code or "the code"

    def size(self, size: float) -> str:
        return self.scaled.scale.counted(size)

    def title(self) -> str:
        words = f"{self.kind} scaling".strip()
        of = f" of {self.name}" if self.name else ""
        return (
            words[0].upper()
            + words[1:]
            + of
            + self.subject("in" if self.name else "of")
        )

    def subject(self, joined_by: str = "of") -> str:
        of = f" {joined_by} {self.terms.code}" if self.terms.code else ""
        on = f" on {self.terms.machine}" if self.terms.machine else ""
        return f"{of}{on}"

    @property
    def kind(self) -> str:
        """Strong or weak; nothing of rates, of which both are alike."""
        if not self.is_time:
            return ""
        return "strong" if self.is_strong else "weak"

    def paragraph(self) -> str:
        return _UNITS.sub("\N{NO-BREAK SPACE}", " ".join(self._sentences()))

    def _sentences(self) -> Iterator[str]:
        terms, rows, base = self.terms, self.rows, self.base
        code = f"of {self.name} in " if self.name else "of "
        code += terms.code or "the code"
        if terms.code and terms.version:
            code += f" {terms.version}"
        case = f" for {terms.case}" if terms.case else ""
        on = f" on {terms.machine}" if terms.machine else ""
        kind = " ".join(filter(None, ("The", self.kind, "scaling")))
        span = f"{base.size:,.10g} to {self.size(rows[-1].size)}"
        yield (
            f"{kind} {code}{case} was measured{on} on {span} ({self._runs()}; "
            f"Table {self.number}, Figure {self.number})."
        )
        yield from self._gains()
        yield from self._limits()
        yield from self._costs()

    def _runs(self) -> str:
        runs = sorted({row.runs for row in self.rows})
        if runs == [1]:
            return "one run at each size"
        number = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        return f"{number} runs at each size, medians are given"

    def _gains(self) -> Iterator[str]:
        base, last = self.base, self.rows[-1]
        is_efficient = self.chosen is not base
        shown = self.chosen if is_efficient else last
        reason = self.terms.base_reason or "that was measured"
        share = f"{efficiency_text(shown)} %"
        if self.is_strong:
            verb = "are" if shown.size != 1 else "is"
            yield (
                f"Relative to {self.size(base.size)}, the smallest size {reason}, "
                f"{self.size(shown.size)} {verb} "
                f"{significant(shown.speed_up)} times as fast: "
                f"a parallel efficiency of {share}."
            )
        else:
            unit = self.scaled.scale.singular
            yield (
                f"With constant work per {unit}, {self.size(shown.size)} keep "
                f"{share} of the efficiency of {self.size(base.size)}, the smallest "
                f"size {reason}."
            )
            # Of the size beyond it, limits speak.
            spoken = self.rows[:-2] if self.terms.doubling is None else self.rows[:-1]
            if shown in spoken:
                share = f"{efficiency_text(last)} %"
                yield f"At {self.size(last.size)} it is {share}."
        if not is_efficient and self.terms.doubling is None:
            yield (
                f"No size beyond {self.size(base.size)} keeps a parallel efficiency of "
                f"{percent(self.first.limit)} % with {percent(self.scaled.level)} % "
                "probability."
            )

    def _limits(self) -> Iterator[str]:
        if self.terms.doubling is not None:
            yield self._doublings(self.terms.doubling)
            return
        first, rows = self.first, self.rows
        limit, sure = percent(first.limit), first.sure
        holds = probability(sure.holds[first.limit])
        if sure is rows[-1]:
            yield (
                f"The efficiency stays above {limit} % at all sizes measured "
                f"(probability at the largest {holds}); the largest efficient size "
                "has not been reached."
            )
        elif sure is not rows[0]:
            beyond = rows[rows.index(sure) + 1]
            share = f"{efficiency_text(beyond)} %"
            odds = ""
            if 1 - SURELY < beyond.holds[first.limit] < self.scaled.level:
                odds = f" (probability {probability(beyond.holds[first.limit])})"
            yield (
                f"The largest measured size that surely has an efficiency of at least "
                f"{limit} % is {self.size(sure.size)} (probability {holds}); at "
                f"{self.size(beyond.size)} it is {share}{odds}."
            )
        if self.is_strong:
            yield from wording.stops_growing(self.scaled)

    def _doublings(self, wanted: float) -> str:
        chosen = self.chosen
        falling = [row for row in self.rows[1:] if (row.per_doubling or 0) < wanted]
        until = f"up to {self.size(chosen.size)} each doubling makes the code at least"
        words = f"{until} {wanted:g} times as fast"
        if chosen is self.base:
            words = f"no doubling makes the code {wanted:g} times as fast"
        sentence = words[0].upper() + words[1:]
        if not falling:
            return f"{sentence}, at all sizes measured."
        row = falling[0]
        gain = significant(row.per_doubling)
        return f"{sentence}; to {self.size(row.size)} it is {gain} times per doubling."

    def _costs(self) -> Iterator[str]:
        chosen = self.chosen
        hours = self.hours(chosen)
        if hours is not None and self.hours_unit:
            time = self._span(chosen)
            takes = f"takes {time} and costs" if time else "costs"
            more = ""
            base = self.hours(self.base)
            if self.is_strong and chosen is not self.base and base:
                ratio = significant(hours / base)
                more = f", {ratio} times the cost on {self.size(self.base.size)}"
            yield (
                f"A run on {self.size(chosen.size)} {takes} {significant(hours)} "
                f"{self.hours_unit}{more}."
            )
        total = self.total()
        if total is not None and len(self.terms.plan) == 1:
            runs = self.terms.plan[0].runs
            noun = "production runs" if runs != 1 else "production run"
            verb = "need" if runs != 1 else "needs"
            yield (
                f"The {runs:,} {noun} planned {verb} {_whole(total)} "
                f"{self.hours_unit} (Table {self.count + 1})."
            )
        elif total is not None:
            yield (
                f"The production runs planned need {_whole(total)} {self.hours_unit} "
                f"(Table {self.count + 1})."
            )

    def _span(self, row: SizeRow) -> str:
        """Return the time of a run in words; empty where it is no whole run."""
        seconds = self.seconds(row)
        if seconds is None:
            return ""
        for unit, size in (("h", HOUR), ("min", 60.0)):
            if seconds >= (size if unit == "h" else 600):
                return f"{significant(seconds / size)} {unit}"
        size, unit = (1.0, "s") if seconds >= 1 else (1e-3, "ms")
        return f"{significant(seconds / size)} {unit}"

    def seconds(self, row: SizeRow) -> float | None:
        measured = self.scaled.measured
        if not self.is_time or not measured.seconds or measured.work:
            return None
        return row.value.value * measured.seconds

    def table(self) -> Table:
        table = table_of(self.scaled)
        rows = tuple(
            Row(row.cells, Part.FORECAST if row.is_forecast else Part.BODY)
            for row in table.rows
        )
        about = self.title()
        if self.terms.case:
            about += f", {self.terms.case}"
        assumes = any(row.runs == 1 for row in self.rows)
        noise = (
            "and assumes 2 % from job to job where a size was run once"
            if assumes
            else "from the repetitions and 2 % from job to job"
        )
        caption = (
            f"{about}. Speed-up and efficiency are relative to "
            f"{self.size(self.base.size)}; ± is {percent(self.scaled.level)} %, "
            f"{noise}."
        )
        if self.scaled.forecasts:
            caption += " In italics: forecast, not measured."
        caption = _UNITS.sub("\N{NO-BREAK SPACE}", caption)
        return Table(table.headings, rows, caption, f"scaling{self.mark}")

    def figure(self) -> Figure:
        metric = self.scaled.metric.replace("_", " ")
        open_ = "; open: forecast" if self.scaled.forecasts else ""
        limits = " and ".join(f"{percent(limit)} %" for limit in self.scaled.limits)
        caption = (
            f"{self.title()}: {metric}, speed-up and parallel efficiency. Filled: "
            f"measured (median, {percent(self.scaled.level)} %){open_}; dashed: ideal; "
            f"dotted: {limits}."
        )
        alt = (
            f"Three plots over {self.scaled.scale.many}: {metric}, speed-up and "
            f"efficiency. {wording.speed_sentence(self.scaled, self._code)}"
        )
        caption = _UNITS.sub("\N{NO-BREAK SPACE}", caption)
        name = f"{TOGETHER}{self.mark}"
        return Figure(name, alt, caption, name)

    def printed(self) -> PrintedScan:
        table = table_of(self.scaled)
        scale = self.scaled.scale
        place = len(self.scaled.dependent) + ("Runs" in table.headings)
        value_title = table.headings[place + 1]
        size, _ = unit_of(self.scaled)
        base = f"{self.base.size:,.10g}"
        noun = scale.singular if self.base.size == 1 else scale.many
        kind = "Speed-up" if self.is_strong else "Scaled speed-up"
        points = [
            PrintedPoint(
                row.size,
                _scaled(row.value, 1 / size),
                _scaled(row.speed_ups, 1.0),
                _scaled(row.efficiency, 1.0),
                is_forecast=not row.runs,
            )
            for row in (*self.rows, *self.scaled.forecasts)
        ]
        return PrintedScan(
            scale_title=scale.title,
            value_title=value_title,
            speed_up_title=f"{kind} over {base} {noun}",
            points=points,
            limits=self.scaled.limits,
            ideal=self._scaling.ideal_exponent,
        )

    def planned(self) -> Table | None:
        rows = list(self._plan_rows())
        if not rows:
            return None
        unit = self.hours_unit or ""
        has_periods = any(each.period for each in self.terms.plan)
        has_lengths = any(each.length != 1 for each in self.terms.plan)
        headings = ["Production runs", self.scaled.scale.title, "Runs"]
        headings += ["Length"] if has_lengths else []
        headings += [f"{_capital(unit)} per run", f"{_capital(unit)}"]
        headings += ["Period"] if has_periods else []
        lines = []
        for production, row, cost, total in rows:
            forecast = "" if row.runs else " (forecast)"
            cells = [f"{production.name}{forecast}", f"{row.size:,.10g}"]
            cells.append(f"{production.runs:,}")
            cells += [f"{production.length:,.10g}"] if has_lengths else []
            cells += [significant(cost), _whole(total)]
            cells += [production.period] if has_periods else []
            lines.append(Row(tuple(cells)))
        whole = self.total() or 0.0
        blanks = [""] * (len(headings) - 2 - has_periods)
        last = uncertain(whole, self._half())
        cells = ["Sum", *blanks, last, *([""] if has_periods else [])]
        lines.append(Row(tuple(cells), Part.SUM))
        caption = f"Computing time: runs × {unit} of a run."
        if has_lengths:
            caption += " Length: of a production run, in measured ones."
        return Table(
            tuple(headings),
            tuple(lines),
            caption,
            "computing-time",
            begins_with_names=True,
        )

    def _plan_rows(self) -> Iterator[tuple[Production, SizeRow, float, float]]:
        known = {row.size: row for row in (*self.rows, *self.scaled.forecasts)}
        for production in self.terms.plan:
            row = self.chosen
            if production.size is not None:
                row = known[production.size]
            hours = self.hours(row)
            if hours is not None:
                cost = hours * production.length
                yield production, row, cost, production.runs * cost

    def total(self) -> float | None:
        totals = [total for *_, total in self._plan_rows()]
        return sum(totals) if totals else None

    def _half(self) -> float:
        """Return half the interval of the sum: errors of one size go together."""
        halves: dict[float, float] = {}
        for _, row, _, total in self._plan_rows():
            share = (row.value.high - row.value.low) / (2 * row.value.value)
            halves[row.size] = halves.get(row.size, 0.0) + share * total
        return hypot(*halves.values())

    def plan_object(self) -> list[dict[str, Any]]:
        return [
            {
                "name": production.name,
                "size": row.size,
                "runs": production.runs,
                "length": production.length,
                "period": production.period,
                "hours_per_run": cost,
                "hours": total,
                "unit": self.hours_unit,
                "is_forecast": not row.runs,
            }
            for production, row, cost, total in self._plan_rows()
        ]

    def notes(self) -> Iterator[str]:
        if following := wording.next_sentence(self.scaled):
            yield following
        yield from wording.remarks(self.scaled)
        yield from wording.questions(self.scaled)

    def given(self) -> Iterator[str]:
        yield f"{wording.kind_words(self.scaled)}"
        yield f"base {self.size(self.base.size)}"
        for name in ("code", "version", "machine", "case", "base_reason"):
            if text := getattr(self.terms, name):
                yield f"{name.replace('_', ' ')}: {text}"
        if self.scaled.hours_unit:
            yield f"cost in {self.hours_unit}"
        if self.terms.plan:
            yield "plan of production runs"

    def missing(self) -> Iterator[str]:
        for name, what in {
            "code": "the name of the code",
            "version": "its version",
            "machine": "the machine",
            "case": "the case that was run",
            "base_reason": "why the base is the smallest size",
        }.items():
            if not getattr(self.terms, name):
                yield f"--{name.replace('_', '-')}: {what}"
        if not self.scaled.hours_unit:
            yield "--per-node or --steps: what a run costs is not known"
        elif not self.terms.plan:
            yield "--runs, or --plan FILE: the computing time that is asked for"


def _scaled(bounds: Bounds, factor: float) -> tuple[float, float, float]:
    return bounds.low * factor, bounds.value * factor, bounds.high * factor


def _whole(value: float) -> str:
    """Return a sum of hours: whole ones from ten on."""
    return f"{value:,.0f}" if value >= 100 else significant(value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
