"""Names of events and their values, from the .pcf file beside a trace."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SOURCE = re.compile(r"(\d{1,9}) \(([^,()]+)(?:,.*)?\)")
_SYMBOL = re.compile(r"(?=.*\]\Z).*\[(.+)\]")


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of values by event type; numbers where nobody names them."""

    values: Mapping[int, Mapping[int, str]]

    def function(self, kind: int, value: int) -> str:
        """Return the MPI function that a value of an event stands for."""
        return self.values.get(kind, {}).get(value, f"MPI {kind}.{value}")

    def source(self, kind: int, value: int) -> tuple[str, int]:
        """Return file and line of a caller, empty where nobody knows them."""
        match = _SOURCE.fullmatch(self.values.get(kind, {}).get(value, ""))
        if match is None or match[2].startswith(("Unresolved", "_NOT_Found")):
            return "", 0
        return match[2].strip(), int(match[1])

    def caller(self, kind: int, value: int) -> str:
        """Return the name of a function that calls MPI; empty where unknown."""
        name = self.values.get(kind, {}).get(value, "")
        if name in {"", "Unresolved", "_NOT_Found", "End"}:
            return ""
        match = _SYMBOL.fullmatch(name)
        return match[1] if match else name


def read_labels(path: Path) -> Labels:
    """Return the names in a .pcf file; none where there is no such file."""
    values: dict[int, dict[int, str]] = {}
    kinds: list[int] = []
    section = ""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return Labels({})
    for line in map(str.strip, text.splitlines()):
        if line == "EVENT_TYPE":
            section, kinds = "types", []
        elif line == "VALUES":
            section = "values"
        elif not line:
            section = ""
        elif section == "types":
            kinds += [int(word) for word in line.split()[1:2] if word.isdecimal()]
        elif section == "values":
            number, _, name = line.partition(" ")
            if number.isdecimal():
                for kind in kinds:
                    values.setdefault(kind, {})[int(number)] = name.strip()
    return Labels(values)
