"""Flat profiles of gprof."""

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files

PROFILE = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 50.00      0.03     0.03     7208     0.00     0.00  sweep
 33.33      0.05     0.02      244     0.04     0.12  Grid<double, 2>::exchange(int)
 16.67      0.06     0.01                             _mcount
  0.00      0.06     0.00      236     0.00     0.00  tzset

 %         the percentage of the total running time of the
time       program used by this function.
"""


def test_own_seconds_of_each_function_are_read(write):
    reading = read_files([write(PROFILE)], rules={AUTO: SettingRules(at={"p": 8})})

    assert [
        (each.subject.region, each.coordinate, each.values)
        for each in reading.scans.measurements()
    ] == [
        ("sweep", (8,), [0.03]),
        ("Grid<double, 2>::exchange(int)", (8,), [0.02]),
        ("_mcount", (8,), [0.01]),
        ("tzset", (8,), [0.0]),
    ]


def test_profile_does_not_say_where_it_was_measured(write):
    [error] = read_files([write(PROFILE)]).unreadable

    assert "--at p=8" in str(error)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (PROFILE.replace("0.03     0.03", "0.03     much"), "line 6: expected a func"),
        (PROFILE.partition(" time ")[0], "the columns of a flat profile"),
        (PROFILE.partition(" 50.00")[0], "it holds no measurements"),
    ],
)
def test_broken_profile_is_named(write, text, complaint):
    [error] = read_files(
        [write(text)], rules={AUTO: SettingRules(at={"p": 8})}
    ).unreadable

    assert complaint in str(error)
