"""Read an experiment file, and find whatever is wrong with it before anything runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from scalewatch.wire import faults
from scalewatch_agent.errors import BadExpression, ExperimentInvalid, Flaw
from scalewatch_agent.experiments import documents, schema
from scalewatch_agent.experiments.expressions import Expression, Scalar
from scalewatch_agent.experiments.launchers.jobs import Configured
from scalewatch_agent.experiments.parameters import (
    COMPILERS,
    FLAGS,
    RESERVED,
    BadParameters,
    Combination,
    Parameters,
    names_in,
)
from scalewatch_agent.programs import MOST_SECONDS


@dataclass(frozen=True, slots=True)
class Loaded:
    """An experiment that can be carried out."""

    path: Path
    experiment: schema.Experiment
    coordinate: tuple[str, ...]
    configured: tuple[Configured, ...]

    @property
    def source(self) -> Path:
        """The folder of the code under test."""
        return (self.path.parent / self.experiment.source).resolve()

    def core_hours(
        self, configured: Sequence[Configured], repeats: int
    ) -> tuple[float | None, float]:
        """Return what jobs are expected to cost, if the file says, and at most."""
        expected = 0.0
        limit = 0.0
        is_known = True
        for job in configured:
            cores = self.experiment.launcher.cores(job)
            limit += repeats * cores * job.time_limit / 3600
            if job.seconds is None:
                is_known = False
            else:
                expected += repeats * cores * job.seconds / 3600
        return (expected if is_known else None), limit


def load_experiment(path: Path, settings: Mapping[str, Scalar] | None = None) -> Loaded:
    """Return the experiment in the file at `path`.

    Parameters
    ----------
    path
        Of the file.
    settings
        Parameters that are set to one value instead of those of the file.

    Raises
    ------
    ExperimentInvalid
        With file, line and key of everything that is wrong.
    """
    return experiment_in(documents.read_document(path), settings or {})


def experiment_in(
    document: documents.ExperimentDocument,
    settings: Mapping[str, Any],
    *,
    is_counted: bool = False,
) -> Loaded:
    """Return the experiment that a document holds, as `load_experiment` does.

    An experiment whose work `is_counted`, or that is traced, needs no results in what
    the program writes.
    """
    path = document.path
    try:
        content = document.content
        stated = content.get("parameters") if isinstance(content, dict) else None
        if settings and isinstance(stated, dict):
            content = {**content, "parameters": {**stated, **settings}}
        experiment = schema.Experiment.model_validate(content)
    except ValidationError as error:
        kinds = [each["type"] for each in error.errors(include_url=False)]
        flaws = []
        for kind, fault in zip(kinds, faults(error), strict=True):
            parts: list[str | int] = [
                int(part) if part.isdecimal() else part
                for part in fault.field.split(".")
            ]
            message = {
                "missing": documents.MISSING,
                "model_type": "keys with their values are expected here",
                "extra_forbidden": "there is no such key",
            }.get(kind, fault.message)
            flaws.append(document.flaw(parts, message))
        raise ExperimentInvalid(path, list(dict.fromkeys(flaws))) from None
    check = _Check(document, experiment)
    check.settings(settings, document.content["parameters"])
    check.names()
    if not (is_counted or experiment.execute.trace or experiment.results):
        check.flaw(["results"], documents.MISSING)
    if check.flaws:
        raise ExperimentInvalid(path, check.flaws)
    configured = tuple(check.configured())
    coordinate = check.coordinate(configured)
    if check.flaws:
        raise ExperimentInvalid(path, check.flaws)
    return Loaded(path.absolute(), experiment, coordinate, configured)


class _Check:
    """Collects flaws that no single value shows."""

    def __init__(
        self, document: documents.ExperimentDocument, experiment: schema.Experiment
    ) -> None:
        self.document = document
        self.experiment = experiment
        self.flaws: list[Flaw] = []

    def flaw(self, place: Iterable[str | int], message: str) -> None:
        """Note what is wrong at a place."""
        self.flaws.append(self.document.flaw(tuple(place), message))

    def settings(self, names: Iterable[str], known: Mapping[str, Any]) -> None:
        """See that every parameter that is set from outside is one."""
        for name in names:
            if name not in known:
                self.flaw(["parameters"], f"there is no parameter {name!r} to set")

    def names(self) -> None:
        """See that every name that is used means something."""
        known = set(self.experiment.parameters)
        for place, names in self._used():
            # Formulas use no reserved names.
            is_command = place[-1] == "run" or len(place) == 1
            reserved = _AT_STEP.get(place[0], set()) if is_command else set()
            for name in sorted(names - known - reserved):
                if name in RESERVED:
                    self.flaw(place, f"{{{name}}} means nothing at this step")
                else:
                    self.flaw(place, f"there is no parameter {name!r}")
            if place[0] == "prepare" and (names & known):
                message = "this step runs once, for all parameters: none can stand here"
                self.flaw(place, message)
        self._zipped(known)

    def _zipped(self, known: set[str]) -> None:
        derived = {
            name
            for name, parameter in self.experiment.parameters.items()
            if isinstance(parameter, schema.Derived)
        }
        seen: set[str] = set()
        for position, group in enumerate(self.experiment.zipped):
            place = ("zipped", position)
            for name in group:
                if name not in known:
                    self.flaw(place, f"there is no parameter {name!r}")
                elif name in derived or name in seen:
                    self.flaw(place, f"{name!r} cannot be zipped (again)")
            seen |= set(group)
            listed = [name for name in group if name in known - derived]
            lengths = {len(self._list(name)) for name in listed}
            if len(lengths) > 1:
                self.flaw(place, "these parameters have unequal numbers of values")

    def _used(self) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
        """Yield the names that each place uses."""
        experiment = self.experiment
        for step in ("prepare", "compile", "execute", "analyse"):
            if part := getattr(experiment, step):
                in_key = isinstance(self.document.content.get(step), dict)
                place = (step, "run") if in_key else (step,)
                yield place, names_in(part.run)
        execute = experiment.execute
        for key in (*_COUNTS, "time_limit", "estimate"):
            if (formula := getattr(execute, key)) is not None:
                yield ("execute", key), formula.names
        if experiment.where is not None:
            yield ("where",), experiment.where.names
        for key in ("coordinate", "configuration"):
            for name in getattr(experiment, key) or ():
                yield (key,), frozenset({name})

    def _list(self, name: str) -> tuple[Any, ...]:
        parameter = self.experiment.parameters[name]
        if isinstance(parameter, schema.Range):
            return parameter.values()
        return tuple(parameter) if isinstance(parameter, list) else (parameter,)

    def configured(self) -> Iterator[Configured]:
        """Yield the combinations with their resources."""
        experiment = self.experiment
        lists = {
            name: self._list(name)
            for name, parameter in experiment.parameters.items()
            if not isinstance(parameter, schema.Derived)
        }
        derived = {
            name: parameter.expression
            for name, parameter in experiment.parameters.items()
            if isinstance(parameter, schema.Derived)
        }
        groups = tuple(tuple(group) for group in experiment.zipped)
        parameters = Parameters(lists, derived, groups, experiment.where)
        try:
            combinations = parameters.combinations()
        except BadParameters as error:
            self.flaw(error.place, str(error))
            return
        for combination in combinations:
            if self.flaws:
                return  # the same formula is wrong for most of the others, too
            execute = self.experiment.execute
            counts = {
                key: self._of(key, getattr(execute, key), Expression.count, combination)
                for key in _COUNTS
            }
            limit = self._of(
                "time_limit", execute.time_limit, Expression.number, combination
            )
            if limit is not None and limit <= 0:
                self.flaw(("execute", "time_limit"), f"{limit:g} s are no time")
            if limit is not None and limit > MOST_SECONDS:
                message = f"{limit:g} s are more than three years"
                self.flaw(("execute", "time_limit"), message)
            yield Configured(
                combination=combination,
                processes=counts["processes"],
                threads=counts["threads"] or 1,
                nodes=counts["nodes"],
                tasks_per_node=counts["tasks_per_node"],
                time_limit=limit or 1.0,
                seconds=self._of(
                    "estimate", execute.estimate, Expression.number, combination
                ),
            )

    def _of(
        self,
        key: str,
        formula: Expression | None,
        value: Callable[[Expression, Combination], Any],
        combination: Combination,
    ) -> Any:
        if formula is None:
            return None
        try:
            return value(formula, combination)
        except BadExpression as error:
            self.flaw(("execute", key), f"{error} at {_shown(combination)}")
            return None

    def coordinate(self, configured: tuple[Configured, ...]) -> tuple[str, ...]:
        """Return the parameters that are coordinates: positive numbers all along."""
        names = self.experiment.coordinate
        chosen = tuple(
            names
            if names is not None
            else (name for name in self.experiment.parameters if name in schema.COUNTED)
        )
        if not chosen:
            self.flaw(
                ("coordinate",),
                "name the parameters that span the scan; none is called "
                + ", ".join(schema.COUNTED),
            )
        for job in configured:
            for name in chosen:
                value = job.combination[name]
                is_positive = not isinstance(value, bool | str) and value > 0
                if not is_positive or (name in schema.COUNTED and value != int(value)):
                    message = f"{job.combination[name]!r} is no coordinate; "
                    self.flaw(("parameters", name), message + "a positive number is")
                    return chosen
        return chosen


_COUNTS = ("processes", "threads", "nodes", "tasks_per_node")
_AT_STEP = {
    "prepare": {"source", "experiment", "prepare", "python", *FLAGS, *COMPILERS},
    "compile": {"source", "experiment", "prepare", "compile", "python"}
    | {*FLAGS, *COMPILERS},
    "execute": set(RESERVED),
    "analyse": set(RESERVED),
}


def _shown(combination: Combination) -> str:
    return ", ".join(f"{name} = {value}" for name, value in combination.items())
