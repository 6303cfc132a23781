import json

import pytest

from scalewatch.errors import BadDerivation, BadPattern
from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.importers.derivations import derivation_of
from scalewatch.importers.series import addressable
from scalewatch.texts.patterns import StatedSettings, path_pattern_of, pattern_of

LINE = (
    '{{"params": {{"p": {p}}}, "callpath": "{name}", "metric": "time", "value": 1}}\n'
)
PROFILE = """Flat profile:

  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 60.00      0.03     0.03     7208     0.00     0.00  f
"""


def rules(**stated):
    for key in ("name", "path"):
        if key in stated:
            stated[key] = pattern_of(stated[key])
    stated["derive"] = [derivation_of(text) for text in stated.get("derive", ())]
    return {AUTO: SettingRules(**stated)}


@pytest.mark.parametrize(
    ("pattern", "name", "settings", "words"),
    [
        ("{region}/{n}[/threads:{threads}]", "BM/64k", {"n": 64e3}, {}),
        ("{region}/{n}[/t:{threads}]", "BM/8/t:4", {"n": 8, "threads": 4}, {}),
        ("{**}::{region}[[{p}-{n}]]", "a/b::t[64-1024]", {"p": 64, "n": 1024}, {}),
        ("{region}.p{p}.d{d}{**}", "kripke.p8.d2,5.r1/x", {"p": 8, "d": 2.5}, {}),
        ("{case:word}_{np}_{tasks>p2}", "61k_8_4", {"p": 8, "p2": 4}, {"case": "61k"}),
    ],
)  # fmt: skip
def test_pattern_says_what_stands_in_its_holes(pattern, name, settings, words) -> None:
    said = pattern_of(pattern).match(name)

    assert said is not None
    assert (said.settings, said.words) == (settings, words)


@pytest.mark.parametrize("pattern", ["{p", "{p}_{p}", "{p}[", "a}"])
def test_pattern_that_cannot_be_understood_is_named(pattern) -> None:
    with pytest.raises(BadPattern, match="the pattern"):
        pattern_of(pattern)


def test_path_matches_from_any_slash_on() -> None:
    said = pattern_of("size{nodes}/{**}").match_path("deep/down/size64/a/b.out")

    assert said is not None
    assert said.settings == {"nodes": 64}


@pytest.mark.parametrize(
    ("text", "value"),
    [("p = nodes * 56", 112), ("p = (nodes + 1) * 4 // 3 - 1", 3), ("p = -1 + 3", 2)],
)
def test_derivation_is_arithmetic_of_settings(text, value) -> None:
    assert derivation_of(text).value({"nodes": 2.0}) == value


@pytest.mark.parametrize(
    "text",
    ["p", "= 4", "p = f(2)", "p = x.y", "p = 9 ** 9", "p = [1]", "p = 'a'", "p = True",
     "p = " + "(" * 3000, "p = 1 if 1 else 2", "p = __import__('os')"],
)  # fmt: skip
def test_derivation_that_is_no_arithmetic_is_refused(text) -> None:
    with pytest.raises(BadDerivation):
        derivation_of(text)


def test_derivation_that_divides_by_zero_names_the_file(write) -> None:
    path = write(LINE.format(p=4, name="a"))

    [error] = read_files([path], rules=rules(derive=["n = p // 0"])).unreadable

    assert str(error) == (
        f"cannot read {path}: cannot derive 'n = p // 0': it divides by zero"
    )


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ({"at": {"p": 8}}, "its content says p=4, and its option says p=8"),
        ({"path": "run-{p}"}, "its content says p=4, and its path says p=16"),
        ({"name": "a_{p}"}, "its content says p=4, and its name says p=2"),
        ({"derive": ["p = 2 * 8"]}, "its content says p=4, and its derived says p=16"),
    ],
)
def test_contradiction_names_both_places(write, stated, complaint) -> None:
    path = write(LINE.format(p=4, name="a_2"), "run-16")

    [error] = read_files([path], rules=rules(**stated)).unreadable

    assert str(error) == f"cannot read {path}: {complaint}"


def test_setting_that_several_places_agree_on_is_that_of_the_first(write) -> None:
    path = write(LINE.format(p=4, name="a %p=4"), "run-4")

    reading = read_files([path], rules=rules(path="run-{p}", at={"p": 4}))

    [measurement] = reading.scans.measurements()
    assert measurement.sources == (("p", "content"),)
    assert measurement.subject.region == "a"


def test_files_make_one_scan_by_what_their_paths_say(write) -> None:
    paths = [write(PROFILE, f"np{p}.txt") for p in (2, 4, 8)]

    reading = read_files(paths, rules=rules(path="np{p}.txt", derive=["n = p * 100"]))

    [series] = reading.series
    assert series.parameters == ("p",)
    assert series.settings.tolist() == [[2], [4], [8]]
    [measurement, *_] = reading.scans.measurements()
    assert measurement.sources == (("p", "path"), ("n", "derived"))


def test_bare_number_is_never_a_setting(write) -> None:
    [series] = read_files([write(LINE.format(p=4, name="a_64 n=8"))]).series

    assert (series.region, series.configuration) == ("a_64", {"n": 8})


def test_name_of_no_pattern_is_named_once_unless_it_is_left_out(write) -> None:
    path = write("".join(LINE.format(p=p, name="plain") for p in (2, 4)))

    [error] = read_files([path], rules=rules(name="{region}/{n}")).unreadable
    reading = read_files([path], rules=rules(name="{region}/{n}", skips_unmatched=True))

    assert "'plain' is not of the pattern '{region}/{n}'" in str(error)
    assert len(reading.unreadable) <= 1


def test_format_has_rules_of_its_own(write) -> None:
    stated = {**rules(at={"n": 1}), "gprof": rules(at={"p": 8})[AUTO]}

    [series] = read_files([write(PROFILE)], rules=stated).series

    assert series.settings.tolist() == [[8]]


@pytest.mark.parametrize(
    ("path", "settings", "texts"),
    [
        (
            "set/kripke.p8.d2.g32.r1/profile.cubex",
            {"p": 8, "d": 2, "g": 32},
            {"region": "kripke", "rep": "1"},
        ),
        ("mm.x10y1z1.r4", {"x": 10, "y": 1, "z": 1}, {"region": "mm", "rep": "4"}),
        ("code.p64.n1,5.r2.txt", {"p": 64, "n": 1.5}, {"region": "code", "rep": "2"}),
    ],
)
def test_names_of_extra_p_need_no_pattern(path, settings, texts) -> None:
    said = path_pattern_of("extra-p").match_path(path)

    assert said == StatedSettings(settings, {}, texts)


@pytest.mark.parametrize("path", ["run/output.txt", "a.b2c.3/x", "profile.0.0.0"])
def test_other_names_are_none_of_extra_p(path) -> None:
    assert path_pattern_of("extra-p").match_path(path) is None


def test_scanned_setting_is_a_parameter(write) -> None:
    rows = "".join(f"{p},{size},{size / p}\n" for size in (8, 64, 512) for p in (4, 8))
    path = write(f"p,message_bytes,time\n{rows}")

    [series] = read_files(
        [path], rules={AUTO: SettingRules(scan=["message_bytes"])}
    ).series

    assert series.parameters == ("p", "message_bytes")
    assert series.settings[:, 1].tolist() == [8, 64, 512] * 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a/b", "a->b"),
        ("what?#\x1b[31m", "what___[31m"),
        ("..", "_.."),
        ("\n", "_"),
    ],
)
def test_names_are_made_such_that_addresses_hold_them(name, told) -> None:
    assert addressable(name) == told


def test_long_names_stay_different() -> None:
    names = {addressable("f" * 150 + str(one) + "g" * 150) for one in range(100)}

    assert len(names) == 100
    assert max(map(len, names)) <= 200


def test_option_tells_what_some_of_a_file_lack_and_others_say(write) -> None:
    rows = [
        {"params": {"p": 4, "threads": 2}, "callpath": "a", "value": 1.5},
        {"params": {"p": 4}, "callpath": "b", "value": 2.5},
    ]
    path = write("\n".join(map(json.dumps, rows)) + "\n")

    reading = read_files([path], rules={"auto": SettingRules(at={"threads": 1.0})})

    assert not reading.unreadable
    assert [series.configuration["threads"] for series in reading.series] == [2, 1]


@pytest.mark.parametrize("label", ["n=10%", "n=1 000", "n=2'500", "n=2^10", "n=12abc"])
def test_number_in_a_name_is_whole_or_none(write, label) -> None:
    line = {"name": f"lu/{label}", "run_type": "iteration", "real_time": 5.0}
    rows = [line | {"cpu_time": 5.0, "time_unit": "ms", "iterations": 3}]

    reading = read_files([write(json.dumps({"context": {}, "benchmarks": rows}))])

    assert not list(reading.scans.measurements())
    assert reading.unreadable
