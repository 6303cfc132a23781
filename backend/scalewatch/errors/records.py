"""The ancestor of every deliberate error, and errors of records.

Records do not exist, or contradict others.
"""

from collections.abc import Sequence


class ScalewatchError(Exception):
    """Base class of all deliberate errors."""


class NotFound(ScalewatchError):
    """A named thing does not exist."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"no {kind} {str(key)!r}")
        self.kind = kind
        self.key = key


class NotMeasured(NotFound):
    """A thing has a name, but no measurement where one looks for it."""

    def __init__(self, kind: str, key: object, *, at: str) -> None:
        super().__init__(kind, key)
        self.args = (f"no {kind} {str(key)!r} was measured at {at}",)
        self.at = at


class NoTimes(NotMeasured):
    """Something needs times where other metrics were measured only."""

    def __init__(self, metrics: Sequence[str], *, at: str) -> None:
        super().__init__("metric", "time", at=at)
        self.args = (f"no time was measured at {at}, only {', '.join(metrics)}",)
        self.metrics = tuple(metrics)


class AmbiguousReference(ScalewatchError):
    """The beginning of a hash that several commits share."""

    def __init__(self, reference: str, shas: Sequence[str]) -> None:
        super().__init__(
            f"{reference!r} can mean {len(shas)} commits: {', '.join(shas[:3])}"
            f"{', …' if len(shas) > 3 else ''}; write more of the hash"
        )
        self.reference = reference
        self.shas = shas


class Conflict(ScalewatchError):
    """The request contradicts what is already recorded."""


class RunAlreadyRecorded(Conflict):
    """Another run was recorded under the same id."""

    def __init__(self, run_id: object) -> None:
        super().__init__(
            f"run {run_id} is already recorded with other content; "
            "a new run needs a new id"
        )
        self.run_id = run_id


class UnitChanged(Conflict):
    """A metric was recorded in a unit that cannot be converted."""

    def __init__(self, region: str, metric: str, *, recorded: str, posted: str) -> None:
        super().__init__(
            f"{metric} of {region} is recorded in {recorded!r}, not in {posted!r}; "
            "no factor converts them: another unit needs another metric"
        )
        self.region = region
        self.metric = metric
        self.recorded = recorded
        self.posted = posted


class DirectionChanged(Conflict):
    """A metric was recorded with the other direction as the better one."""

    def __init__(self, region: str, metric: str, *, recorded: str) -> None:
        super().__init__(
            f"of {metric} of {region}, {recorded} is recorded as better; a metric "
            "with another direction needs another name"
        )
        self.region = region
        self.metric = metric
        self.recorded = recorded


class JobNotFailed(Conflict):
    """A job that was not given up needs no further attempt."""

    def __init__(self, job_id: int, state: str) -> None:
        super().__init__(f"job {job_id} has not failed: it is {state}")
        self.job_id = job_id
        self.state = state


class LeaseLost(Conflict):
    """A worker finished a job after its lease ended; another one may have it."""

    def __init__(self, job_id: int, owner: str) -> None:
        super().__init__(f"job {job_id} is no longer leased to {owner}")
        self.job_id = job_id
        self.owner = owner


class ConfirmationLost(Conflict):
    """An agent speaks of a confirming run that is not, or no longer, its own."""

    def __init__(self, confirmation_id: int, agent: str) -> None:
        super().__init__(
            f"confirming run {confirmation_id} is no longer {agent}'s; what was "
            "posted of it is kept"
        )
        self.confirmation_id = confirmation_id
        self.agent = agent
