"""Machine, code or library: whom the product suspects of what is worse.

Projects of two to nine machines and eight to sixteen regions, six process counts and
five repetitions, whose noise is drawn from 1 to 8 %. At one commit a region scales like
p instead of log p on one machine, on all, or most regions do on one machine. Over 60
commits, in which regions of a machine share its nights, an update of the library makes
some regions 20 % slower on all machines, or all regions of one machine are slower from
a commit on, or a machine has two speeds, 40 % apart, between which it jumps as by
chance. And nothing happens, which 4 % of histories of 200 commits may deny.

Right is the sentence that names the machine, or the code (the library), and no other;
no word is right where nothing is to be suspected. "Cannot tell", or no word where there
is something, counts as half. A wrong suspect is wrong, whatever else is said.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.night_looks import history_of
from benchmarks.results import Results
from benchmarks.truths_history import P
from numpy.typing import NDArray

from scalewatch.modelling import JudgedCell, Suspect, attribute, parse_growth
from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.modelling.search.search import find_models
from scalewatch.services.regressions.changes import watch
from scalewatch.services.regressions.detection import causes_of

Reals = NDArray[np.float64]

SEED: Final = 20_280_611
EACH: Final = 43
"""Projects of each kind."""

COMMITS, AT = 60, 40
REPETITIONS: Final = 5
NOISES, NIGHT, OWN = (0.01, 0.08), 0.02, 0.015
WORSE, SPEED, SHARE = 1.2, 1.4, 0.5
EXPECTED: Final = parse_growth("log p")

RIGHT: Final = Goal("suspects of drawn projects that are right", "{:.1%}", least=0.95)
WRONG: Final = Goal("suspects of drawn projects that are wrong", "{:.1%}", most=0.01)

Word = tuple[Suspect | None, str]
"""A suspect, and which machine or region it is; of all regions the empty word."""


class Answer(StrEnum):
    """Worth of an answer."""

    RIGHT = "right"
    HALF = "cannot tell"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Project:
    """A project that is drawn."""

    draw: np.random.Generator
    machines: int
    regions: int
    noise: float

    @classmethod
    def of(cls, kind: str, number: int) -> "Project":
        """Return the project of a kind with this number."""
        draw = np.random.default_rng((SEED, number, *kind.encode()))
        machines, regions = draw.integers((2, 8), (10, 17)).tolist()
        return cls(draw, machines, regions, draw.uniform(*NOISES))

    def table(self, bad: set[tuple[int, int]]) -> list[Word]:
        """Return who is suspected at one commit where some cells grow like p."""
        cells = [(m, r) for m in range(self.machines) for r in range(self.regions)]
        logarithm = np.log2(P) / np.log2(P[-1])
        curves = np.array(
            [1 + (8 * P / P[-1] if cell in bad else logarithm) for cell in cells]
        )
        shape = (len(cells), P.size, REPETITIONS)
        values = curves[..., np.newaxis] * np.exp(
            self.draw.normal(0, self.noise, shape)
        )
        findings = find_models(P, values, expectation=EXPECTED)
        judged = [
            JudgedCell(f"r{r}", f"m{m}", finding.growth, EXPECTED, finding.verdict)
            for (m, r), finding in zip(cells, findings, strict=True)
            if finding.growth is not None and finding.verdict is not None
        ]
        return [(each.suspect, each.subject) for each in attribute(judged)]

    def steady(self) -> Reals:
        """Return factors of machines, regions and commits that nothing changed."""
        return np.ones((self.machines, self.regions, COMMITS))

    def commits(self, factors: Reals) -> list[Word]:
        """Return who is suspected of factors (machines, regions, commits)."""
        histories = []
        for machine in range(self.machines):
            nights = self.draw.normal(0, NIGHT, (1, COMMITS, 1))
            regional = self.draw.normal(0, OWN, (self.regions, COMMITS, 1))
            noise = self.noise / np.sqrt(REPETITIONS)
            jobs = self.draw.normal(0, noise, (self.regions, COMMITS, P.size))
            logs = nights + regional + jobs + np.log(factors[machine, ..., np.newaxis])
            histories += [history_of(machine, *each) for each in enumerate(logs)]
        watched = watch(histories)
        worse = [each for each in watched.changes if each.is_worse]
        said: list[Word] = [
            (
                (Suspect.LIBRARY, "")
                if step.origin is Origin.LIBRARY
                else (Suspect.PLATFORM, step.machine)
            )
            for step in watched.steps
        ]
        for cause in causes_of(histories, worse):
            machines = {each.machine for each in cause.series}
            subject = machines.pop() if len(machines) == 1 else ""
            is_platform = cause.suspect is Suspect.PLATFORM
            said.append((cause.suspect, subject if is_platform else ""))
        return said


def main(results: Results) -> None:
    """Draw projects of each kind, and judge whom they suspect."""
    each = options.series(EACH, 6)
    row = results.table("kind", *Answer, "projects")
    total: Counter[Answer] = Counter()
    for kind, answer in KINDS.items():
        answers = Counter(answer(Project.of(kind, number)) for number in range(each))
        total += answers
        row(kind, *(str(answers[worth]) for worth in Answer), str(each))
    projects = sum(total.values())
    results.figure(RIGHT, (total[Answer.RIGHT] + total[Answer.HALF] / 2) / projects)
    results.figure(WRONG, total[Answer.WRONG] / projects)


def judged(said: Iterable[Word], true: Sequence[Word]) -> Answer:
    """Return what words about suspects are worth, beside the true ones."""
    stated = {each for each in said if each[0] is not None}
    if stated - {*true}:
        return Answer.WRONG
    if true and not stated:
        return Answer.HALF
    return Answer.RIGHT if true or not [*said] else Answer.HALF


def _region_on_one_machine(project: Project) -> Answer:
    machine = int(project.draw.integers(project.machines))
    said = project.table({(machine, 0)})
    return judged(said, [(Suspect.PLATFORM, f"m{machine}")])


def _region_on_all_machines(project: Project) -> Answer:
    said = project.table({(machine, 0) for machine in range(project.machines)})
    return judged(said, [(Suspect.LIBRARY, "r0")])


def _regions_of_a_machine(project: Project) -> Answer:
    said = project.table({(0, region) for region in range(1, project.regions)})
    return judged(said, [(Suspect.PLATFORM, "m0")])


def _library_at_a_commit(project: Project) -> Answer:
    factors = project.steady()
    factors[:, : 1 + project.regions // 3, AT:] = WORSE
    return judged(project.commits(factors), [(Suspect.LIBRARY, "")])


def _machine_at_a_commit(project: Project) -> Answer:
    factors = project.steady()
    factors[0, :, AT:] = WORSE
    return judged(project.commits(factors), [(Suspect.PLATFORM, "machine 0")])


def _two_speeds(project: Project) -> Answer:
    factors = project.steady()
    factors[0, :, project.draw.random(COMMITS) < SHARE] = SPEED
    return judged(project.commits(factors), [])


def _nothing(project: Project) -> Answer:
    said = [*project.table(set()), *project.commits(project.steady())]
    return judged(said, [])


KINDS: Final[dict[str, Callable[[Project], Answer]]] = {
    "a region on one machine": _region_on_one_machine,
    "a region on all machines": _region_on_all_machines,
    "most regions of a machine": _regions_of_a_machine,
    "a library at a commit": _library_at_a_commit,
    "a machine at a commit": _machine_at_a_commit,
    "two speeds of a machine": _two_speeds,
    "nothing": _nothing,
}
