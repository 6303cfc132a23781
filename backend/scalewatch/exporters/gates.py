"""What the gate said, as text, Markdown and JUnit."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

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
    """Return the answer for a comment on a change."""
    lines = [f"### Scalewatch: {_headline(gate)}", "", *_counted(gate)]
    if gate["findings"]:
        lines += [
            "",
            "| | region | machine | what | how surely, at what cost | to settle it |",
            "|---|---|---|---|---|---|",
        ]
        for findings in _by_series(gate)[:LISTED]:
            found = findings[0]
            cells = (
                _symbol(found),
                _series(found),
                found["machine"] or "",
                *(
                    _joined(each[part] for each in map(_said, findings))
                    for part in range(len(_said(found)))
                ),
            )
            lines.append(f"| {' | '.join(_cell(each) for each in cells)} |")
    lines += ["", *(f"- {each}" for each in _further(gate))]
    return "\n".join(lines).rstrip()


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


def _by_series(gate: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """Return findings by series and by what they make of it, in their order."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in gate["findings"]:
        found.setdefault((_junit_kind(each), _place(each)), []).append(each)
    return list(found.values())


def _counted(gate: Mapping[str, Any]) -> list[str]:
    """Count all series by outcome, in a line; in none where all are unchanged."""
    counts = {name: number for name, number in gate["counts"].items() if number}
    if counts.keys() <= {"unchanged"}:
        return []
    said = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    return [f"series: {said}"]


def is_unmeasured(found: Mapping[str, Any]) -> bool:
    """Tell whether a finding is about what was not measured, which is no pass."""
    return found["kind"] in {"failed", "missing", "partly missing"}


def _junit_kind(found: Mapping[str, Any]) -> str:
    if found["is_sure"]:
        return "failure"
    return "error" if is_unmeasured(found) else "skipped"


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


def _said(found: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what a finding says, how surely, and what would settle it."""
    return found["sentence"], consequence(found), found["todo"] or ""


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, parts)))


def _symbol(found: Mapping[str, Any]) -> str:
    return SYMBOLS["worse" if found["is_sure"] else "undecided"]


def _place(found: Mapping[str, Any]) -> str:
    machine = f" on {found['machine']}" if found["machine"] else ""
    return f"{found['region']} ({found['metric']}){machine}{_held(found)}"


def _series(found: Mapping[str, Any]) -> str:
    return f"{found['region']} ({found['metric']}){_held(found)}"


def _held(found: Mapping[str, Any]) -> str:
    """Tell the configuration of a series, after what it belongs to."""
    return "".join(f" {name}={value}" for name, value in found["configuration"].items())


def consequence(found: Mapping[str, Any]) -> str:
    """Say how probable a finding is, what it costs at scale, and whose fault it is."""
    parts = []
    if found["probability"] is not None:
        parts.append(f"probability {_percent(found['probability'])}")
    if effect := found["at_target"]:
        where = ", ".join(f"{name} = {at:g}" for name, at in found["target"].items())
        times = "what it stands for" if found["kind"] == "guideline" else "before"
        value, low, high = (f"{effect[name]:.3g}" for name in ("value", "low", "high"))
        # Of what is counted nothing is left open.
        bounds = "" if low == value == high else f" ({low} to {high})"
        parts.append(f"{value}{bounds} times {times} at {where}")
    if found["commits"]:
        parts.append(f"commits {found['commits']}")
    return ", ".join(parts)


def _percent(probability: float) -> str:
    """Write a probability; what is not certain is never said to be."""
    if probability > 0.999:
        return "over 99.9 %"
    return (
        f"{100 * probability:.1f} %"
        if probability > 0.99
        else f"{100 * probability:.0f} %"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
