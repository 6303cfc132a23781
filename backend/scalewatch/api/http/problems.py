"""Errors over HTTP, as RFC 9457 problem documents."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from scalewatch import errors
from scalewatch.web.requests import REQUEST_ID

_WORD_BEGINS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[Mapping[type[errors.ScalewatchError], int]] = {
    errors.AmbiguousReference: 409,
    errors.BadDerivation: 422,
    errors.BadPattern: 422,
    errors.BadSetting: 422,
    errors.BodyTooLarge: 413,
    errors.CompositionError: 422,
    errors.Conflict: 409,
    errors.ForeignOrigin: 403,
    errors.ReadOnlyServer: 403,
    errors.KeyMissing: 503,
    errors.ModellingError: 422,
    errors.MissingExtra: 501,
    errors.NotAcceptable: 406,
    errors.NotFound: 404,
    errors.NotPermitted: 403,
    errors.NotReady: 503,
    errors.Refused: 422,
    errors.SchemaNotMigrated: 503,
    errors.Stopping: 503,
    errors.TookTooLong: 503,
    errors.TooManyRequests: 429,
    errors.Unauthenticated: 401,
    errors.UnknownOrigin: 422,
    errors.UnreadableBody: 400,
    errors.UnreadableFiles: 422,
    errors.UnsupportedContent: 415,
}
"""The status of an error is that of its nearest ancestor here."""

ACCEPTS: Final = {"Content-Encoding": "Accept-Encoding", "Content-Type": "Accept-Post"}
"""The header that answers an unsupported one."""

SCHEMAS: Final = "#/components/schemas/{model}"
"""Where the OpenAPI description keeps a schema."""

LATER: Final = "30"
"""Seconds after which a busy server is asked again."""

MOST_ERRORS: Final = 50
"""More wrong fields than anybody reads are not listed."""


class FieldError(BaseModel):
    """A fault of a field."""

    field: str = Field(examples=["results.0.values"])
    message: str = Field(examples=["a result that is ok needs a value"])


class Problem(BaseModel):
    """Why a request was not answered as asked (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:scalewatch:problem:invalid-report"])
    title: str = Field(examples=["Invalid report"])
    status: int = Field(examples=[422])
    detail: str = Field(
        examples=["results.0.values: a result that is ok needs a value"]
    )
    instance: str = Field(examples=["/api/v1/runs"])
    errors: list[FieldError] = []


def status_of(error: errors.ScalewatchError) -> int:
    """Return the HTTP status that an error means."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def headers_of(error: errors.ScalewatchError) -> dict[str, str]:
    """Return the headers that an error means."""
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, errors.UnsupportedContent):
        return {ACCEPTS[error.header]: ", ".join(error.known)}
    if isinstance(error, errors.TooManyRequests):
        return {"Retry-After": str(error.seconds)}
    if isinstance(error, errors.Stopping | errors.TookTooLong):
        return {"Retry-After": LATER}
    return {}


def problem_of(request: Request, error: errors.ScalewatchError) -> Response:
    """Answer a deliberate error; its evidence becomes part of the document."""
    evidence: dict[str, Any] = {}
    if isinstance(error, errors.InvalidReport):
        evidence["errors"] = _errors(error.faults)
    if isinstance(error, errors.UnreadableFiles):
        evidence["errors"] = _errors([("", fault) for fault in error.faults])
    if isinstance(error, errors.BadExpression):
        evidence |= {"position": error.position, "expected": error.expected}
    name = type(error).__name__
    return _document(
        request, status_of(error), name, str(error), evidence, headers_of(error)
    )


def problem_of_http(request: Request, error: HTTPException) -> Response:
    """Answer what the framework refuses: an unknown path or method."""
    name = HTTPStatus(error.status_code).phrase.replace(" ", "")
    return _document(
        request, error.status_code, name, str(error.detail), {}, error.headers or {}
    )


def problem_of_fields(request: Request, error: RequestValidationError) -> Response:
    """Answer wrong fields of a query, a path or a body."""
    evidence: dict[str, Any] = {"errors": _errors(_faults(error))}
    positions = [
        fault["ctx"]["position"]
        for fault in error.errors()
        if fault["type"] == "bad_expression"
    ]
    if positions:
        evidence["position"] = positions[0]
    detail = detail_of_fields(error)
    return _document(request, 422, "InvalidRequest", detail, evidence, {})


def detail_of_fields(error: RequestValidationError) -> str:
    """Return in one line which fields are wrong, and why."""
    return "; ".join(": ".join(filter(None, fault)) for fault in _faults(error)[:3])


def problem_of_failure(request: Request) -> Response:
    """Answer a failure of ours, without its details."""
    return _document(
        request, 500, "InternalServerError", failure(), {"request": request_id()}, {}
    )


def request_id() -> str | None:
    """Return the id by which the log knows the present request."""
    return REQUEST_ID.get()


def failure() -> str:
    """Return what one may know of a failure of ours."""
    return f"the server failed; its log says why, at request {request_id()}"


def unavailable(reason: str) -> str:
    """Say that the database is away, and why."""
    return f"the database does not answer: {reason}; try again in a few seconds"


def problem_of_database(request: Request, reason: str) -> Response:
    """Answer that the database is away; agents keep their runs and come back."""
    detail, headers = unavailable(reason), {"Retry-After": "5"}
    return _document(request, 503, "ServiceUnavailable", detail, {}, headers)


def of(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of a route's problems.

    They refer to the schema that `schemas` defines: as a model of each answer, the
    framework would prepare it a thousand times.
    """
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {
                MEDIA_TYPE: {"schema": {"$ref": SCHEMAS.format(model="Problem")}}
            },
        }
        for status in statuses
    }


def schemas() -> dict[str, Any]:
    """Return the schemas to which the documentation of problems refers, by name."""
    _, described = models_json_schema(
        [(Problem, "serialization")], ref_template=SCHEMAS
    )
    return dict(described["$defs"])


def _document(  # noqa: PLR0913, PLR0917 - the parts of a problem document
    request: Request,
    status: int,
    name: str,
    detail: str,
    evidence: Mapping[str, Any],
    headers: Mapping[str, str],
) -> Response:
    words = _WORD_BEGINS.sub(" ", name).capitalize()
    content = {
        "type": f"urn:scalewatch:problem:{words.lower().replace(' ', '-')}",
        "title": words,
        "status": status,
        "detail": detail,
        "instance": request.url.path,
        **evidence,
    }
    return Response(
        orjson.dumps(content), status, media_type=MEDIA_TYPE, headers=dict(headers)
    )


def _faults(error: RequestValidationError) -> list[tuple[str, str]]:
    return [
        (".".join(str(part) for part in fault["loc"][1:]), str(fault["msg"]))
        for fault in error.errors()
    ]


def _errors(faults: Sequence[tuple[str, str]]) -> list[Mapping[str, str]]:
    return [
        {"field": field, "message": message} for field, message in faults[:MOST_ERRORS]
    ]
