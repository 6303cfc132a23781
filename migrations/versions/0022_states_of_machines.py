"""First and last runs of each state of a machine, by an index."""

from alembic import op

revision = "0022"
down_revision = "0021"

_BEFORE = ["machine_id", "received_at"]
_AFTER = [*_BEFORE, "fingerprint_id"]


def upgrade() -> None:
    _replace(_BEFORE, _AFTER)


def downgrade() -> None:
    _replace(_AFTER, _BEFORE)


def _replace(former: list[str], columns: list[str]) -> None:
    op.drop_index(f"ix_run_{'_'.join(former)}", "run")
    op.create_index(f"ix_run_{'_'.join(columns)}", "run", columns)
