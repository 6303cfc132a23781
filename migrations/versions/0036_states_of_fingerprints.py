"""Fingerprints that differ in what drifts are one state, and histories go on."""

from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

from scalewatch.modelling.machines.states import is_same_state

revision = "0036"
down_revision = "0035"

_FINGERPRINT = sa.table(
    "fingerprint",
    sa.column("id", sa.Integer),
    sa.column("machine_id", sa.Integer),
    sa.column("facts", sa.JSON),
    sa.column("state_id", sa.Integer),
)
_LOCATION = sa.table("location", sa.column("fingerprint_id", sa.Integer))


def upgrade() -> None:
    op.add_column("fingerprint", sa.Column("state_id", sa.Integer))
    first: dict[int, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    rows = op.get_bind().execute(
        sa.select(
            _FINGERPRINT.c.id, _FINGERPRINT.c.machine_id, _FINGERPRINT.c.facts
        ).order_by(_FINGERPRINT.c.id)
    )
    for fingerprint_id, machine_id, facts in rows.all():
        states = first[machine_id]
        alike = (key for key, known in states if is_same_state(known, facts))
        state_id = next(alike, None)
        if state_id is None:
            states.append((fingerprint_id, facts))
            continue
        op.execute(
            sa.update(_FINGERPRINT)
            .where(_FINGERPRINT.c.id == fingerprint_id)
            .values(state_id=state_id)
        )
        op.execute(
            sa.update(_LOCATION)
            .where(_LOCATION.c.fingerprint_id == fingerprint_id)
            .values(fingerprint_id=state_id)
        )
    op.execute(
        "INSERT INTO job (kind, subject, project_id, state, due_at, attempts, "
        "created_at) SELECT 'watch', CAST(project_id AS VARCHAR), project_id, "
        "'queued', CURRENT_TIMESTAMP, 0, CURRENT_TIMESTAMP FROM watch "
        "WHERE NOT EXISTS (SELECT 1 FROM job WHERE "
        "kind = 'watch' AND state = 'queued' AND "
        "subject = CAST(watch.project_id AS VARCHAR))"
    )


def downgrade() -> None:
    # A state again ends where the bytes of a fingerprint change.
    op.execute(
        "UPDATE location SET fingerprint_id = (SELECT run.fingerprint_id FROM run "
        "JOIN series ON series.machine_id = run.machine_id "
        "WHERE series.id = location.series_id AND run.commit_id = location.commit_id "
        "ORDER BY run.id DESC LIMIT 1)"
        " WHERE fingerprint_id IN (SELECT state_id FROM fingerprint)"
    )
    op.drop_column("fingerprint", "state_id")
