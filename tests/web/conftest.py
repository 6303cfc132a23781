from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import update

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.tables import now


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def bearer(sessions) -> Callable[..., dict[str, str]]:
    """Make a token; return the header that shows it."""

    def make(role="admin", project="mpich", *, is_expired=False):
        with sessions.writing.begin() as session:
            token, secret = tokens.create(session, f"{role}er", Role(role), project)
            if is_expired:
                session.execute(
                    update(tables.Token)
                    .where(tables.Token.prefix == token.prefix)
                    .values(expires_at=now() - timedelta(seconds=1))
                )
        return {"Authorization": f"Bearer {secret}"}

    return make


@pytest.fixture
def make_private(sessions) -> Callable[[str], None]:
    def make(name):
        with sessions.writing.begin() as session:
            project = projects.find_or_create(session, name)
            projects.change_policy(session, project.id, {"is_private": True})

    return make
