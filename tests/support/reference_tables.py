"""The published tables, read from tests/reference."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from scalewatch.modelling import Growth, Model, Term, Verdict

FOLDER = Path(__file__).parents[1] / "reference"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a match table: what was expected, found and concluded."""

    region: str
    machine: str
    expectation: Growth
    deviation_limit: Growth | None
    model: Model
    divergence: Growth
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.region} on {self.machine}"


def read(name: str) -> Any:
    """Return the content of a reference file."""
    return json.loads((FOLDER / name).read_text())


def mpi_cells() -> Iterator[Cell]:
    """Yield Tables 2 and 3: collectives and memory on three machines."""
    for name in ("table2_mpi_runtime.json", "table3_mpi_memory.json"):
        table = read(name)
        for row in table["rows"]:
            for machine, found in row["machines"].items():
                yield Cell(
                    region=row["region"],
                    machine=machine,
                    expectation=_growth("p", row["expectation"]),
                    deviation_limit=_growth("p", table["deviation_limit"]),
                    model=_model(found["model"]),
                    divergence=_growth("p", found["divergence"]),
                    verdict=Verdict(found["match"]),
                )


def mafia_cells() -> Iterator[Cell]:
    """Yield Table 4: MAFIA over its cluster dimensionality k, default limits."""
    for row in read("table4_mafia.json")["rows"]:
        yield Cell(
            region=row["region"],
            machine="Juropa",
            expectation=_growth("k", row["expectation"]),
            deviation_limit=None,
            model=Model(0.0, (Term(1.0, _growth("k", row["model"])),)),
            divergence=_growth("k", row["divergence"]),
            verdict=Verdict(row["match"]),
        )


def _model(found: Mapping[str, Any]) -> Model:
    """Read a full model, or a growth whose coefficient was not printed."""
    if "terms" not in found:
        growth = _growth("p", found)
        return Model(0.0, (Term(1.0, growth),)) if growth.factors else Model(1.0)
    terms = (Term(each["coefficient"], _growth("p", each)) for each in found["terms"])
    return Model(found["constant"], tuple(terms))


def _growth(parameter: str, exponents: Mapping[str, Any]) -> Growth:
    return Growth.of(
        parameter,
        power=Fraction(exponents.get("power", 0)),
        log=Fraction(exponents.get("log", 0)),
        exp2=Fraction(exponents.get("exp2_rate", 0)),
    )
