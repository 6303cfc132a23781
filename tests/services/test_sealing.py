"""Secrets that are sealed, and what a stolen backup tells of them."""

import stat

import pytest
import zstandard
from sqlalchemy import select

from scalewatch.errors import KeyMissing
from scalewatch.services.access import sealing
from scalewatch.services.regressions import webhooks
from scalewatch.storage import tables
from scalewatch.storage.database import backups, schema
from scalewatch.storage.database.session import sessions_of
from support import release_0_1_0
from support.recorded import record_project

HIDDEN = "T0A-confidential-B1"
URL = f"http://127.0.0.1:1/hooks/{HIDDEN}?key={HIDDEN}"


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / "keys" / "secrets.key"


@pytest.fixture
def add(sessions, key_file):
    """Add a webhook; return the secret that its author is shown."""
    record_project(sessions, "mpich")

    def add(file=key_file):
        with sessions.writing.begin() as session:
            return webhooks.add(session, "mpich", URL, "ada", file).secret

    return add


def stored(sessions):
    with sessions.reading() as session:
        return session.scalars(
            select(tables.Webhook.secret).order_by(tables.Webhook.id)
        ).all()


def test_backup_does_not_hold_the_secret_nor_its_key(
    add, sessions, engine, key_file, tmp_path
):
    secret = add()

    backups.write(engine, tmp_path / "backup.zst")

    with (tmp_path / "backup.zst").open("rb") as packed:
        whole = zstandard.ZstdDecompressor().stream_reader(packed).read()
    (kept,) = stored(sessions)
    assert kept.encode() in whole
    assert secret.encode() not in whole
    assert HIDDEN.encode() not in whole
    assert secret.removeprefix("swh_").encode() not in whole
    assert sealing.unsealed(kept, key_file) == secret
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert [each.name for each in key_file.parent.iterdir()] == [key_file.name]


def test_secrets_of_one_key_are_sealed_differently(add, sessions, key_file):
    shown = [add(), add()]

    first, second = stored(sessions)
    assert [sealing.unsealed(each, key_file) for each in (first, second)] == shown
    assert first[:40] != second[:40]


@pytest.mark.parametrize(
    "content", [None, b"", bytes(32)], ids=["no", "empty", "other"]
)
def test_without_its_key_no_secret_is_read_and_none_is_added(
    add, sessions, key_file, content
):
    add()
    key_file.unlink()
    if content is not None:
        key_file.write_bytes(content)

    with pytest.raises(KeyMissing, match=r"copy the file from where webhooks"):
        sealing.unsealed(*stored(sessions), key_file)
    with pytest.raises(KeyMissing):
        add()
    with (
        sessions.reading() as session,
        pytest.raises(webhooks.DeliveryRefused, match="copy the file"),
    ):
        webhooks.deliver(session, f"1/{webhooks.NOTHING}", key_file)
    assert key_file.exists() == (content is not None)


def test_secret_of_an_earlier_release_is_sealed_and_signs_on(blank, key_file):
    release_0_1_0.fill(blank)
    schema.upgrade(blank)
    sessions = sessions_of(blank)
    with sessions.writing.begin() as session:
        assert sealing.is_any_plain(session)
        sealing.seal_all(session, key_file)

    (kept,) = stored(sessions)
    assert release_0_1_0.SECRET not in kept
    assert sealing.unsealed(kept, key_file) == release_0_1_0.SECRET
    with sessions.reading() as session:
        (webhook,) = session.scalars(select(tables.Webhook))
    assert webhook.host == "127.0.0.1:1"
    assert "hook" not in webhook.url
    assert sealing.unsealed(webhook.url, key_file) == "http://127.0.0.1:1/hook"
    with sessions.reading() as session:
        assert not sealing.is_any_plain(session)
