"""What a process does for the first time when a run is posted, done beforehand.

Modules are loaded, routes are built, connections are opened and statements prepared:
all that takes as long as ten posts, and whoever posts first would wait for it.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Final

import anyio
import orjson
from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.api.runs.bodies import runs_in
from scalewatch.api.runs.routes import AT_ONCE
from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import record_prepared
from scalewatch.storage.database.session import Sessions
from scalewatch.web.garbage import spare_collections

TIMES: Final = 6
"""How often a connection to PostgreSQL executes what it then keeps prepared."""

_NAME: Final = "rehearsal"
_RUN: Final = {
    "schema": 1,
    "id": "b0d9f0c5-6a55-4d0b-9d4e-3c1c2f7a8e11",
    "project": _NAME,
    "suite": _NAME,
    "commit": {"sha": "0" * 40},
    "machine": {"name": _NAME},
    "coordinate": {"p": 1},
    "results": [
        {
            "region": f"{_NAME} {number}",
            "metric": "time",
            "unit": "s",
            "values": [1e-6, 2e-6],
            "procedure": {"synchronisation": "window"},
        }
        for number in range(10)
    ],
}
BODY: Final = orjson.dumps(_RUN)
"""An invented run."""

_SCOPE: Final = {
    "type": "http",
    "method": "POST",
    "path": "/api/v1/runs",
    "root_path": "",
    "headers": [],
}

_LOG: Final = logging.getLogger(__name__)


def begin(app: FastAPI, sessions: Sessions) -> None:
    """Rehearse in a thread, which holds up neither the start nor the end."""

    def run() -> None:
        rehearse(app, sessions)
        spare_collections()  # of what that has loaded

    Thread(target=run, name="scalewatch-rehearsal", daemon=True).start()


def rehearse(app: FastAPI, sessions: Sessions) -> None:
    """Do once what posting does, on PostgreSQL on all connections that it will use."""
    anyio.run(anyio.sleep, 0)
    for route in app.routes:
        route.matches(dict(_SCOPE))
    try:
        post(sessions)
        if sessions.writing.kw["bind"].dialect.name == "postgresql":
            # As many at once as ever, so that each has a connection of its own.
            with ThreadPoolExecutor(AT_ONCE) as threads:
                list(threads.map(post, [sessions] * (TIMES * AT_ONCE)))
    except SQLAlchemyError as error:
        _LOG.warning("no rehearsal: %s", " ".join(str(error).split()))


def post(sessions: Sessions) -> None:
    """Store an invented run, and take it back."""
    posted, _ = runs_in(BODY, "application/json")
    with sessions.writing() as session:
        record_prepared(session, [prepare(one.report, one.text) for one in posted])
        session.rollback()
