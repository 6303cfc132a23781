"""Keep where webhooks are apart from their addresses, which the server seals.

What was noted of additions keeps the host alone, too.
"""

from urllib.parse import urlsplit

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"

ADDED = "webhook added"


def upgrade() -> None:
    op.add_column(
        "webhook", sa.Column("host", sa.String, nullable=False, server_default="")
    )
    connection = op.get_bind()
    webhook = sa.table("webhook", sa.column("id"), sa.column("url"), sa.column("host"))
    audit = sa.table(
        "audit", sa.column("id"), sa.column("action"), sa.column("subject")
    )
    for key, url in connection.execute(sa.select(webhook.c.id, webhook.c.url)).all():
        changed = sa.update(webhook).where(webhook.c.id == key)
        connection.execute(changed.values(host=_host(url)))
    noted = sa.select(audit.c.id, audit.c.subject).where(audit.c.action == ADDED)
    for key, subject in connection.execute(noted).all():
        changed = sa.update(audit).where(audit.c.id == key)
        connection.execute(changed.values(subject=_host(subject or "")))


def downgrade() -> None:
    op.drop_column("webhook", "host")


def _host(url: str) -> str:
    """Return where an address is, without a user or a password."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:  # of a release that took any text
        return ""
