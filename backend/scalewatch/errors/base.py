"""The ancestor of every deliberate error."""


class ScalewatchError(Exception):
    """Base class of all deliberate errors."""
