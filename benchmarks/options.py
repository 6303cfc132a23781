"""What the command line says to a benchmark."""

import sys


def series(thorough: int, quick: int) -> int:
    """Return how many series a cell has: a number given, or `quick` by --quick."""
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    if numbers:
        return int(numbers[0])
    return quick if "--quick" in sys.argv else thorough


def number(option: str, thorough: float, quick: float) -> float:
    """Return the number behind an option, or else what `series` would."""
    if option in sys.argv:
        return float(sys.argv[sys.argv.index(option) + 1])
    return quick if "--quick" in sys.argv else thorough
