"""Forecasts, residuals and limits in sentences."""

from typing import Final

from markupsafe import Markup

from scalewatch.modelling import Forecast, MemoryWall
from scalewatch.pages.wording.formats import count, percent, quantity, significant
from scalewatch.pages.wording.sentences import metric_words
from scalewatch.services.analysis.next_measurement import proposal_words
from scalewatch.services.regions.outlook import Outlook, held_at
from scalewatch.services.series.scans import Scan

FAR: Final = 64
"""Forecasts for more than this multiple of what was measured come with a warning."""


def forecast_sentence(scan: Scan, outlook: Outlook) -> Markup | None:
    """Tell the forecast at the target scale, if one was stated."""
    forecast = outlook.target
    if forecast is None:
        return None if outlook.asked is None else _beyond(scan, outlook, outlook.asked)
    target = forecast.at[scan.parameter]
    sentence = Markup(
        "At {parameter} = {target}, the {metric} is forecast to be {value}"
    ).format(
        parameter=scan.parameter,
        target=count(target),
        metric=metric_words(scan.metric),
        value=quantity(forecast.value, scan.unit),
    )
    if forecast.low is not None and forecast.low != forecast.high:
        sentence += Markup("; with a probability of {}, it is {}").format(
            percent(forecast.level), interval(forecast, scan.unit)
        )
    sentence += "."
    if outlook.expected is not None:
        sentence += Markup(" As it was promised, it would be {}.").format(
            quantity(outlook.expected, scan.unit)
        )
    multiple = target / largest(scan)
    if multiple > FAR:
        sentence += Markup(
            " That is {} times the largest scale measured: take it as a direction."
        ).format(significant(multiple))
    return sentence


def _beyond(scan: Scan, outlook: Outlook, asked: float) -> Markup:
    """Tell how far forecasts reach, where one was asked for that is not given."""
    if len(scan.parameters) > 1:
        return Markup(
            "Not extrapolated to {parameter} = {asked}: {names} were not measured as "
            "large together, or the bounds would be more than a factor of 10 apart."
        ).format(
            parameter=scan.parameter,
            asked=count(asked),
            names=" and ".join(scan.parameters),
        )
    return Markup(
        "Not extrapolated beyond {parameter} = {reach}: the bounds would be more than "
        "a factor of 10 apart, which says nothing."
    ).format(parameter=scan.parameter, reach=count(outlook.horizon or largest(scan)))


def hidden_sentence(outlook: Outlook) -> str | None:
    """Tell what the measurements could not have shown, and where it would matter."""
    hidden = outlook.hidden
    if hidden is None:
        return None
    (parameter,) = hidden.growth.parameters
    share, start = (
        significant(100 * hidden.share, 2),
        significant(hidden.doubles_from, 2),
    )
    return (
        f"A term in {hidden.growth} of less than {share} % at {parameter} = "
        f"{count(hidden.largest)} would not have shown; it would double the forecast "
        f"from {parameter} ≈ {start} on."
    )


def interval(forecast: Forecast, unit: str) -> str:
    """Write the bounds of a forecast: `between 168 µs and 430 µs`."""
    low, high = quantity(forecast.low, unit), quantity(forecast.high, unit)
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
        f"From {scan.parameter} ≈ {place} on, {tense} more than twice what was "
        "promised, taking the smallest measurement for granted."
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
        f"The medians are at most {significant(most * 100, 2)} % off the model, at "
        f"{scan.parameter} = {count(x)}."
    )


def largest(scan: Scan) -> float:
    """Return the largest setting at which a scan was measured."""
    return max((each.x for each in scan.measurements if each.count), default=1.0)
