import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.importers.derivations import derivation_of
from support.samples import sample

RULES = {AUTO: SettingRules(derive=[derivation_of("p = nodes * taskspernode")])}


@pytest.mark.parametrize("name", ["result.csv"])
def test_units_stand_in_brackets_and_processes_are_derived(name) -> None:
    [time, bandwidth] = read_files(
        [sample(f"jube/generated-2.5.1/{name}")], rules=RULES
    ).series

    assert (time.metric, time.unit) == ("time", "s")
    assert (time.parameters, time.settings[:, 0].tolist()) == (
        ("p",),
        [4, 8, 16, 32, 64],
    )
    assert time.values[:, 0].tolist() == [26, 14, 8, 5, 3.5]
    assert (bandwidth.metric, bandwidth.unit) == ("bandwidth", "GB/s")
