import pytest

from scalewatch import reasons
from scalewatch.errors import TooFewSettings


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (reasons.Unsettled({"match": 0.4, "mismatch": 0.6}), "match 40%, mismatch 60%"),
        (reasons.FewSettings(2, 5), "2 of 5 settings"),
        (reasons.FewSettings(4, 5, "p", ["16"]), "p = 16 would show its growth"),
        (reasons.FewSettings(2, 5, "p", ["4", "8", "16"]), "p = 4, 8 and 16 would"),
        (reasons.Unresolved(["p", "n"], None), "a grid of settings can"),
        (reasons.Unresolved(["p", "n"], {"p": 4.0, "n": 8.0}), "at p = 4, n = 8 can"),
        (reasons.NoFormula((1.0, 1.5)), "the local exponent lies between 1 and 1.5"),
        (reasons.PossibleFormulas([("p", 0.5)], None), "may be those of p (50%)"),
        (reasons.PossibleFormulas([], 1.0), "none that is known (100%)"),
        (
            reasons.FewInBoth(TooFewSettings(1, 2)),
            "2 distinct settings needed, 1 measured in both versions",
        ),
        (
            reasons.TooLarge("2^p"),
            "2^p is too large to compute with at the settings measured",
        ),
        (
            reasons.MachineMoved("a", 3, 3),
            "The machine: 3 of 3 regions moved together on a",
        ),
        (reasons.MovedAlone("a", ["r1"], 2), "r1 moved on a alone, and not on 2"),
        (reasons.LibraryMoved("r1", 2), "r1 moved on all 2 machines"),
        (reasons.OneMachine("a"), "a second machine would decide"),
        (reasons.NoSingleCause(1, 1, 2), "affects 1 region on 1 of 2 machines"),
        (reasons.NoSingleCause(2, 1, 2), "affects 2 regions on 1 of 2 machines"),
    ],
    ids=lambda reason: type(reason).__name__,
)
def test_reasons_say_their_evidence(reason, words):
    assert words in str(reason)
