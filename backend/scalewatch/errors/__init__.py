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
  x Stopping
  x NotReady
  x Unauthenticated
    + TokenNeeded
    + TokenUnknown
  x NotPermitted
  x ForeignOrigin
  x ReadOnlyServer
  x DatabaseNotEmpty
  x OtherSchema
  x SchemaNotMigrated
  x InMemoryDatabase
  x KeyMissing
  x MissingExtra
  x NotARun
  x UnknownOrigin
  x UnknownOrder
  x TrialFailed
  x BadPattern
  x BadSetting
  x BadDerivation
  x UnreadableFiles
  x UnreadableFile
    + MalformedFile
      - UnclearTable
    + NoMeasurements
      - NoResults
        * NoSuchLine
    + MissingReader
    + TooManyMeasurements
    + UnmatchedName
    + UnplacedSeries
  x NoStore
  x StoreUnwritable

An error carries the evidence as attributes, and writes its own message. What an
error means over HTTP is decided in `scalewatch.api.http.problems`, nowhere else.
"""

from scalewatch.errors.files import *
from scalewatch.errors.modelling import *
from scalewatch.errors.operations import *
from scalewatch.errors.records import *
from scalewatch.errors.requests import *
