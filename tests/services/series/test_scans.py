import pytest

from scalewatch.services.series.scans import flags_of
from scalewatch.storage.runs.points import Flag


@pytest.mark.parametrize(
    ("procedure", "flags"),
    [
        ({}, ()),
        ({"synchronisation": "round-time", "caveats": []}, ()),
        ({"oversubscribed": True}, (Flag.OVERSUBSCRIBED,)),
        ({"disturbed": True}, (Flag.DISTURBED,)),
        ({"synchronisation": "barrier"}, (Flag.BARRIER,)),
        ({"caveats": ["clock"]}, (Flag.CLOCK,)),
        ({"caveats": ["interpreted", "clock"]}, (Flag.CLOCK, Flag.INTERPRETED)),
    ],
    ids=str,
)
def test_flags_follow_from_how_repetitions_were_taken(procedure, flags):
    assert flags_of(procedure) == flags
