"""The complaint of a program that failed, in one line."""

from collections.abc import Sequence


def complaint(last_words: Sequence[str]) -> str:
    """Return the line of standard error that says most, behind a colon, if any does."""
    lines = [line.strip() for line in last_words]
    lines = [line for line in lines if line.strip("- *=")]
    errors = [line for line in lines if "error" in line.lower()]
    return f": {(errors or lines)[-1][:500]}" if lines else ""
