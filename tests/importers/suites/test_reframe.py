import json

import numpy as np
import pytest

from scalewatch.importers import AUTO, Scans, SettingRules, read_files
from scalewatch.texts.patterns import pattern_of
from support.samples import sample

OLD = (
    "2020-09-30T15:10:23+01:00|reframe 3.2 (rev: 7)|halo_56 on csd3:cclake using gnu|"
    "jobid=1|wall_t=36.5|s|ref=0 (l=None, u=None)|num_nodes=1,small,num_procs=56\n"
)
NEW = "job_completion_time|info|jobid|num_tasks|bw_value|bw_unit\n"
ROW = "2026-11-22T19:15:31|halo /1a2b @toy:part+gnu|7|{p}|{value}|GB/s\n"


def test_gromacs_logs_are_one_scan_by_their_names_and_tags() -> None:
    rules = {
        AUTO: SettingRules(
            name=pattern_of("Gromacs_HECBioSim_{region}_atoms_{*}_{p}_{*}")
        )
    }

    reading = read_files([sample("reframe/perflogs-3.2")], rules=rules)

    assert not reading.unreadable
    rate = next(
        one
        for one in reading.series
        if (one.region, one.metric) == ("1400k", "ns_per_day")
    )
    assert rate.settings[:, 0].tolist()[-1] == 3136
    assert 47.363 in rate.values[-1]
    first = next(reading.scans.measurements())
    assert first.provenance.machine == "csd3"
    assert first.provenance.ended_at
    assert first.provenance.job


@pytest.mark.parametrize("name", ["report.json", "halo_test.log"])
def test_report_and_log_say_the_same(name) -> None:
    [step, bandwidth] = read_files([sample(f"reframe/generated-4.10.4/{name}")]).series

    assert (step.metric, step.unit, step.settings[:, 0].tolist()) == (
        "step",
        "s",
        [1, 2],
    )
    assert step.values.tolist() == [[1.5], [0.75]]
    assert step.configuration["n"] == 1024
    assert bandwidth.unit == "GB/s"


def test_posts_know_their_commit() -> None:
    path = sample("reframe/generated-4.10.4/httpjson_record_1795374931489.json")

    provenances = {one.provenance for one in read_files([path]).scans.measurements()}

    [provenance] = provenances
    assert (provenance.commit, provenance.machine) == ("abc", "toy")
    assert provenance.ended_at.startswith("2026-11-22T19:15:31")


def test_runs_of_several_dates_stay_runs(write) -> None:
    later = OLD.replace("jobid=1", "jobid=2").replace("09-30", "10-01")

    reading = read_files([write(OLD + later)])

    assert len(list(reading.scans.measurements())) == 2
    assert len(reading.series) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (OLD + OLD[:-2], "line 2: expected the end of the line"),
        (OLD + OLD[:60] + "\n", "line 2: expected a line of ReFrame's performance log"),
        (OLD.replace("36.5", "soon"), "line 1: expected a number, found 'soon'"),
        (NEW + "a|b\n", "line 2: expected 6 cells, one per column, found 2"),
        (NEW + ROW.format(p=2, value="1e999"), "line 2: expected a finite number"),
    ],
)
def test_broken_log_is_named_with_its_line(write, text, complaint) -> None:
    [error] = read_files([write(text)]).unreadable

    assert complaint in str(error)


def test_value_that_failed_is_absent_and_never_zero(write) -> None:
    rows = ROW.format(p=2, value="null") + ROW.format(p=4, value="1.5")

    [series] = read_files([write(NEW + rows)]).series

    assert str(series.values.tolist()) == "[[nan], [1.5]]"
    assert series.region == "halo"


def test_runs_of_report_log_and_posts_in_one_folder_count_once() -> None:
    reading = read_files([sample("reframe/generated-4.10.4")])

    assert not reading.unreadable
    measured = list(reading.scans.measurements())
    assert sorted(value for one in measured for value in one.values) == [
        0.75,
        1.5,
        10,
        20,
    ]
    assert {one.provenance.commit for one in measured} == {"abc"}
    assert reading.known.repeated.total() == 8


def test_log_without_zone_and_fractions_repeats_its_report(write) -> None:
    row = "2026-11-22T{time}|halo /1a2b @toy:part+gnu|7|2|1.5|GB/s\n"
    post = (
        '{"check_name": "halo", "check_system": "toy", "check_partition": "part", '
        '"check_environ": "gnu", "check_num_tasks": 2, "check_jobid": "7", '
        '"check_job_completion_time_unix": 1795374931.27, "check_perf_bw_unit": '
        '"GB/s", "check_perf_bw_value": 1.5}'
    )
    log = write(NEW + row.format(time="20:15:31") + row.format(time="20:15:41"), "a")

    reading = read_files([log, write(post, "b")])

    [series] = reading.series
    assert series.values.tolist() == [[1.5, 1.5]]  # two runs, and no third
    [note] = reading.known.notes()
    assert note.endswith(f"b repeats 1 result of {log}, counted once")


def test_equal_runs_of_two_commits_stay_two() -> None:
    path = sample("reframe/generated-4.10.4/httpjson_record_1795374931489.json")
    reading = read_files([path])
    [*told] = reading.scans.measurements()
    others = Scans(
        one._replace(provenance=one.provenance._replace(commit="def")) for one in told
    )

    reading.known.add(reading.scans, others, "another")

    assert len(list(reading.scans.measurements())) == 2 * len(told)


COLUMNS = (
    "result|job_completion_time|descr|environ|jobid|num_tasks|partition|system|"
    "display_name|bw_value|bw_unit|triad-bw_value|triad-bw_unit\n"
    "pass|2024-02-21T22:51:16|made|gnu|100|4|cpu|toy|stream %n=4|23.5|GB/s|1.5|GB/s\n"
    "fail|2024-02-21T22:52:16|made|gnu|101|8|cpu|toy|stream %n=8|null|GB/s|null|GB/s\n"
)


@pytest.mark.parametrize("delimiter", ["|", ",", ";", "\t"])
def test_log_of_any_delimiter_and_names_with_dashes(write, delimiter) -> None:
    path = write(COLUMNS.replace("|", delimiter))

    series = {one.metric: one for one in read_files([path]).series}

    assert set(series) == {"bw", "triad_bw"}
    assert series["bw"].region == "stream"
    assert series["triad_bw"].settings.tolist() == [[4], [8]]
    assert series["bw"].values[0, 0] == 23.5
    assert np.isnan(series["bw"].values[1, 0])


def test_variable_of_a_line_names_its_metric(write) -> None:
    path = write(
        "job_completion_time|info|jobid|num_tasks|perf_var|perf_value|perf_unit\n"
        "2024-02-21T22:51:16|halo /1a @toy:part+gnu|7|2|bw|1.5|GB/s\n"
        "2024-02-21T22:51:16|halo /1a @toy:part+gnu|7|2|lat|1.5|usec\n"
    )

    told = {one.metric: one for one in read_files([path]).series}

    assert (told["bw"].unit, told["lat"].unit) == ("GB/s", "s")
    assert told["lat"].values[0, 0] == pytest.approx(1.5e-6)


def test_log_of_version_3_says_its_tasks_before_the_variable(write) -> None:
    path = write(
        "2021-05-21T19:53:21|reframe 3.7.0|Stream on generic:default using gnu|"
        "jobid=4232|num_tasks=4|Copy=23860.3|ref=0 (l=None, u=None)|MB/s\n"
    )

    [series] = read_files([path]).series

    assert (series.region, series.metric, series.unit) == ("Stream", "Copy", "MB/s")
    assert series.settings.tolist() == [[4]]


OLD_CASE = {
    "environment": "gnu",
    "jobid": "77",
    "name": "halo",
    "perfvars": [{"name": "t", "reference": 0, "unit": "usec", "value": 12.5}],
    "system": "daint:gpu",
}


@pytest.mark.parametrize(
    ("facts", "parameter", "setting"),
    [
        ({"nodelist": ["a", "b"]}, "nodes", 2),
        ({"check_vars": {"num_tasks": 8}, "nodelist": ["a"]}, "p", 8),
    ],
    ids=["3.5", "4.2"],
)
def test_report_of_old_versions(write, facts, parameter, setting) -> None:
    report = {"session_info": {}, "runs": [{"testcases": [{**OLD_CASE, **facts}]}]}

    [told] = read_files([write(json.dumps(report))]).scans.measurements()

    assert (told.subject.region, told.subject.metric) == ("halo", "t")
    assert told.subject.unit == "s"
    assert list(told.values) == [pytest.approx(12.5e-6)]
    assert (told.subject.parameters, told.coordinate) == ((parameter,), (setting,))
    assert dict(told.subject.configuration) == {"environ": "gnu", "partition": "gpu"}
    assert told.provenance.machine == "daint"


def test_tests_of_as_many_tasks_on_other_nodes_are_no_repetitions(write) -> None:
    header = "job_completion_time|info|num_tasks|num_nodes|time_value|time_unit"
    rows = [f"2026-11-27T10:00:0{n}|a /0a1b @s:p+e|112|{n}|{n}.5|s" for n in (2, 4)]
    path = write("\n".join([header, *rows]) + "\n")

    [series] = read_files([path]).series

    assert series.parameters == ("nodes",)
    assert series.configuration["p"] == 112
    assert series.values.tolist() == [[2.5], [4.5]]


def test_two_records_in_a_line_of_an_old_log_are_refused(write) -> None:
    record = (
        "2026-11-27T10:00:00|reframe 3.2|a on s:p using e|jobid=1|num_tasks=4"
        "|time=1.5|ref=0 (l=null, u=null)|s"
    )

    [error] = read_files([write(f"{record}{record}\n")]).unreadable

    assert "two in a line" in str(error)
