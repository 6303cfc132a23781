"""An installation that cannot do what is asked of it."""

from scalewatch.errors.base import ScalewatchError


class InMemoryDatabase(ScalewatchError):
    """A database that the threads of a server cannot share."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"{url} is forgotten at the end; name a file: sqlite:////absolute/path.db"
        )
        self.url = url


class SchemaNotMigrated(ScalewatchError):
    """The database has another schema than this version of the product needs."""

    def __init__(self, found: str | None, needed: str | None, remedy: str) -> None:
        has = f"schema {found}" if found else "no schema yet"
        super().__init__(
            f"the database has {has}, this version needs {needed}: {remedy}"
        )
        self.found = found
        self.needed = needed


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
