"""What the command line says to a benchmark."""

import sys


def series(thorough: int, quick: int) -> int:
    """Return how many series a cell has: a number given, or `quick` by --quick."""
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    if numbers:
        return int(numbers[0])
    return quick if "--quick" in sys.argv else thorough
