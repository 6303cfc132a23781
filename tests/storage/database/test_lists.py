import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.lists import is_among

NAMED = select(tables.Project.name).where(
    is_among(tables.Project.__table__.c.name, "names")
)


@pytest.mark.parametrize(
    "names", [[], ["hydro"], ["hydro", 'a"b,{c}'], ["NULL", "gravity"]], ids=str
)
def test_rows_are_found_that_have_a_value_of_the_list(
    session: Session, names: list[str]
) -> None:
    stored = {"hydro", 'a"b,{c}', "NULL", "mesh"}
    session.add_all(tables.Project(name=name) for name in stored)
    session.flush()

    found = session.scalars(NAMED, {"names": names}).all()

    assert sorted(found) == sorted(stored & {*names})
