"""Sentences of the gate, each asserted here and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from scalewatch.figures.notation import UNJUDGED
from scalewatch.modelling import Direction, Growth, GrowthOdds, Verdict, parse_growth
from scalewatch.modelling.common_mode.earlier_commits import UsualFactor
from scalewatch.services.commit_reports.factors import ConstantChange
from scalewatch.services.commit_reports.pairs import ChangeKind, SeriesPair
from scalewatch.services.gates.decision import Circumstances, decide
from scalewatch.services.gates.findings import failed
from scalewatch.services.gates.rules import FileRules, GateRule
from scalewatch.services.gates.wording import sentence_of

LOG, LINEAR = parse_growth("log p"), parse_growth("p")


@dataclass(frozen=True)
class Side:
    """A series at one version, measured and as expected unless it says otherwise."""

    is_measured: bool = True
    is_failed: bool = False
    is_crowded: bool = False
    is_exact: bool = False
    is_explained: bool = False
    points: int = 6
    repetitions: int = 1
    reason: str | None = None
    growth: Growth | None = LOG
    formula: str | None = None
    class_probability: Mapping[Growth, float] = field(default_factory=dict)
    divergence: Growth | None = None
    verdict: Verdict | None = None
    verdict_probability: Mapping[Verdict, float] = field(default_factory=dict)
    direction: Direction | None = None


@dataclass(frozen=True, eq=False)
class Pair(SeriesPair[Side]):
    """A series at two versions, unchanged unless it says otherwise."""

    kind: ChangeKind = ChangeKind.UNCHANGED
    region: str = "solve"
    metric: str = "time"
    machine: str = "jureca"
    configuration: Mapping[str, Any] = field(default_factory=dict)
    before: Side = Side()
    after: Side = Side()
    odds: GrowthOdds | None = None
    constant: ConstantChange | None = None
    is_composed: bool = False
    is_cost: bool = True
    usual: UsualFactor | None = None


ABSENT = Side(is_measured=False)
FAILED = Side(is_measured=False, is_failed=True)
GREW = Side(growth=LINEAR)
MISMATCH = Side(
    growth=LINEAR,
    verdict=Verdict.MISMATCH,
    divergence=LINEAR / LOG,
    direction=Direction.WORSE,
)
SAME, FASTER = Pair(), Pair(ChangeKind.WORSE, "halo", after=GREW)
DEARER = ConstantChange(
    Direction.WORSE, 1.3, 1.29, 1.31, probability=0.99, is_throughout=True, jobs=2
)
AS_USUAL = UsualFactor(1.0, 0.98, 1.02, commits=20, as_far=0.0)
NOISY = Pair(ChangeKind.UNDECIDED, usual=replace(AS_USUAL, high=1.3))
KNOWN, USUAL = Circumstances(), FileRules()
RERUN = "rerun on jureca"


def answer(pairs, known=KNOWN, rules=USUAL, baseline="v1"):
    """Return the sentence of the gate and those of its findings."""
    commits = f"{baseline}..v2" if baseline else None
    decision = decide(pairs, rules, known, commits=commits)
    sentences = [each.sentence for each in decision.findings]
    return sentence_of(decision, baseline), sentences


def dearer(pair=SAME, **changes):
    return Circumstances(constants={pair.key: replace(DEARER, **changes)})


@pytest.mark.parametrize(
    ("pairs", "known", "sentence"),
    [
        ([SAME], KNOWN, "none of 1 series is worse than v1"),
        (
            [Pair(usual=AS_USUAL)] * 1300 + [NOISY] * 20,
            KNOWN,
            (
                "none of 1,320 series is worse than v1: 1,300 by 10 % at most beside "
                "the commits before, 20 too noisy to decide"
            ),
        ),
        (
            [SAME] * 4000,
            KNOWN,
            "none of 4,000 series is worse than v1",
        ),
        (
            [SAME, Pair(ChangeKind.NEW, "new", before=ABSENT)],
            KNOWN,
            "none of 1 series is worse than v1; 1 of 2 series cannot be compared",
        ),
        (
            [SAME, Pair(ChangeKind.WORSE_CONSTANT, "halo")],
            KNOWN,
            "none of 2 series is worse than v1, but for 1 that people or rules accept",
        ),
        ([SAME, FASTER], KNOWN, "1 of 2 series scales worse than v1"),
        (
            [FASTER, replace(FASTER, region="solve")],
            KNOWN,
            "2 of 2 series scale worse than v1",
        ),
        ([SAME], dearer(), "1 of 1 series is worse than v1"),
        (
            [FASTER, SAME],
            dearer(),
            "2 of 2 series are worse than v1",
        ),
        (
            [SAME, FASTER],
            Circumstances(confirmation=lambda _: RERUN),
            "1 of 2 series suspected of being worse than v1: run again",
        ),
        (
            [
                replace(FASTER, configuration={"number": number})
                for number in range(4000)
            ],
            Circumstances(confirmation=lambda _: RERUN),
            "4,000 of 4,000 series suspected of being worse than v1: run again",
        ),
        (
            [SAME, Pair(ChangeKind.MISSING, "halo", after=ABSENT)],
            KNOWN,
            "1 series (halo) of the baseline missing",
        ),
        (
            [SAME],
            Circumstances(lacking={SAME.key: "p = 64"}),
            "1 series (solve) not measured at p = 64",
        ),
        (
            [SAME, Pair(ChangeKind.UNCHANGED, "halo", after=Side(is_crowded=True))],
            KNOWN,
            f"1 of 2 series cannot be judged: {UNJUDGED}",
        ),
        ([], KNOWN, "no series was measured at both commits"),
        (
            [Pair(ChangeKind.NEW, before=ABSENT)],
            KNOWN,
            "no series was measured at both commits",
        ),
        (
            [Pair(ChangeKind.UNDECIDED)],
            KNOWN,
            "no series has enough measurements for a verdict",
        ),
        ([SAME], Circumstances(is_pending=True), "the analysis is not finished"),
    ],
)
def test_gate_says_its_outcome_in_a_sentence(pairs, known, sentence):
    assert answer(pairs, known)[0] == sentence


def test_failures_are_named_by_their_commonest_reason():
    pairs = [Pair(ChangeKind.FAILED, name, after=FAILED) for name in "abcde"]
    reasons = ["out of memory"] * 3 + ["timeout", None]
    findings = [
        finding
        for pair, reason in zip(pairs, reasons, strict=True)
        for finding in failed(pair, replace(FAILED, reason=reason), ())
    ]

    said, sentences = answer(pairs, Circumstances(failed=findings))

    assert said == (
        "5 series (a, b, c …) not measured: 3 failed: out of memory, 2 for "
        "other reasons"
    )
    assert sentences[-1] == "failed: no repetition succeeded"


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (FASTER, "grows like p instead of log p"),
        (
            replace(
                FASTER,
                before=Side(formula="24*p"),
                after=replace(GREW, formula="12*p^2"),
            ),
            "grows like p instead of log p, 12*p^2 instead of 24*p",
        ),
        (
            Pair(ChangeKind.WORSE),
            "surely grows faster than before, though log p describes both",
        ),
        (
            Pair(ChangeKind.MISMATCH, after=MISMATCH),
            "grows like p instead of log p: no longer as expected",
        ),
        (Pair(after=MISMATCH), "grows like p: not as expected (log p)"),
        (
            Pair(
                ChangeKind.MISMATCH,
                before=Side(divergence=LOG),
                after=MISMATCH,
                is_composed=True,
            ),
            (
                "measured/composed grows like p / log p instead of log p: no longer as "
                "composed"
            ),
        ),
        (
            Pair(after=MISMATCH, is_composed=True),
            "measured/composed grows like p / log p: not as composed",
        ),
    ],
)
def test_findings_say_how_a_series_grows(pair, sentence):
    strict = FileRules(GateRule(mismatch=True))
    alone = Circumstances(confirmation=lambda _: RERUN)

    assert answer([pair], rules=strict)[1] == [sentence]
    assert answer([pair], alone, strict)[1] == [
        f"{sentence}, seen in a single job only"
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "1.3 times as much as before (1.29 to 1.31) throughout"),
        (
            {"is_throughout": False, "jobs": None},
            "1.3 times as much as before (1.29 to 1.31) on average",
        ),
        (
            {"jobs": 1},
            (
                "1.3 times as much as before (1.29 to 1.31) throughout, seen in a "
                "single job only"
            ),
        ),
        (
            {"jobs": 1, "nights": 9},
            (
                "1.3 times as much as in 9 nights before (1.29 to 1.31) throughout, "
                "seen on a single night only"
            ),
        ),
        ({"jobs": 1, "exactly": "2 times the work"}, "2 times the work"),
    ],
)
def test_findings_say_by_how_much_a_constant_is_worse(changes, sentence):
    assert answer([SAME], dearer(**changes))[1] == [sentence]


def test_growth_that_moved_no_more_than_nights_do_is_suspected_only():
    said, (sentence,) = answer([FASTER], Circumstances(within_nights={FASTER.key}))

    assert said == "1 of 1 series suspected of being worse than v1: run again"
    assert sentence == (
        "grows like p instead of log p; but it moved no more than nights do"
    )


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([], "nothing was measured before it to compare it with"),
        (
            [Pair(ChangeKind.NEW, before=ABSENT)],
            "there is no earlier version and no expectation to compare it with",
        ),
        (
            [
                Pair(
                    ChangeKind.NEW, before=ABSENT, after=Side(verdict=Verdict.UNDECIDED)
                )
            ],
            ("1 series (solve) undecided: too noisy to decide on its expected growth"),
        ),
        (
            [Pair(ChangeKind.NEW, before=ABSENT, after=Side(verdict=Verdict.MATCH))],
            "none of 1 series is worse than expected",
        ),
        (
            [Pair(ChangeKind.NEW, before=ABSENT, after=MISMATCH)],
            "1 of 1 series scales worse than expected",
        ),
    ],
)
def test_expectations_alone_decide_without_a_baseline(pairs, sentence):
    assert answer(pairs, baseline=None)[0] == sentence
