"""Requests made from the OpenAPI description: no failure, no undocumented status."""

import schemathesis
from fastapi import FastAPI, Response
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import status_code_conformance

from scalewatch.app import create_app
from scalewatch.jobs import perform_next
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from support.builders import sweep

EXAMPLES, THOROUGHLY = 4, 16
"""Requests of each operation: so many take seconds, thousands are for a night."""


def described(folder):
    """Return the description of an application that has measurements."""
    engine = connect(f"sqlite:///{folder}/scalewatch.db")
    schema.upgrade(engine)
    app = create_app(engine, embedded_worker=False)
    TestClient(app).post("/api/v1/runs", json=sweep())
    while perform_next(sessions_of(engine), "test"):
        pass
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


def complaint_of(operation, examples=EXAMPLES):
    """Return what is wrong with the answers of an operation, or None."""

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def answers_as_described(case):
        case.call_and_validate(checks=[not_a_server_error, status_code_conformance])

    try:
        answers_as_described()
    except FailureGroup as failures:
        told = "; ".join(str(each) for each in failures.exceptions)
        return f"{operation.label}: {told}"
    return None


def test_described_requests_are_answered_as_described(tmp_path, thorough):
    examples = THOROUGHLY if thorough else EXAMPLES
    operations = [found.ok() for found in described(tmp_path).get_all_operations()]

    complaints = [complaint_of(operation, examples) for operation in operations]

    assert len(operations) > 10
    assert [complaint for complaint in complaints if complaint] == []


def test_status_that_is_not_described_is_noticed():
    app = FastAPI()

    @app.get("/tea")
    def brew() -> Response:
        return Response(status_code=418)

    (found,) = schemathesis.openapi.from_asgi("/openapi.json", app).get_all_operations()

    assert "418" in (complaint_of(found.ok()) or "")
