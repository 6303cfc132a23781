"""JSON of hyperfine: times of commands, with the parameters of its scans."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.texts.scales import parameter_of

_LONGEST_VALUE: Final = 200
"""Characters of a parameter that a command repeats as a word."""


def recognises(document: Document) -> bool:
    """Tell whether a document is hyperfine's."""
    held = document.value if isinstance(document.value, dict) else {}
    results = held.get("results")
    first = results[0] if isinstance(results, list) and results else None
    keys = first.keys() if isinstance(first, dict) else set()
    return "command" in keys and bool({"median", "mean"} & keys)


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the times of each command, NaN for those that failed."""
    for document in documents:
        results = list(document.part("results").elements())
        template = _template(results)
        for result in results:
            yield _measured(result, template)


def _template(results: Sequence[Document]) -> str | None:
    """Return the one command of a scan, whose words may follow from parameters.

    There is none where commands are compared: then a setting comes again.
    """
    settings = [repr(result.object().get("parameters")) for result in results]
    commands = [result.part("command").name().split() for result in results]
    is_scan = len(set(settings)) == len(settings) > 1 and "None" not in settings
    if not is_scan or len(set(map(len, commands))) > 1:
        return None
    words = [set(alternatives) for alternatives in zip(*commands, strict=True)]
    return " ".join(
        alternatives.pop() if len(alternatives) == 1 else "{}" for alternatives in words
    )


def _measured(result: Document, template: str | None) -> series.ImportedMeasurement:
    held = result.object()
    region = result.part("command").name()
    parameters: dict[str, float] = {}
    configuration: dict[str, series.Setting] = {}
    for name, part in result.part("parameters").parts() if "parameters" in held else ():
        text = str(part.value)
        setting, parameter = series.plain_setting(text), parameter_of(name)
        if len(text) <= _LONGEST_VALUE:
            word = re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w.])")
            region = word.sub(f"{{{name}}}".replace("\\", r"\\"), region)
        if parameter and isinstance(setting, int | float):
            parameters[parameter] = float(setting)
        else:
            configuration[name] = setting
    if "times" in held:
        values = [time.number() for time in result.part("times").elements()]
        if "exit_codes" in held:
            codes = [code.value for code in result.part("exit_codes").elements()]
            if len(codes) != len(values):
                raise result.part("exit_codes").malformed(f"{len(values)} exit codes")
            # Of a command that a signal ended the code is null.
            values = [
                value if code == 0 else math.nan
                for code, value in zip(codes, values, strict=True)
            ]
    else:
        statistic = "median" if "median" in held else "mean"  # the oldest have no other
        values = [result.part(statistic).number()]
        configuration["statistic"] = statistic
    return series.measurement(
        template or region,
        "time",
        "s",
        values,
        parameters,
        configuration,
        result.origin,
    )
