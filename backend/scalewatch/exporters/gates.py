"""The gate's answer as text, Markdown and JUnit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Any, Final
from xml.etree import ElementTree as ET

from scalewatch.exporters.markdown import plain

SYMBOLS: Final = {"fine": "✓", "worse": "✗", "undecided": "?", "pending": "…"}
JUNIT_KINDS: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}
LISTED: Final = 50
"""Findings that a text for people names."""


def gate_text(gate: Mapping[str, Any]) -> str:
    """Return the answer for a terminal."""
    lines = [_headline(gate), *(f"  {each}" for each in _counted(gate))]
    lines += [f"  {_line(each)}" for each in _by_series(gate)[:LISTED]]
    return "\n".join([*lines, *(f"  {each}" for each in _further(gate))])


def gate_markdown(gate: Mapping[str, Any]) -> str:
    """Return the answer for a comment on a change, in which nothing measured speaks."""
    lines = [f"### Scalewatch: {plain(_headline(gate))}", "", *_counted(gate)]
    if gate["findings"]:
        lines += [
            "",
            "| | region | machine | what | how surely, at what cost | to settle it |",
            "|---|---|---|---|---|---|",
        ]
        for findings in _by_series(gate)[:LISTED]:
            first = findings[0]
            cells = (
                _symbol(first),
                f"{first['region']} ({first['metric']}){_held(first)}",
                first["machine"] or "",
                *map(_joined, zip(*map(_said, findings), strict=True)),
            )
            lines.append(f"| {' | '.join(map(plain, cells))} |")
        lines += ["", *_lines_over_commits(gate)]
    lines += ["", *(f"- {plain(each)}" for each in _further(gate))]
    return "\n".join(lines).rstrip()


BARS: Final = "▁▂▃▄▅▆▇█"
LEAST_RATIO: Final = 1.1
"""Ratio of the highest to the lowest value that fills a line: noise stays flat."""


def value_line(values: Sequence[float]) -> str:
    """Return values over commits as a line of text, lowest to highest, logarithmic."""
    logs = [log(value) for value in values]
    span = max(max(logs) - min(logs), log(LEAST_RATIO))
    places = [(each - min(logs)) / span * (len(BARS) - 1) for each in logs]
    return "".join(BARS[round(place)] for place in places)


def gate_junit(gate: Mapping[str, Any]) -> str:
    """Return the answer as a test report: a case per series that is in question."""
    cases = _by_series(gate)
    suite = ET.Element("testsuite", name=f"scalewatch {gate['project']}")
    counts = ET.SubElement(suite, "properties")
    for outcome, number in gate["counts"].items():
        ET.SubElement(counts, "property", name=outcome, value=str(number))
    for findings in cases:
        kinds = ", ".join(dict.fromkeys(each["kind"] for each in findings))
        name = f"{_place(findings[0])}: {kinds}"
        case = ET.SubElement(suite, "testcase", classname="scalewatch", name=name)
        ET.SubElement(case, _junit_kind(findings[0]), message=_line(findings))
    if not cases:
        name = gate["sentence"]
        case = ET.SubElement(suite, "testcase", classname="scalewatch", name=name)
        if gate["outcome"] in {"undecided", "pending"}:
            said = "; ".join([gate["sentence"], *_further(gate)])
            ET.SubElement(case, "skipped", message=said)
    suite.set("tests", str(max(len(cases), 1)))
    if further := _further(gate):
        ET.SubElement(suite, "system-out").text = "\n".join(further)
    for attribute, kind in JUNIT_KINDS.items():
        suite.set(attribute, str(len(suite.findall(f"testcase/{kind}"))))
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)


def _lines_over_commits(gate: Mapping[str, Any]) -> Iterator[str]:
    """Yield the newest values of each series in question, where they are known."""
    for first, *_ in _by_series(gate)[:LISTED]:
        if values := first.get("recent"):
            said = f"{_place(first)}, the last {len(values)} commits:"
            yield f"- {plain(said)} {value_line(values)}"


def _by_series(gate: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """Return findings by series and by what they make of it, in their order."""
    series: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for finding in gate["findings"]:
        key = _junit_kind(finding), _place(finding)
        series.setdefault(key, []).append(finding)
    return list(series.values())


def _counted(gate: Mapping[str, Any]) -> list[str]:
    """Count all series by outcome, in a line; in none where all are unchanged."""
    counts = {name: number for name, number in gate["counts"].items() if number}
    if counts.keys() <= {"unchanged"}:
        return []
    said = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    return [f"series: {said}"]


def is_unmeasured(finding: Mapping[str, Any]) -> bool:
    """Tell whether a finding is about a missing measurement, which is no pass."""
    return finding["kind"] in {"failed", "missing", "partly missing"}


def _junit_kind(finding: Mapping[str, Any]) -> str:
    if finding["is_sure"]:
        return "failure"
    return "error" if is_unmeasured(finding) else "skipped"


def _headline(gate: Mapping[str, Any]) -> str:
    commit = gate["commit"]["tag"] or gate["commit"]["sha"][:10]
    relation = f" ({gate['relation']})" if gate["relation"] else ""
    return f"{SYMBOLS[gate['outcome']]} {commit}: {gate['sentence']}{relation}"


def _further(gate: Mapping[str, Any]) -> list[str]:
    """Say what would settle it at the least cost, and what was asked for."""
    step = gate["next_step"]
    more = len(_by_series(gate)) - LISTED
    lines = [f"and {more} more, all of them in the JSON"] if more > 0 else []
    lines += [f"cheapest next: {step['sentence']}"] if step else []
    return lines + [_asked(each) for each in gate["confirmations"]]


def _asked(confirmation: Mapping[str, Any]) -> str:
    """Say how far a confirming run is."""
    machine, state = confirmation["machine"], confirmation["state"]
    if state == "open" and not confirmation["is_attended"]:
        wanted = f"scalewatch-agent serve --machine {machine}"
        return f"confirming run asked for on {machine}; waits for `{wanted}`"
    outcome = f": {confirmation['outcome']}" if confirmation["outcome"] else ""
    return f"confirming run asked for on {machine}, {state}{outcome}"


def _line(findings: Sequence[Mapping[str, Any]]) -> str:
    said = _joined(part for each in findings for part in _said(each))
    return f"{_symbol(findings[0])} {_place(findings[0])}: {said}"


def _said(finding: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what a finding says, how surely, and what would settle it."""
    return finding["sentence"], consequence(finding), finding["todo"] or ""


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, parts)))


def _symbol(finding: Mapping[str, Any]) -> str:
    return SYMBOLS["worse" if finding["is_sure"] else "undecided"]


def _place(finding: Mapping[str, Any]) -> str:
    """Name the series of a finding."""
    machine = f" on {finding['machine']}" if finding["machine"] else ""
    return f"{finding['region']} ({finding['metric']}){machine}{_held(finding)}"


def _held(finding: Mapping[str, Any]) -> str:
    """Write the configuration of a series, behind its names."""
    configuration = finding["configuration"].items()
    return "".join(f" {name}={value}" for name, value in configuration)


def consequence(finding: Mapping[str, Any]) -> str:
    """Say how probable a finding is, what it costs at scale, and whose fault it is."""
    parts = []
    if finding["probability"] is not None:
        parts.append(f"probability {_percent(finding['probability'])}")
    if effect := finding["at_target"]:
        where = ", ".join(f"{name} = {at:g}" for name, at in finding["target"].items())
        times = "what it stands for" if finding["kind"] == "guideline" else "before"
        value, low, high = (f"{effect[name]:.3g}" for name in ("value", "low", "high"))
        # Of what is counted nothing is left open.
        bounds = "" if low == value == high else f" ({low} to {high})"
        parts.append(f"{value}{bounds} times {times} at {where}")
    if finding["commits"]:
        parts.append(f"commits {finding['commits']}")
    return ", ".join(parts)


def _percent(probability: float) -> str:
    """Write a probability; what is not certain is never said to be."""
    if probability > 0.999:
        return "over 99.9 %"
    return f"{100 * probability:.{int(probability > 0.99)}f} %"
