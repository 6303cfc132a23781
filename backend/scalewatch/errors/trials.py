"""Trials of configurations that came to nothing."""

from collections.abc import Mapping

from scalewatch.errors.base import ScalewatchError


class TrialFailed(ScalewatchError):
    """A configuration was run, or was to be, and its objective is not known."""

    def __init__(self, settings: Mapping[str, str], reason: str) -> None:
        words = " ".join(f"{name}={value}" for name, value in settings.items())
        super().__init__(f"{words or 'the search'}: {reason}")
        self.settings = dict(settings)
        self.reason = reason
