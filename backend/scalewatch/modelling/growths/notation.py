"""How a growth is written: plain text, text for people, LaTeX.

Plain text is read back by `parse.parse_growth`, so is the text for people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from scalewatch.modelling.growths.assumptions import ASSUMED

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Symbol:
    """One class of functions raised to an exponent.

    Parameters
    ----------
    kind
        `power` for p^i, `log` for log₂^i p, `exp2` for 2^(ip).
    parameter
        Its name, `p` above.
    exponent
        The i above; 0 leaves no trace.
    """

    kind: Literal["power", "log", "exp2"]
    parameter: str
    exponent: Fraction


def ascii_text(symbols: Sequence[Symbol]) -> str:
    """Return for instance `p^(1/2) / log p`."""
    return _quotient(symbols, _ascii, " ")


def unicode_text(symbols: Sequence[Symbol]) -> str:
    """Return for instance `√p / log p`."""
    return _quotient(symbols, _unicode, " · ")


def latex_text(symbols: Sequence[Symbol]) -> str:
    r"""Return for instance `\frac{p^{1/2}}{\log p}`."""
    above, below = _sides(symbols, _latex, r" \, ")
    return rf"\frac{{{above}}}{{{below}}}" if below else above


def number(value: Fraction) -> str:
    """Return an exact number, as `2`, `1/3` or `2.8074`."""
    decimal = repr(float(value))
    is_exact = "e" not in decimal and Fraction(decimal) == value
    return (
        decimal
        if value.denominator > ASSUMED.simple_denominator and is_exact
        else str(value)
    )


def _quotient(
    symbols: Sequence[Symbol], write: Callable[[Symbol], str], times: str
) -> str:
    above, below = _sides(symbols, write, times)
    if not below:
        return above
    several = sum(symbol.exponent < 0 for symbol in symbols) > 1
    return f"{above} / ({below})" if several else f"{above} / {below}"


def _sides(
    symbols: Sequence[Symbol], write: Callable[[Symbol], str], times: str
) -> tuple[str, str]:
    """Write numerator and denominator; an empty numerator is 1."""
    above = [write(symbol) for symbol in symbols if symbol.exponent > 0]
    below = [
        write(Symbol(symbol.kind, symbol.parameter, -symbol.exponent))
        for symbol in symbols
        if symbol.exponent < 0
    ]
    return times.join(above) or "1", times.join(below)


def _ascii(symbol: Symbol) -> str:
    name, exponent = symbol.parameter, symbol.exponent
    if symbol.kind == "exp2":
        return f"2^{_multiple(exponent, name)}"
    raised = "" if exponent == 1 else f"^{_grouped(exponent)}"
    return f"log{raised} {name}" if symbol.kind == "log" else f"{name}{raised}"


def _unicode(symbol: Symbol) -> str:
    name, exponent = symbol.parameter, symbol.exponent
    if symbol.kind == "power" and exponent == Fraction(1, 2):
        return f"√{name}"
    if symbol.kind == "exp2" or exponent.denominator != 1 or exponent == 1:
        return _ascii(symbol)
    raised = str(exponent).translate(_SUPERSCRIPTS)
    return f"log{raised} {name}" if symbol.kind == "log" else f"{name}{raised}"


def _latex(symbol: Symbol) -> str:
    name = symbol.parameter
    if len(name) > 1:
        escaped = name.replace("_", r"\_")
        name = rf"\mathit{{{escaped}}}"
    exponent = symbol.exponent
    if symbol.kind == "exp2":
        return f"2^{{{_multiple(exponent, name).strip('()')}}}"
    raised = "" if exponent == 1 else f"^{{{number(exponent)}}}"
    return rf"\log{raised} {name}" if symbol.kind == "log" else f"{name}{raised}"


def _grouped(exponent: Fraction) -> str:
    text = number(exponent)
    return f"({text})" if "/" in text else text


def _multiple(factor: Fraction, name: str) -> str:
    """Write k·p as an exponent: `p`, `(2p)`, `(p/2)`, `(0.0001p)`."""
    if factor == 1:
        return name
    if "/" not in number(factor):
        return f"({number(factor)}{name})"
    above = name if factor.numerator == 1 else f"{factor.numerator}{name}"
    return f"({above}/{factor.denominator})"
