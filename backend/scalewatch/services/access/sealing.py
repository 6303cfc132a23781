"""Secrets that are kept sealed: whoever has the database alone cannot read them.

A secret that is sent to others, as to sign with it, cannot be kept as a digest. It is
encrypted by a key that lies in a file of its own, beside the database and in no backup
of it: with a stream of SHAKE-256 over key and nonce, under an HMAC by which a secret
that another key has sealed is noticed.
"""

import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256, shake_256
from pathlib import Path
from typing import Final

from sqlalchemy.orm import Session

from scalewatch import private_files
from scalewatch.errors import KeyMissing
from scalewatch.storage.work import webhooks

SEALED: Final = "sealed:"
"""Begins a sealed secret; release 0.1.0 kept them as they are."""

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 16


def sealed(session: Session, secret: str, key_file: Path) -> str:
    """Return a secret as it is stored.

    The key is made with the first secret, and never a second one.

    Raises
    ------
    KeyMissing
        If there are sealed secrets and not their key, or it cannot be made.
    """
    known = webhooks.any_secret(session, SEALED)
    if known is not None:
        unsealed(known, key_file)
    elif not key_file.exists():
        try:
            _make_key(key_file)
        except OSError:
            raise KeyMissing(key_file) from None
    key = _key(key_file)
    nonce = secrets.token_bytes(NONCE_BYTES)
    hidden = nonce + _with_stream(secret.encode(), key, nonce)
    return SEALED + urlsafe_b64encode(_tag(hidden, key) + hidden).decode()


def unsealed(stored: str, key_file: Path) -> str:
    """Return a secret that is stored.

    Raises
    ------
    KeyMissing
        If its key is not in this file.
    """
    if not stored.startswith(SEALED):
        return stored
    key = _key(key_file)
    content = urlsafe_b64decode(stored.removeprefix(SEALED))
    tag, hidden = content[:KEY_BYTES], content[KEY_BYTES:]
    if not hmac.compare_digest(tag, _tag(hidden, key)):
        raise KeyMissing(key_file)
    return _with_stream(hidden[NONCE_BYTES:], key, hidden[:NONCE_BYTES]).decode()


def is_any_plain(session: Session) -> bool:
    """Tell whether there are secrets that an earlier release kept as they are."""
    return bool(webhooks.with_other_secrets(session, SEALED))


def seal_all(session: Session, key_file: Path) -> None:
    """Seal the secrets and addresses of webhooks that are not sealed.

    Raises
    ------
    KeyMissing
        If others are sealed, by a key that is not here.
    """
    for row in webhooks.with_other_secrets(session, SEALED):
        if not row.secret.startswith(SEALED):
            row.secret = sealed(session, row.secret, key_file)
        if not row.url.startswith(SEALED):
            row.url = sealed(session, row.url, key_file)


def _key(file: Path) -> bytes:
    try:
        key = file.read_bytes()
    except OSError:
        raise KeyMissing(file) from None
    if len(key) != KEY_BYTES:
        raise KeyMissing(file)
    return key


def _make_key(file: Path) -> None:
    """Write a new key, whole or not at all; another process may have been faster."""
    private_files.make_folder(file.parent)
    unfinished = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with private_files.open_file(unfinished, "xb") as output:
        output.write(secrets.token_bytes(KEY_BYTES))
        output.flush()
        os.fsync(output.fileno())
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return
    finally:
        unfinished.unlink()


def _with_stream(content: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt what is plain, and decrypt what is not."""
    stream = shake_256(b"stream" + key + nonce).digest(len(content))
    return bytes(left ^ right for left, right in zip(content, stream, strict=True))


def _tag(sealed: bytes, key: bytes) -> bytes:
    return hmac.new(key, b"tag" + sealed, sha256).digest()
