"""The OpenAPI description of posted runs, whose body no signature describes."""

from collections.abc import Mapping
from typing import Any, Final

from scalewatch.wire import RunReport

EXAMPLE: Final = {
    "schema": 1,
    "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "project": "mpich",
    "suite": "mpi-collectives",
    "commit": {"sha": "v5.0.2", "committed_at": "2026-02-03T09:30:00Z"},
    "machine": {
        "name": "jureca",
        "fingerprint": {"cpu": "EPYC 7742", "cores": 128, "mpi": "MPICH 5.0.2"},
    },
    "coordinate": {"p": 64},
    "configuration": {"message_bytes": 256, "tasks_per_node": 8},
    "results": [
        {
            "region": "MPI_Allreduce",
            "metric": "time",
            "unit": "s",
            "values": [1.1e-5, 1.2e-5, 1.15e-5],
        }
    ],
}


def request_body() -> dict[str, Any]:
    """Return the OpenAPI description of one run, an array of runs, or JSON Lines."""
    run = _inlined(RunReport.model_json_schema())
    runs = {"type": "array", "items": run, "minItems": 1}
    lines = {"schema": {"type": "string"}}
    return {
        "required": True,
        "description": (
            "One run, an array of runs, or a run per line; as they are, or with "
            "Content-Encoding gzip or zstd. At most 32 MiB once decompressed."
        ),
        "content": {
            "application/json": {"schema": {"anyOf": [run, runs]}, "example": EXAMPLE},
            "application/x-ndjson": lines,
            "application/jsonl": lines,
        },
    }


def _inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema with its definitions in the place of references."""
    definitions = schema.get("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return resolved(definitions[part["$ref"].removeprefix("#/$defs/")])
        return {key: resolved(each) for key, each in part.items() if key != "$defs"}

    inlined: dict[str, Any] = resolved(dict(schema))
    return inlined
