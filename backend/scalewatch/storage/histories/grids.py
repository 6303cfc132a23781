"""Queries on grids: the settings at which series were measured together."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.digests import canonical, digest_of
from scalewatch.storage.database.inserts import insert_or_find


class Grid(NamedTuple):
    """Parameters that varied, and the settings measured, in their order."""

    parameters: tuple[str, ...]
    settings: tuple[tuple[float, ...], ...]

    @property
    def digest(self) -> str:
        """Equal for equal grids."""
        return digest_of(canonical([self.parameters, self.settings]))


def ids_of(session: Session, grids: Iterable[Grid]) -> dict[Grid, int]:
    """Return the ids of grids, new or not: most of them are measured at each commit."""
    wanted = {grid.digest: grid for grid in grids}
    table = tables.Grid
    known = session.execute(
        select(table.digest, table.id).where(table.digest.in_(sorted(wanted)))
    )
    ids = {wanted[digest]: grid_id for digest, grid_id in known.all()}
    for digest, grid in sorted(wanted.items()):
        if grid not in ids:
            ids[grid] = insert_or_find(
                session, table, {"digest": digest}, grid._asdict()
            )
    return ids
