"""Backups that do not fit into a database."""

from scalewatch.errors.base import ScalewatchError


class DatabaseNotEmpty(ScalewatchError):
    """A backup is to be restored where there is something already."""

    def __init__(self, table: str) -> None:
        super().__init__(
            f"the database has rows already (table {table!r}); restore into an empty "
            "one: set SCALEWATCH_HOME or SCALEWATCH_DATABASE_URL"
        )
        self.table = table


class OtherSchema(ScalewatchError):
    """A backup was made by another version of the product."""

    def __init__(self, found: str, needed: str | None) -> None:
        super().__init__(
            f"the backup has schema {found}, this version needs {needed}: restore it "
            "with the version that made it, then run `scalewatch migrate` of this one"
        )
        self.found = found
        self.needed = needed
