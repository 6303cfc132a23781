"""How probable growths and verdicts are, in one compressed blob for each analysis.

The blob holds a line for each series that a machine measured of a commit, with what
`Likely` names, separated by tabs. JSON has neither tabs nor ends of lines in it, so
that nothing is decoded before somebody asks for it.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import zstandard
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import bulk

_LEVEL: Final = 3


class Likely(NamedTuple):
    """What can be said of a series: JSON that nobody has decoded yet.

    Parameters
    ----------
    growths, verdicts
        Probabilities by what they are of.
    expectation_id
        By which it was judged; None if it was not.
    """

    growths: str = "{}"
    verdicts: str = "{}"
    expectation_id: int | None = None

    def judged_by(self, expectation_id: int | None) -> "Likely":
        """Return it with what is said of a verdict by this expectation only."""
        if expectation_id is not None and expectation_id == self.expectation_id:
            return self
        return Likely(self.growths)


NOTHING: Final = Likely()

Probabilities = Mapping[int, Likely]
"""By the id of a series."""


def put(
    session: Session, commit_id: int, machine_id: int, found: Probabilities
) -> None:
    """Insert or replace what is probable of all that a machine measured of a commit."""
    keys = {"commit_id": commit_id, "machine_id": machine_id}
    row = keys | {"blob": encode(found)}
    bulk.put(session, tables.Probabilities, [row], keys=tuple(keys))


def at(session: Session, commit_id: int) -> dict[int, Likely]:
    """Return what is probable of all series that were analysed at a commit."""
    blobs = session.scalars(
        select(tables.Probabilities.blob).where(
            tables.Probabilities.commit_id == commit_id
        )
    )
    found: dict[int, Likely] = {}
    for blob in blobs:
        found.update(decode(blob))
    return found


def encode(found: Probabilities) -> bytes:
    """Return probabilities as a blob."""
    lines = (
        f"{series_id}\t{each.growths}\t{each.verdicts}\t{each.expectation_id or ''}"
        for series_id, each in found.items()
    )
    return zstandard.compress("\n".join(lines).encode(), _LEVEL)


def decode(blob: bytes) -> dict[int, Likely]:
    """Return the probabilities of a blob."""
    found = {}
    for line in zstandard.decompress(blob).decode().split("\n"):
        if line:
            series_id, growths, verdicts, by = line.split("\t")
            found[int(series_id)] = Likely(growths, verdicts, int(by) if by else None)
    return found
