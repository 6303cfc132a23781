"""Files of measurements that cannot be read."""

from collections.abc import Mapping, Sequence

from scalewatch.errors.operations import pip_install
from scalewatch.errors.records import ScalewatchError


def printable(text: str) -> str:
    """Return a text in one line, without what would steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


class UnreadableFile(ScalewatchError):
    """A file of measurements cannot be read."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(printable(f"cannot read {source}: {reason}"))
        self.source = source
        self.reason = reason


class UnreadableFiles(ScalewatchError):
    """A posted file, or files of a posted archive, cannot be read."""

    def __init__(self, faults: Sequence[str]) -> None:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{faults[0]}{more}")
        self.faults = tuple(faults)


class TooManyMeasurements(UnreadableFile):
    """A file holds more than may be read of it."""

    def __init__(self, source: str, most: int) -> None:
        super().__init__(source, f"it holds more than {most:,} measurements")


class NoMeasurements(UnreadableFile):
    """A file is whole, and tells of nothing that was measured."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "it holds no measurements")


class NoResults(NoMeasurements):
    """A file belongs to the results of a tool, and holds none itself."""


class NoSuchLine(NoResults):
    """No line of a log is like the patterns of lines with a value."""

    def __init__(self, source: str, reason: str) -> None:
        UnreadableFile.__init__(self, source, reason)


class MissingReader(UnreadableFile):
    """A format is read by a package that is not installed."""

    def __init__(self, source: str, package: str, extra: str) -> None:
        super().__init__(
            source,
            f"its format is read by {package}, which is not installed: "
            + pip_install(extra),
        )
        self.extra = extra


class MalformedFile(UnreadableFile):
    """A file of measurements breaks the rules of its format."""

    def __init__(self, source: str, place: str, expected: str, actual: str) -> None:
        super().__init__(source, f"{place}: expected {expected}, found {actual}")
        self.place = place
        self.expected = expected
        self.actual = actual


class UnclearTable(MalformedFile):
    """A table does not say which of its columns are settings or values.

    `is_in_text` tells that it stands in a text, which may have it for other purposes.
    """

    def __init__(
        self,
        source: str,
        place: str,
        expected: str,
        actual: str,
        *,
        is_in_text: bool = False,
    ) -> None:
        super().__init__(source, place, expected, actual)
        self.is_in_text = is_in_text


class NotARun(ScalewatchError):
    """Measurements of a file cannot be posted as a run."""

    def __init__(
        self,
        coordinate: Mapping[str, object],
        field: str,
        fault: str,
        source: str | None = None,
    ) -> None:
        at = ", ".join(f"{name} = {value}" for name, value in coordinate.items())
        of = f" of {source}" if source else ""
        super().__init__(f"what was measured at {at}{of} is no run: {field}: {fault}")
        self.coordinate = dict(coordinate)
        self.field = field
        self.fault = fault


class UnknownOrigin(ScalewatchError):
    """Neither a file nor who imports it says of which commit or machine it is."""

    def __init__(self, source: str | None, *missing: str) -> None:
        options = " and ".join(f"--{each}" for each in missing)
        says = "says it" if len(missing) == 1 else "say them"
        super().__init__(
            f"{source or 'a file'} does not say its {' and '.join(missing)}; "
            f"{options} {says} for files that do not"
        )
        self.missing = missing


class UnknownCommit(ScalewatchError):
    """Files know commits, and not the one that is asked for, or several like it."""

    def __init__(
        self, reference: str, commits: Sequence[str], *, is_ambiguous: bool
    ) -> None:
        listed = ", ".join(each[:12] for each in commits[-3:])
        more = f" and {len(commits) - 3} more" if len(commits) > 3 else ""
        fault = "may be several commits" if is_ambiguous else "is no commit"
        super().__init__(
            printable(f"{reference} {fault} of these files; they have {listed}{more}")
        )


class UnknownOrder(ScalewatchError):
    """Files know several commits, and neither parents nor times say their order."""

    def __init__(self, commits: Sequence[str], wanted: str, option: str) -> None:
        super().__init__(
            f"nothing says which of the {len(commits)} commits of these files is the "
            f"{wanted}: they have no parents among each other and no times; name it "
            f"by {option}"
        )


class UnmatchedName(UnreadableFile):
    """A name or a path is not of the pattern that was given for it."""

    def __init__(self, source: str, name: str, pattern: str) -> None:
        super().__init__(source, f"{name!r} is not of the pattern {pattern!r}")
        self.name = name


class UnplacedSeries(UnreadableFile):
    """Nothing says at which parameters a file, or regions of it, were measured."""

    def __init__(
        self,
        source: str,
        regions: Sequence[str] = (),
        launched: float | None = None,
        *,
        is_in_names: bool = False,
    ) -> None:
        others = f" and {len(regions) - 1} others" if len(regions) > 1 else ""
        what = f"{regions[0]}{others}" if regions else "it"
        super().__init__(
            source,
            f"it does not say at which p {what} was measured; "
            + ("`--name '{region}/{n}'` reads names, or " if is_in_names else "")
            + "`--at p=8`, `--path 'run-{p}.out'` or `--derive 'p = nodes * 4'` says "
            "that for it"
            + (
                f"; a launcher before it started {launched:g} processes, which "
                "`--trust-launcher` takes"
                if launched
                else ""
            ),
        )


class BadPattern(ScalewatchError):
    """A pattern of names cannot be understood."""

    def __init__(self, pattern: str, fault: str) -> None:
        super().__init__(f"the pattern {pattern!r} {fault}")


class BadSetting(ScalewatchError):
    """A setting, or a direction, that is stated cannot be understood."""

    def __init__(self, name: str, stated: object, expected: str) -> None:
        setting = f"{name} {stated}" if name else repr(stated)
        super().__init__(f"{setting} is not {expected}")


class BadDerivation(ScalewatchError):
    """A derivation of a setting cannot be understood, or has no value."""

    def __init__(self, text: str, fault: str) -> None:
        super().__init__(f"cannot derive {text!r}: {fault}")


class NoStore(ScalewatchError):
    """Nothing can be read where a store of run reports was named."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(printable(f"{where} is no store that can be read: {reason}"))
        self.where = where
        self.reason = reason


class StoreUnwritable(ScalewatchError):
    """Runs cannot be added to a store, which stays as it was."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(
            printable(f"{where} cannot be written: {reason}; nothing was added")
        )
        self.where = where
        self.reason = reason
