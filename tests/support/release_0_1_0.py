"""A database of release 0.1.0, as a recipe: its schema, and rows as it wrote them."""

import json
from collections.abc import Mapping
from typing import Any, Final

import zstandard
from sqlalchemy import Engine, text

from scalewatch.storage.database import schema
from support.builders import run

REVISION: Final = "0034"

RUN: Final = run()
"""As posted; its digest covers all fields that the release knew."""

OLDER: Final = run(id="00000000-0000-0000-0000-000000000002", coordinate={"p": 8})
"""As posted to a version before it, without authors, repositories and locations."""

FORGOTTEN: Final = run(id="00000000-0000-0000-0000-000000000003", coordinate={"p": 16})
"""A run whose repetitions were thinned: its content is forgotten."""

SECRET: Final = "swh_of release 0.1.0"  # noqa: S105 - of nobody
"""Signs the deliveries of a webhook."""

_PAYLOADS: Final[Mapping[str, dict[str, Any] | None]] = {
    "aa35597f107792f47f820d2e557671c8c347bf7c1d7fb04d43b144796e9e8fa4": RUN,
    "62f37a6596f4f15810ea371a7ce0951d43257062e1cefe4ab36763a0b2bbb455": OLDER,
    "5cdef97de7516d979e89c4763129afb46667c70604743b3355de85abfdefbdfa": None,
}
"""What is kept of each run, by the digest that was computed when it was posted."""

_ROWS: Final = """
INSERT INTO project (id, name, created_at)
VALUES (1, 'mpich', '2026-11-01 00:00:00');
INSERT INTO "commit" (id, project_id, sha, parents, first_run_at)
VALUES (1, 1, 'v5.0.2', '[]', '2026-11-01 00:00:00');
INSERT INTO machine (id, project_id, name) VALUES (1, 1, 'jureca');
INSERT INTO fingerprint (id, machine_id, digest, facts, first_seen_at)
VALUES
  (1, 1, '8f4f49d9322fb56a6e47e787b61b1633d762c19c479ad542e6de0a5b7d00999a',
   '{"cores"\\: 128}', '2026-11-01 00:00:00');
INSERT INTO configuration (id, project_id, digest, settings)
VALUES
  (1, 1, 'fae69e394f53fb60a101e20da95d0b47fd9779836e7ada2317999d6d1ba75635',
   '{"message_bytes"\\: 256}');
INSERT INTO run (id, uuid, commit_id, machine_id, fingerprint_id, configuration_id,
  suite, coordinate, received_at)
VALUES
  (1, '00000000000000000000000000000001', 1, 1, 1, 1, 'mpi-collectives',
   '{"p"\\: 4}', '2026-11-01 00:00:00'),
  (2, '00000000000000000000000000000002', 1, 1, 1, 1, 'mpi-collectives',
   '{"p"\\: 8}', '2026-11-01 00:00:00'),
  (3, '00000000000000000000000000000003', 1, 1, 1, 1, 'mpi-collectives',
   '{"p"\\: 16}', '2026-11-01 00:00:00');
INSERT INTO webhook (id, project_id, url, secret, author, created_at)
VALUES
  (1, 1, 'http://127.0.0.1:1/hook', 'swh_of release 0.1.0', 'ada',
   '2026-11-01 00:00:00');
INSERT INTO job (kind, subject, state, attempts, created_at, finished_at)
VALUES
  ('analyse', '1/1', 'done', 1, '2026-11-01 00:00:00', '2026-11-01 00:00:00')
"""


def fill(blank: Engine) -> None:
    """Make a database of the release of one without a schema."""
    schema.upgrade(blank, REVISION)
    with blank.begin() as connection:
        for statement in _ROWS.split(";"):
            connection.execute(text(statement))
        for key, (digest, posted) in enumerate(_PAYLOADS.items(), start=1):
            body = posted and zstandard.compress(json.dumps(posted).encode())
            connection.execute(
                text("INSERT INTO payload VALUES (:run, :digest, :body)"),
                {"run": key, "digest": digest, "body": body or b""},
            )
