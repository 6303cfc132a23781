"""What the bench agent sends: the only package that agent and server share."""

from scalewatch.wire.fields import (
    SIMULATED,
    UNITS,
    Fact,
    Finite,
    Name,
    Repository,
    Setting,
    Sha,
    Text,
)
from scalewatch.wire.refusals import Fault, faults, wrong
from scalewatch.wire.reports import (
    MOST_RESULTS,
    Commit,
    FunctionTime,
    Job,
    Location,
    Machine,
    Procedure,
    Profile,
    Result,
    RunReport,
)

__all__ = [
    "MOST_RESULTS",
    "SIMULATED",
    "UNITS",
    "Commit",
    "Fact",
    "Fault",
    "Finite",
    "FunctionTime",
    "Job",
    "Location",
    "Machine",
    "Name",
    "Procedure",
    "Profile",
    "Repository",
    "Result",
    "RunReport",
    "Setting",
    "Sha",
    "Text",
    "faults",
    "wrong",
]
