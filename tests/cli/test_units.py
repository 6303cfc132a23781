"""All pairs of units of one dimension, through commands on files and over HTTP."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.units import EQUAL_DIMENSIONS, OTHER_DIMENSIONS, PREFIXED

PAIRS = [pair for pair in (*EQUAL_DIMENSIONS, *PREFIXED) if "" not in pair]
SETTINGS = (2, 4, 8, 16, 32)
SCATTER = (0.98, 1.0, 1.02)


def write(path: Path, units, sizes) -> str:
    """Write a file with a region for each unit, whose values have a size."""
    path.write_text(
        "\n".join(
            json.dumps(
                {
                    "params": {"p": p},
                    "callpath": f"r{number}",
                    "metric": "work",
                    "unit": unit,
                    "value": [size * (3 + p) * scatter for scatter in SCATTER],
                }
            )
            for number, (unit, size) in enumerate(zip(units, sizes, strict=True))
            for p in SETTINGS
        )
    )
    return str(path)


def versions(folder: Path, pairs, size: float = 1.0) -> tuple[str, str]:
    """Return the newer and the older of two files that measured the same."""
    factors = [factor for *_, factor in pairs]
    return (
        write(folder / "new.jsonl", [unit for unit, *_ in pairs], [size] * len(pairs)),
        write(folder / "old.jsonl", [other for _, other, _ in pairs], factors),
    )


def run(*arguments: str):
    return CliRunner().invoke(main, arguments)


def test_gate_of_files_compares_all_pairs_and_none_wrongly(tmp_path) -> None:
    new, old = versions(tmp_path, PAIRS)

    done = run("gate", new, "--baseline", old, "--format", "json")

    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"]) == (0, [])
    assert len(PAIRS) > 160


def test_since_compares_all_pairs_and_none_wrongly(tmp_path) -> None:
    new, old = versions(tmp_path, PAIRS)

    lines = run("model", new, "--since", old, "--json").stdout.splitlines()

    since = [json.loads(line)["since"] for line in lines]
    assert len(since) == len(PAIRS)
    for each, (unit, other, _) in zip(since, PAIRS, strict=True):
        assert each["low"] < 1 < each["high"], (unit, other)
        assert each["probability"]["none"] > 0.9, (unit, other)


def test_units_of_other_dimensions_are_compared_with_none(tmp_path) -> None:
    pairs = [(unit, other, 1.0) for unit, other in OTHER_DIMENSIONS]
    for pair in pairs:
        _, other, _ = pair
        new, old = versions(tmp_path, [pair])

        done = run("gate", new, "--baseline", old)

        assert done.exit_code == 2, pair
        assert "no factor converts" in done.stdout, pair
        assert other in done.stdout, pair


@pytest.mark.parametrize("part", range(4))
def test_server_takes_every_unit_for_that_of_its_series(client, part) -> None:
    pairs = PAIRS[part::4]
    at = {"project": "units", "machine": "m", "at": "n=1"}
    for commit, units, sizes in (
        ("v1", [other for _, other, _ in pairs], [factor for *_, factor in pairs]),
        ("v2", [unit for unit, *_ in pairs], [1.0] * len(pairs)),
    ):
        rows = [
            {"params": {"p": 4}, "callpath": f"r{n}", "metric": "work"}
            | {"unit": unit, "value": [size, size]}
            for n, (unit, size) in enumerate(zip(units, sizes, strict=True))
        ]
        body = "\n".join(map(json.dumps, rows)).encode()
        stated = {**at, "commit": commit}
        answer = client.post("/api/v1/import/json", content=body, params=stated)
        assert answer.is_success, answer.text

    def medians(commit):
        text = client.get(
            "/api/v1/projects/units/measurements", params={"commit": commit}
        ).text
        rows = map(json.loads, text.splitlines())
        return {row["region"]: (row["value"], row["unit"]) for row in rows}

    before, now = medians("v1"), medians("v2")
    assert len(now) == len(pairs)
    for region, (value, unit) in before.items():
        assert now[region] == (pytest.approx(value), unit), region
