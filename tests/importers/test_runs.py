import json

import pytest

from scalewatch.importers import read_files
from support.builders import result, run, sweep


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(sweep((2, 4, 8))),
        "\n".join(json.dumps(one) for one in sweep((2, 4, 8))),
        json.dumps(sweep((2, 4, 8)), indent=2),
    ],
    ids=["array", "lines", "indented array"],
)
def test_runs_become_series_along_the_scan(write, text) -> None:
    series = read_files([write(text)]).series

    assert [one.region for one in series] == ["MPI_Bcast", "MPI_Allgather"]
    for one in series:
        assert (one.metric, one.unit, one.parameters) == ("time", "s", ("p",))
        assert one.settings.tolist() == [[2], [4], [8]]
        assert one.values.shape == (3, 10)
        assert one.configuration == {"message_bytes": 256}


def test_files_of_one_run_each_are_put_together(write) -> None:
    paths = [
        write(json.dumps(one), name=f"run-{number}.json")
        for number, one in enumerate(sweep((2, 4, 8)))
    ]

    series = read_files(paths).series

    assert [one.settings.tolist() for one in series] == [[[2], [4], [8]]] * 2


def test_runs_of_several_machines_stay_apart_and_say_which(write) -> None:
    text = json.dumps(
        sweep((2, 4)) + sweep((2, 4), machine={"name": "daint", "fingerprint": {}})
    )

    series = read_files([write(text)]).series

    assert [one.configuration["machine"] for one in series] == [
        "jureca",
        "jureca",
        "daint",
        "daint",
    ]


def test_parameter_that_no_run_varies_is_configuration(write) -> None:
    runs = [run(coordinate={"p": p, "n": 1024}) for p in (2, 4)]

    [series] = read_files([write(json.dumps(runs))]).series

    assert series.parameters == ("p",)
    assert series.configuration == {"message_bytes": 256, "n": 1024}


def test_known_units_are_converted_to_the_first_of_their_metric(write) -> None:
    runs = [
        run(coordinate={"p": 2}, results=[result(unit="ms", values=[3.0])]),
        run(coordinate={"p": 4}, results=[result(unit="s", values=[0.004])]),
    ]

    [series] = read_files([write(json.dumps(runs))]).series

    assert series.unit == "s"
    assert series.values.tolist() == [[0.003], [0.004]]


def test_failed_result_is_a_missing_point(write) -> None:
    failed = result(values=[], status="failed", reason="out of memory")
    runs = [
        run(coordinate={"p": 2}, results=[result(values=[1.0])]),
        run(coordinate={"p": 4}, results=[failed]),
    ]

    [series] = read_files([write(json.dumps(runs))]).series

    assert series.settings.tolist() == [[2], [4]]
    assert series.values[1].tolist() != series.values[1].tolist()  # NaN


def test_refused_run_is_named_with_its_field(write) -> None:
    text = "\n".join([json.dumps(run()), json.dumps(run(coordinate={"p": 0}))])

    [error] = read_files([write(text)]).unreadable

    assert "line 2: expected a run report, found coordinate.p" in str(error)
