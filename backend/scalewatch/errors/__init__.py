"""Everything scalewatch raises on purpose.

* ScalewatchError
  x ModellingError
    + BadExpression
    + BadProfile
    + BadScale
    + FallingLimit
    + IncompleteCoordinates
    + MissingParameter
    + NoExpectation
    + NotFinite
    + NotModelled
    + NotOneParameter
    + NothingMeasured
    + NothingToScale
    + OutsideDomain
    + RepeatedScale
    + SizeUnknown
    + TooFewConfigurations
    + TooFewMachines
    + TooFewProfiles
    + TooFewSettings
    + TooFewSizes
    + TooFar
    + WrongShape
    + UnknownChoice
  x CompositionError
    + NameUnknown
    + NameAmbiguous
    + CircularComposition
    + UnitsUnfit
    + ValueMissing
  x NotSplit
  x NotFound
    + NotMeasured
      + NoTimes
  x AmbiguousReference
  x Conflict
    + RunAlreadyRecorded
    + UnitChanged
    + DirectionChanged
    + JobNotFailed
    + LeaseLost
    + ConfirmationLost
  x Refused
    + UnreadableBody
    + BodyTooLarge
    + ReadingLimitExceeded
    + ReaderDied
    + UnsupportedContent
    + InvalidReport
    + NotAcceptable
    + TooFewSides
  x TooManyRequests
    + TooManyGuesses
    + TooBusy
  x TookTooLong
  x NotReady
  x Unauthenticated
    + TokenNeeded
    + TokenUnknown
  x NotPermitted
  x ForeignOrigin
  x DatabaseNotEmpty
  x OtherSchema
  x SchemaNotMigrated
  x InMemoryDatabase
  x MissingExtra
  x NotARun
  x UnknownOrigin
  x TrialFailed
  x BadPattern
  x BadSetting
  x BadDerivation
  x UnreadableFiles
  x UnreadableFile
    + MalformedFile
    + NoMeasurements
      - NoResults
    + MissingReader
    + TooManyMeasurements
    + UnmatchedName
    + UnplacedSeries

An error carries the evidence as attributes, and writes its own message. What an
error means over HTTP is decided in `scalewatch.api.http.problems`, nowhere else.
"""

from scalewatch.errors.access import (
    ForeignOrigin,
    NotPermitted,
    TokenNeeded,
    TokenUnknown,
    Unauthenticated,
)
from scalewatch.errors.base import (
    ScalewatchError,
)
from scalewatch.errors.compositions import (
    CircularComposition,
    CompositionError,
    NameAmbiguous,
    NameUnknown,
    NotSplit,
    UnitsUnfit,
    ValueMissing,
)
from scalewatch.errors.files import (
    BadDerivation,
    BadPattern,
    BadSetting,
    MalformedFile,
    MissingReader,
    NoMeasurements,
    NoResults,
    NotARun,
    TooManyMeasurements,
    UnknownCommit,
    UnknownOrigin,
    UnmatchedName,
    UnplacedSeries,
    UnreadableFile,
    UnreadableFiles,
)
from scalewatch.errors.modelling import (
    BadExpression,
    BadProfile,
    BadScale,
    FallingLimit,
    IncompleteCoordinates,
    MissingParameter,
    ModellingError,
    NoExpectation,
    NotFinite,
    NothingMeasured,
    NothingToScale,
    NotModelled,
    NotOneParameter,
    OutsideDomain,
    RepeatedScale,
    SizeUnknown,
    TooFar,
    TooFewConfigurations,
    TooFewMachines,
    TooFewProfiles,
    TooFewSettings,
    TooFewSizes,
    UnknownChoice,
    WrongShape,
)
from scalewatch.errors.operations import (
    DatabaseNotEmpty,
    InMemoryDatabase,
    MissingExtra,
    OtherSchema,
    SchemaNotMigrated,
    TrialFailed,
)
from scalewatch.errors.records import (
    AmbiguousReference,
    ConfirmationLost,
    Conflict,
    DirectionChanged,
    JobNotFailed,
    LeaseLost,
    NotFound,
    NoTimes,
    NotMeasured,
    RunAlreadyRecorded,
    UnitChanged,
)
from scalewatch.errors.requests import (
    BodyTooLarge,
    InvalidReport,
    NotAcceptable,
    NotReady,
    ReaderDied,
    ReadingLimitExceeded,
    Refused,
    TooBusy,
    TooFewSides,
    TookTooLong,
    TooManyGuesses,
    TooManyRequests,
    UnreadableBody,
    UnsupportedContent,
)

__all__ = [
    "AmbiguousReference",
    "BadDerivation",
    "BadExpression",
    "BadPattern",
    "BadProfile",
    "BadScale",
    "BadSetting",
    "BodyTooLarge",
    "CircularComposition",
    "CompositionError",
    "ConfirmationLost",
    "Conflict",
    "DatabaseNotEmpty",
    "DirectionChanged",
    "FallingLimit",
    "ForeignOrigin",
    "InMemoryDatabase",
    "IncompleteCoordinates",
    "InvalidReport",
    "JobNotFailed",
    "LeaseLost",
    "MalformedFile",
    "MissingExtra",
    "MissingParameter",
    "MissingReader",
    "ModellingError",
    "NameAmbiguous",
    "NameUnknown",
    "NoExpectation",
    "NoMeasurements",
    "NoResults",
    "NoTimes",
    "NotARun",
    "NotAcceptable",
    "NotFinite",
    "NotFound",
    "NotMeasured",
    "NotModelled",
    "NotOneParameter",
    "NotPermitted",
    "NotReady",
    "NotSplit",
    "NothingMeasured",
    "NothingToScale",
    "OtherSchema",
    "OutsideDomain",
    "ReaderDied",
    "ReadingLimitExceeded",
    "Refused",
    "RepeatedScale",
    "RunAlreadyRecorded",
    "ScalewatchError",
    "SchemaNotMigrated",
    "SizeUnknown",
    "TokenNeeded",
    "TokenUnknown",
    "TooBusy",
    "TooFar",
    "TooFewConfigurations",
    "TooFewMachines",
    "TooFewProfiles",
    "TooFewSettings",
    "TooFewSides",
    "TooFewSizes",
    "TooManyGuesses",
    "TooManyMeasurements",
    "TooManyRequests",
    "TookTooLong",
    "TrialFailed",
    "Unauthenticated",
    "UnitChanged",
    "UnitsUnfit",
    "UnknownChoice",
    "UnknownCommit",
    "UnknownOrigin",
    "UnmatchedName",
    "UnplacedSeries",
    "UnreadableBody",
    "UnreadableFile",
    "UnreadableFiles",
    "UnsupportedContent",
    "ValueMissing",
    "WrongShape",
]
