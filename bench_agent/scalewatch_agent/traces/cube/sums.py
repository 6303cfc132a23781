"""Sums of a profile, as the child process writes them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallPath:
    """A call path to a function of MPI, and its sums over all processes by name."""

    function: str
    caller: str
    file: str
    call_path: str
    sums: dict[str, float]


@dataclass(frozen=True, slots=True)
class ProfileSums:
    """A profile: run time and useful times in s, and the call paths to MPI."""

    runtime: float
    useful: list[float]
    paths: list[CallPath]
