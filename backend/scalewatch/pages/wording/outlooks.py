"""Forecasts, residuals and limits in sentences."""

from typing import Final

from markupsafe import Markup

from scalewatch.modelling import Forecast, MemoryWall
from scalewatch.modelling.search.findings import WIDEST
from scalewatch.pages.wording import intervals, mathematics, sentences
from scalewatch.pages.wording.formats import (
    count,
    multiple,
    percent,
    quantity,
)
from scalewatch.services.analysis.questions import proposal_words
from scalewatch.services.regions.outlook import Outlook, Placement, held_at
from scalewatch.services.series.scans import Scan
from scalewatch.texts.numbers import SPACE, significant

FAR: Final = 64
"""Forecasts for more than this multiple of what was measured come with a warning."""


def forecast_sentence(scan: Scan, outlook: Outlook) -> Markup | None:
    """Tell the forecast at the target scale, if one was stated."""
    forecast = outlook.target
    if forecast is None:
        return (
            None if outlook.wanted is None else _beyond(scan, outlook, outlook.wanted)
        )
    target = forecast.at[scan.parameter]
    sentence = Markup(
        "At {parameter} = {target}, the {metric} is forecast to be {value}"
    ).format(
        parameter=scan.parameter,
        target=count(target),
        metric=sentences.metric_words(scan.metric),
        value=intervals.forecast_written(forecast, scan.unit)[0],
    )
    sentence += _bounds(scan, forecast, outlook) + "." + _expected(scan, outlook)
    times = target / largest(scan)
    if times > FAR:
        sentence += Markup(
            " This is {} beyond the largest run; read it as a trend, not a prediction."
        ).format(multiple(times))
    return sentence


def cost_sentence(scan: Scan, outlook: Outlook | None) -> Markup | None:
    """Tell what the forecast at the target comes to, else the farthest one."""
    if outlook is None:
        return None
    if outlook.wanted is not None and outlook.target is None:
        return _beyond(scan, outlook, outlook.wanted)
    if not outlook.forecasts:
        return None
    farthest = outlook.target or outlook.forecasts[-1]
    scale = farthest.at[scan.parameter]
    if scale <= largest(scan):
        return forecast_sentence(scan, outlook)
    return Markup(
        "At {parameter} = {scale}, {times} the largest run: {value}{}.{}"
    ).format(
        _bounds(scan, farthest, outlook),
        _expected(scan, outlook),
        parameter=scan.parameter,
        scale=count(scale),
        times=multiple(scale / largest(scan)),
        value=intervals.forecast_written(farthest, scan.unit)[0],
    )


def _bounds(scan: Scan, forecast: Forecast, outlook: Outlook) -> Markup:
    """Tell between which bounds a forecast lies, and what that assumes."""
    if forecast.low is None or forecast.low == forecast.high:
        return Markup()
    return Markup("; {} interval {}, {}").format(
        percent(forecast.level),
        interval(forecast, scan.unit),
        _assumption(scan, outlook),
    )


def _assumption(scan: Scan, outlook: Outlook) -> Markup:
    """Tell what intervals take for granted beyond the measurements."""
    growth = scan.standing.growth
    words = Markup("if {} stays true").format(
        "a growth that the runs allow"
        if growth is None or scan.standing.is_open
        else mathematics.big_o(growth)
    )
    if outlook.placement:
        words += f" and nothing changes beyond {_placed(scan, outlook.placement)}"
    return words


def _placed(scan: Scan, placement: Placement) -> str:
    """Write how many processes or threads ran on how many nodes."""
    what = "threads" if scan.parameter == "threads" else "processes"
    return f"{count(placement.largest)} {what}, {_nodes(placement)}"


def _nodes(placement: Placement) -> str:
    return "one node" if placement.nodes == 1 else f"{count(placement.nodes)} nodes"


def assumption_sentence(scan: Scan, outlook: Outlook) -> Markup | None:
    """Tell what the intervals of a table of forecasts take for granted."""
    end = largest(scan)
    beyond = [each for each in outlook.forecasts if each.at[scan.parameter] > end]
    if not any(each.low != each.high for each in beyond):
        return None
    return Markup("Intervals beyond {} = {} hold {}.").format(
        scan.parameter, count(end), _assumption(scan, outlook)
    )


def _expected(scan: Scan, outlook: Outlook) -> Markup:
    """Tell the expected value at the scale of the forecast."""
    if outlook.expected is None:
        return Markup()
    return Markup(" Expected: {} ({}).").format(
        quantity(outlook.expected, scan.unit), level_words(scan)
    )


def level_sentence(scan: Scan) -> str:
    """Tell how much is expected at one setting and which commit says so, if any."""
    level = scan.taken_level
    if level is None:
        return "shape only: no commit since it was saved says how much"
    at = ", ".join(f"{name}{SPACE}={SPACE}{count(x)}" for name, x in level.at.items())
    return f"{quantity(level.value, scan.unit)} at {at}, {level_words(scan)}"


def level_words(scan: Scan) -> str:
    """Name the commit that the level of an expectation was taken from."""
    level = scan.taken_level
    if level is None:
        return ""
    source = "last that matched" if level.is_matched else "first after it was saved"
    return f"level of commit {level.commit}, the {source}"


def _beyond(scan: Scan, outlook: Outlook, target: float) -> Markup:
    """Tell how far forecasts reach, where one was asked for that is not given."""
    apart = (
        f"the bounds would be more than a factor of {WIDEST:g} apart, too wide "
        "to be of use"
    )
    if len(scan.parameters) > 1:
        return Markup(
            "Not extrapolated to {parameter} = {target}: {names} were not measured as "
            "large together, or {apart}."
        ).format(
            parameter=scan.parameter,
            target=count(target),
            names=" and ".join(scan.parameters),
            apart=apart,
        )
    placement = outlook.placement
    if placement and placement.most and not placement.allows(target):
        return Markup(
            "Not extrapolated to {parameter} = {target}: {nodes} of {cores} cores "
            "{have} room for {most}, and more would share them."
        ).format(
            parameter=scan.parameter,
            target=count(target),
            nodes=_nodes(placement),
            cores=count(placement.cores or 0),
            have="has" if placement.nodes == 1 else "have",
            most=count(placement.most),
        )
    reach = outlook.horizon or largest(scan)
    return Markup("Not extrapolated beyond {parameter} = {reach}: {apart}.").format(
        parameter=scan.parameter,
        reach=count(reach) if float(reach).is_integer() else significant(reach, 3),
        apart=apart,
    )


def hidden_sentence(outlook: Outlook) -> Markup | None:
    """Tell what the measurements could not have shown, and where it would matter."""
    hidden = outlook.hidden
    if hidden is None:
        return None
    (parameter,) = hidden.growth.parameters
    share, start = (
        significant(100 * hidden.share, 2),
        significant(hidden.doubles_from, 2),
    )
    return Markup(
        "A hidden {growth} term (up to {share}{space}% at {parameter}{space}={space}"
        "{largest}) cannot be excluded; it would double the forecast beyond "
        "{parameter}{space}≈{space}{start}."
    ).format(
        growth=mathematics.growth(hidden.growth),
        share=share,
        space=SPACE,
        parameter=parameter,
        largest=count(hidden.largest),
        start=start,
    )


def interval(forecast: Forecast, unit: str) -> str:
    """Write the bounds of a forecast: `between 168 µs and 430 µs`."""
    _, low, high = intervals.forecast_written(forecast, unit)
    return f"between {low} and {high}"


def held_sentence(scan: Scan) -> str | None:
    """Name where the other parameters stay in forecasts, if there are any."""
    held = held_at(scan)
    if not held:
        return None
    stated = ", ".join(f"{name} = {count(value)}" for name, value in held.items())
    return f"All of them at {stated}, the largest that was measured."


def twice_sentence(scan: Scan, outlook: Outlook) -> str | None:
    """Tell the break-even: from where a scan takes twice the expected time."""
    if outlook.twice_from is None:
        return None
    is_there = outlook.twice_from <= largest(scan)
    tense = "it takes" if is_there else "it will take"
    if scan.standing.is_exact:
        tense = "there is" if is_there else "there will be"
    place = significant(outlook.twice_from, 2)
    return (
        f"Above {scan.parameter}{SPACE}≈{SPACE}{place}, {tense} more than 2× what is "
        f"expected ({level_words(scan)})."
    )


def wall_sentence(wall: MemoryWall | None) -> str | None:
    """Tell where the memory of a node no longer suffices."""
    if wall is None:
        return None
    available = quantity(wall.available, "B")
    if wall.scale is None:
        return f"The memory of a node, {available}, suffices at every scale."
    return (
        f"From p ≈ {significant(wall.scale, 2)} on, the processes of a node need more "
        f"than its memory of {available}."
    )


def proposal_sentence(outlook: Outlook | None) -> str | None:
    """Tell what to measure next where the verdict is undecided."""
    if outlook is None or outlook.proposal is None:
        return None
    return f"{proposal_words(outlook.proposal)}."


def residual_sentence(scan: Scan) -> str | None:
    """Tell how far the model is from what was measured, at most."""
    model = scan.standing.model
    off = []
    for taken in scan.measurements:
        if model is None or not taken.count or taken.middle is None:
            continue
        modelled = float(model(taken.coordinate))
        if modelled:
            off.append((abs(taken.middle / modelled - 1), taken.x))
    if not off:
        return None
    most, x = max(off)
    return (
        "The medians deviate from the model by at most "
        f"{significant(most * 100, 2)}{SPACE}%, at {scan.parameter} = {count(x)}."
    )


def largest(scan: Scan) -> float:
    """Return the largest setting at which a scan was measured."""
    return max((each.x for each in scan.measurements if each.count), default=1.0)
