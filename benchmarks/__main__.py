"""`python -m benchmarks [--quick | SERIES] [NAME …]`: print tables of the README."""

from importlib import import_module

from benchmarks.options import asked


def main() -> None:
    """Run what is named, or everything."""
    for name in asked().names:
        print(f"\n## {name.replace('_', ' ')}\n")
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
