"""`python -m benchmarks [--quick | SERIES] [NAME …]`: print and keep what they measure.

Each script prints its tables and writes them to `results/<script>.md`, from which the
scoreboard of `README.md` is put together; `scoreboard` alone does only the latter. What
measures only a part, as by --quick, is printed but not written. It ends with 1 where a
script found what must not be.
"""

import sys
from importlib import import_module

from benchmarks import scoreboard
from benchmarks.options import asked
from benchmarks.results import Results


def main() -> None:
    """Run what is named, or everything, and renew the scoreboard."""
    failures = []
    for name in asked().names:
        script = import_module(f"benchmarks.{name}")
        results = Results(name, script.__doc__)
        script.main(results)
        results.end()
        if asked().is_whole:
            results.write()
        failures += results.failures
    if asked().is_whole:
        scoreboard.write()
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
