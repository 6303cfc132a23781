"""Requests made from the OpenAPI description: no failure, no undocumented status.

Every process that collects tests would load schemathesis, for half a second; only one
needs it.
"""

from fastapi import FastAPI, Response
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings

from scalewatch.app import create_app
from scalewatch.jobs import perform_next
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from support.builders import sweep

EXAMPLES, THOROUGHLY = 4, 16
"""Requests of each operation: so many take seconds, thousands are for a night."""


READ_BY_RULES = {
    "GET /api/v1/projects/{project}/proposal",
    "POST /api/v1/reframe",
    "POST /api/v1/runs",
    "POST /api/v1/import/{file_format}",
}
"""Operations of which a schema cannot say what they accept: a run names each result
once, and its functions take no longer than all of it; a file has a format of others; a
plan is JSON within a text."""


def described(folder):
    """Return the operations of an application that has measurements."""
    engine = connect(f"sqlite:///{folder}/scalewatch.db")
    schema.upgrade(engine)
    app = create_app(engine, embedded_worker=False)
    TestClient(app).post("/api/v1/runs", json=sweep())
    while perform_next(sessions_of(engine), "test"):
        pass
    return operations_of(app, "/api/v1/openapi.json")


def operations_of(app, address):
    """Return the operations that an application describes."""
    import schemathesis  # noqa: PLC0415

    found = schemathesis.openapi.from_asgi(address, app)
    return [operation.ok() for operation in found.get_all_operations()]


def complaint_of(operation, examples=EXAMPLES):
    """Return what is wrong with the answers of an operation, or None.

    All checks of schemathesis, but that valid requests are accepted of `READ_BY_RULES`.
    """
    from schemathesis.core.failures import FailureGroup  # noqa: PLC0415
    from schemathesis.specs.openapi.checks import (  # noqa: PLC0415
        positive_data_acceptance,
    )

    is_free = operation.label in READ_BY_RULES
    excluded = [positive_data_acceptance] if is_free else []

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def answers_as_described(case):
        case.call_and_validate(excluded_checks=excluded)

    try:
        answers_as_described()
    except FailureGroup as failures:
        told = "; ".join(str(each) for each in failures.exceptions)
        return f"{operation.label}: {told}"
    return None


def test_described_requests_are_answered_as_described(tmp_path, thorough):
    examples = THOROUGHLY if thorough else EXAMPLES
    operations = described(tmp_path)

    complaints = [complaint_of(operation, examples) for operation in operations]

    assert len(operations) > 10
    assert [complaint for complaint in complaints if complaint] == []


def test_status_that_is_not_described_is_noticed():
    app = FastAPI()

    @app.get("/tea")
    def brew() -> Response:
        return Response(status_code=418)

    (operation,) = operations_of(app, "/openapi.json")

    assert "418" in (complaint_of(operation) or "")
