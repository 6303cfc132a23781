"""How probable growths and verdicts are, in one compressed blob for each analysis.

The blob holds a line for each series that a machine measured of a commit, with what
`Likely` names, separated by tabs. JSON has neither tabs nor ends of lines in it, so
that nothing is decoded before somebody asks for it.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

import zstandard
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.lists import among

_LEVEL: Final = 3


class Likely(NamedTuple):
    """Probabilities of a series' growths and verdicts, as JSON that is still encoded.

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
    session: Session, commit_id: int, machine_id: int, probabilities: Probabilities
) -> None:
    """Insert or replace the probabilities of all series of a machine at a commit."""
    keys = {"commit_id": commit_id, "machine_id": machine_id}
    row = keys | {"blob": encode(probabilities)}
    inserts.put(session, tables.Probabilities, [row], keys=tuple(keys))


def at(
    session: Session,
    commit_id: int,
    series: Collection[int] | None = None,
    machines: Collection[int] | None = None,
) -> dict[int, Likely]:
    """Return what is probable of series that were analysed at a commit, of all if None.

    Of a few, the lines of the others are not taken apart; of some machines, those of
    others are not read.
    """
    stored = select(tables.Probabilities.blob).where(
        tables.Probabilities.commit_id == commit_id
    )
    if machines is not None:
        stored = stored.where(among(tables.Probabilities.machine_id, machines))
    blobs = session.scalars(stored)
    probabilities: dict[int, Likely] = {}
    for blob in blobs:
        probabilities.update(decode(blob, series))
    return probabilities


def encode(probabilities: Probabilities) -> bytes:
    """Return probabilities as a blob."""
    lines = (
        f"{series_id}\t{each.growths}\t{each.verdicts}\t{each.expectation_id or ''}"
        for series_id, each in probabilities.items()
    )
    return zstandard.compress("\n".join(lines).encode(), _LEVEL)


def decode(blob: bytes, series: Collection[int] | None = None) -> dict[int, Likely]:
    """Return the probabilities of a blob, of some series or of all."""
    probabilities = {}
    wanted = None if series is None else {f"{each}" for each in series}
    for line in filter(None, zstandard.decompress(blob).decode().split("\n")):
        if wanted is not None and line.partition("\t")[0] not in wanted:
            continue
        series_id, growths, verdicts, stated = line.split("\t")
        expectation_id = int(stated) if stated else None
        probabilities[int(series_id)] = Likely(growths, verdicts, expectation_id)
    return probabilities
