import pytest

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role


@pytest.fixture
def secret(sessions) -> str:
    """The secret of a token that may do everything."""
    with sessions.writing.begin() as session:
        return tokens.create(session, "ada", Role.ADMIN, None)[1]
