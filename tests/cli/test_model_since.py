import json
from itertools import product
from math import log2

import pytest
from click.testing import CliRunner, Result

from scalewatch.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["model", *arguments])


@pytest.fixture
def versions(tmp_path) -> tuple[str, str]:
    """Files of two versions: one region is slower, another grows faster now."""
    paths = tmp_path / "old.csv", tmp_path / "new.csv"
    for path, factor, power in zip(paths, (1, 1.3), (0.5, 1), strict=True):
        lines = ["p,region,time"]
        for p, scatter in product((2, 4, 8, 16, 32, 64), (0.98, 0.99, 1, 1.01, 1.02)):
            lines.append(f"{p},halo,{factor * (1 + log2(p)) * scatter}")
            lines.append(f"{p},solve,{(3 + p**power) * scatter}")
            lines.append(f"{p},same,{(3 + p) * scatter}")
        if path.name == "new.csv":
            lines.append("2,fresh,1")
        path.write_text("\n".join(lines))
    return str(paths[0]), str(paths[1])


def test_versions_are_told_apart_by_growth_and_factor(versions) -> None:
    old, new = versions

    result = run(new, "--since", old, "--json")

    halo, solve, same, fresh = (
        json.loads(line)["since"] for line in result.stdout.splitlines()
    )
    assert halo["probability"]["level"] > 0.9
    assert halo["low"] < 1.3 < halo["high"]
    assert solve["probability"]["growth"] > 0.99
    assert (solve["growth_before"], solve["growth_after"]) == ("p^(1/2)", "p")
    assert same["probability"]["none"] > 0.99
    assert list(fresh) == ["reason"]


def test_the_table_says_what_has_changed_since(versions) -> None:
    old, new = versions

    table = run(new, "--since", old).stdout

    assert "a factor throughout (" in table
    assert "p^(1/2) before and p now (>99%)" in table
    assert "as before (>99%), 1 times [" in table


def test_an_earlier_version_that_cannot_be_read_is_an_error(versions) -> None:
    _, new = versions

    result = run(new, "--since", "nonesuch.txt")

    assert result.exit_code == 3
    assert "cannot read nonesuch.txt: " in result.stderr
    assert "earlier version" not in result.stdout


@pytest.mark.parametrize(
    ("better", "told"), [("lower", ": worse"), ("higher", ": better")]
)
def test_direction_tells_worse_from_better(versions, better, told) -> None:
    old, new = versions

    result = run(new, "--since", old, "--better", better)

    [halo] = [line for line in result.stdout.splitlines() if line.startswith("halo")]
    assert halo.endswith(told)


def test_what_is_better_higher_has_no_rank(tmp_path) -> None:
    path = tmp_path / "rates.csv"
    rows = "".join(f"{p},{p / 2},{p / 4}\n" for p in (4, 8, 16, 32, 64))
    path.write_text(f"p,time,bandwidth[GB/s]\n{rows}")

    result = run(str(path), "--rank")

    assert "Note: 1 series" in result.stderr
    assert "1 series:" in result.stdout
