"""Everything scalewatch raises on purpose.

* ScalewatchError
  x ModellingError
    + BadExpression
    + TooFewSettings
  x NotFound
  x Conflict
    + RunAlreadyRecorded
  x MissingExtra

An error carries the evidence as attributes, and writes its own message. What an
error means over HTTP is decided in `scalewatch.api.problems`, nowhere else.
"""


class ScalewatchError(Exception):
    """Base class of all deliberate errors."""


class ModellingError(ScalewatchError):
    """A model cannot be derived from the given measurements."""


class BadExpression(ModellingError):
    """A growth expression cannot be read."""

    def __init__(self, text: str, position: int, expected: str) -> None:
        found = f"{text[position]!r}" if position < len(text) else "the end"
        super().__init__(
            f"cannot read {text!r}: at position {position + 1}, "
            f"expected {expected}, found {found}"
        )
        self.text = text
        self.position = position
        self.expected = expected


class TooFewSettings(ModellingError):
    """Fewer distinct settings of the parameter than a model needs."""

    def __init__(self, settings: int, needed: int) -> None:
        super().__init__(f"{needed} distinct settings needed, {settings} measured")
        self.settings = settings
        self.needed = needed


class NotFound(ScalewatchError):
    """A named thing does not exist."""

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"no {kind} {str(key)!r}")
        self.kind = kind
        self.key = key


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


class MissingExtra(ScalewatchError):
    """A command needs packages that the base install leaves out."""

    def __init__(self, command: str, package: str, extra: str) -> None:
        super().__init__(
            f"`scalewatch {command}` needs {package}, which is not installed: "
            f"pip install 'scalewatch[{extra}]'"
        )
        self.command = command
        self.package = package
        self.extra = extra
