"""Tables, one class per row kind; refer to them as `tables.Run`.

A project holds commits, machines and series; a run brings one point to each of its
series; a model and its verdict belong to a series and a commit. What is to be done
later is a job, a row in the same transaction as the data that causes it. Tokens and
policies say who may do what; the audit log, who did.
"""

from scalewatch.storage.tables.access import AuditEntry, Login, Policy, Token
from scalewatch.storage.tables.base import Instant, Remark, Table, now
from scalewatch.storage.tables.histories import (
    Alias,
    Detection,
    Grid,
    Location,
    Regression,
    RegressionEvent,
    Shift,
)
from scalewatch.storage.tables.judgements import (
    Assumption,
    Edition,
    Expectation,
    ExpectedLevel,
    GateRules,
    Guidelines,
    Model,
    Noise,
    Overview,
    Probabilities,
    Verdict,
)
from scalewatch.storage.tables.measurements import (
    Commit,
    Configuration,
    Fingerprint,
    ImportedFile,
    ImportedRun,
    Machine,
    Payload,
    Point,
    Procedure,
    Profile,
    Project,
    Run,
    Samples,
    Series,
    SourceLocations,
)
from scalewatch.storage.tables.work import (
    Confirmation,
    Job,
    WaitingAgent,
    Webhook,
    Worker,
)

__all__ = [
    "Alias",
    "Assumption",
    "AuditEntry",
    "Commit",
    "Configuration",
    "Confirmation",
    "Detection",
    "Edition",
    "Expectation",
    "ExpectedLevel",
    "Fingerprint",
    "GateRules",
    "Grid",
    "Guidelines",
    "ImportedFile",
    "ImportedRun",
    "Instant",
    "Job",
    "Location",
    "Login",
    "Machine",
    "Model",
    "Noise",
    "Overview",
    "Payload",
    "Point",
    "Policy",
    "Probabilities",
    "Procedure",
    "Profile",
    "Project",
    "Regression",
    "RegressionEvent",
    "Remark",
    "Run",
    "Samples",
    "Series",
    "Shift",
    "SourceLocations",
    "Table",
    "Token",
    "Verdict",
    "WaitingAgent",
    "Webhook",
    "Worker",
    "now",
]
