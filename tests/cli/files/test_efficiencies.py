"""Efficiency on a terminal: the table of the study, and the same numbers as JSON."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.services.efficiencies.table import uncertain
from scalewatch.texts.numbers import significant

CHROMA = (
    "nodes,time [s]\n8,1037\n16,1052\n32,1077\n64,1137\n128,1178\n256,1327\n512,1535\n"
)
TOKENS = "gpus,tokens/s per GPU\n1,32015\n2,31500\n4,30493\n8,27497\n"
SHARED = Path(__file__).parents[4] / "shared" / "data"
REAL = 40


def run(*arguments, stdin=None):
    answer = CliRunner().invoke(main, ["model", *arguments], input=stdin)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_weak_scaling_is_the_table_of_the_study(tmp_path):
    path = tmp_path / "chroma_weak.csv"
    path.write_text(CHROMA)

    heading, *lines = run(str(path)).splitlines()

    assert heading == (
        "chroma_weak.csv: weak scaling of time (it stays or grows; --scaling strong if "
        "not), 1 run each: ± assumes 2 %"
    )
    assert [line.split() for line in lines[:3]] == [
        [
            "Nodes",
            "Time",
            "(s)",
            "Scaled",
            "speed-up",
            "Efficiency",
            "(%)",
            "Node-hours",
        ],
        ["8", "1,037", "1", "100", "2.30", "█████", "base"],
        ["16", "1,052", "1.97", "99", "±", "8", "4.68", "█████"],
    ]
    assert lines[7].endswith("≥ 70 %?")
    assert lines[8].endswith("forecast, not measured")
    assert lines[9] == (
        "  ≥ 70 %: up to 256 nodes, 97 % sure; 512 has 68 %.  ≥ 50 %: not reached yet."
    )
    assert lines[10].startswith("  One run on 352 nodes, 139 node-hours, would narrow")
    assert lines[-1].startswith("  Growth: O(nodes^(3/4)), ")


def test_rates_of_each_gpu_scale_alike_either_way():
    text = run("-", stdin=TOKENS)

    assert "higher is better; weak or strong makes no difference here" in text
    assert "Total, × 1 GPU" in text
    assert "86 ± 7" in text
    assert "GPU-hours" not in text


def test_scaling_is_overridden():
    strong = json.loads(run("-", "--json", "--scaling", "strong", stdin=CHROMA))

    assert strong["scaling"]["kind"] == "strong"
    assert strong["scaling"]["evidence"] == "stated"
    assert strong["scaling"]["rows"][1]["efficiency"] == pytest.approx(1037 / 1052 / 2)


def test_growths_are_shown_where_they_are_asked_for():
    assert "region" in run("-", "--formula", stdin=CHROMA).splitlines()[0]
    assert "expected" in run("-", "--expect", "O(1)", stdin=CHROMA)


def test_limits_base_and_target_are_chosen():
    arguments = ("--limit", "90%,80%", "--base", "16", "--target", "nodes=2048")
    text = run("-", *arguments, stdin=CHROMA)

    assert "below the base" in text
    assert "≥ 90 %: up to" in text
    assert "2,048" in text


@pytest.mark.parametrize(("last", "is_whole"), [(0, True), (1, False)])
def test_restarts_of_a_table_are_asked_about(last, is_whole):
    rows = f"1,100,0\n2,52,0\n4,27,0\n8,15,{last}\n"
    text = run("-", stdin=f"nodes,time [s],restarts\n{rows}")

    assert ("Jobs on 8 nodes were restarted" in text) != is_whole
    assert ("Node-hours" in text) == is_whole


def test_many_scans_are_one_table_with_efficiencies():
    rows = [f"{p},r{k},{(k + 1) * 64 / p}" for k in range(6) for p in (1, 2, 4, 8, 16)]

    lines = run("-", stdin="\n".join(["p,region,time", *rows])).splitlines()

    assert "efficiency %" in lines[0]
    assert all("at 16" in line for line in lines[1:7])


def test_terminal_without_unicode_gets_ascii():
    runner = CliRunner(charset="ascii")
    answer = runner.invoke(main, ["model", "-"], input=CHROMA)

    assert answer.exit_code == 0
    assert answer.stdout.isascii()
    assert "99 +/- 8" in answer.stdout


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (289.5, 1.9, "289.5 ± 1.9"),
        (82.47, 0.56, "82.5 ± 0.6"),
        (46.692, 0.312, "46.69 ± 0.31"),
        (1900, 281, "1,900 ± 280"),
        (71234, 31000, "71,000 ± 31,000"),
        (9.996, 0.96, "10 ± 1"),
        (1037.2, 0.01, "1,037 ± 1"),
    ],
)
def test_digits_are_those_of_the_uncertainty(value, half, text):
    assert uncertain(value, half) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.3044, "2.30"),
        (0.0113, "0.0113"),
        (9.996, "10.0"),
        (458.2, "458"),
        (3639.4, "3,640"),
        (12204, "12,200"),
        (0, "0"),
        (None, "–"),
    ],
)
def test_three_digits_are_written(value, text):
    assert significant(value) == text


def real_series():
    """Yield tables of real series over resources: name, header, rows."""
    with (SHARED / "scaling" / "series.csv").open() as about:
        known = {row["series"]: row for row in csv.DictReader(about)}
    values = defaultdict(list)
    with (SHARED / "scaling" / "values.csv").open() as measured:
        for row in csv.DictReader(measured):
            values[row["series"]].append((row["setting"], row["value"]))
    kept = [name for name, row in known.items() if row["kind"] in {"strong", "weak"}]
    for name in kept[:: max(1, len(kept) // REAL)][:REAL]:
        scale = known[name]["parameter"]
        scale = scale if scale in {"nodes", "gpus", "threads"} else "p"
        yield (
            name,
            f"{scale},time [s]\n"
            + "".join(f"{setting},{value}\n" for setting, value in values[name]),
        )


@pytest.mark.skipif(not SHARED.exists(), reason="no real series beside the checkout")
def test_command_and_json_have_the_same_numbers_of_real_series():
    compared = 0
    for name, table in real_series():
        text, line = run("-", stdin=table), json.loads(run("-", "--json", stdin=table))
        known = line["scaling"]
        if known["kind"] is None:
            continue
        cells = {
            row[0]: row
            for row in (line.split() for line in text.splitlines()[2:])
            if row
        }
        for row in known["rows"][1:]:
            shown = cells[f"{row['size']:,.10g}"]
            share = 100 * row["efficiency"]
            digit = 0 if share >= 9.5 else 1
            assert significant(row["speed_up"]) in shown, (name, row)
            assert f"{share:.{digit}f}" in shown, (name, row)
        compared += 1
    assert compared >= REAL - 5


BOTH = "cores,nodes,time\n48,1,1000\n96,2,520\n192,4,275\n384,8,146\n768,16,80\n"


def test_the_scale_that_is_stated_is_the_axis_of_table_and_model():
    by_nodes = run("-", "--scale", "nodes", stdin=BOTH)
    by_cores = run("-", stdin=BOTH)

    assert by_nodes.splitlines()[1].split()[0] == "Nodes"
    assert by_cores.splitlines()[1].split()[:2] == ["Cores", "Nodes"]
    assert "/ nodes" in by_nodes
    assert "/ p" in by_cores
    efficiencies = [
        [row["efficiency"] for row in json.loads(answer)["scaling"]["rows"]]
        for answer in (
            run("-", "--scale", "nodes", "--json", stdin=BOTH),
            run("-", "--json", stdin=BOTH),
        )
    ]
    assert efficiencies[0] == efficiencies[1]


@pytest.mark.parametrize(
    "text", [BOTH.replace("96,2,", "96,1,"), BOTH.replace("nodes", "queue")]
)
def test_a_scale_that_is_no_axis_is_said_to_be_none(text):
    answer = run("-", "--scale", "nodes", stdin=text)

    assert "--scale nodes is no axis here" in answer
    assert answer.splitlines()[1].split()[0] == "Cores"
