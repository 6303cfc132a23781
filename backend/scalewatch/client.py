"""Rows of measurements, models and histories of a server, for scripts and notebooks.

Needs nothing but the base install; `to_pandas` needs pandas.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from scalewatch.errors.records import ScalewatchError

SERVER: Final = "http://127.0.0.1:8000"
SECONDS: Final = 120.0
PLOTLY: Final = "application/vnd.plotly.v1+json"
SHOWN: Final = 20
"""Rows that a notebook shows."""

Row = dict[str, Any]


class ServerRefused(ScalewatchError):
    """A server does not answer, or not what was asked for."""

    def __init__(self, status: int | None, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Rows(Sequence[Row]):
    """Rows of a server, which are read when they are needed, and then kept.

    To iterate reads them one by one and keeps none: of millions, so many fit.
    """

    def __init__(self, read: Callable[[], Iterator[Row]]) -> None:
        self._read = read
        self._kept: list[Row] | None = None

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows as they arrive."""
        return iter(self._kept) if self._kept is not None else self._read()

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._all())

    def __getitem__(self, place: Any) -> Any:
        """Return a row, or several."""
        return self._all()[place]

    def to_pandas(self) -> Any:
        """Return a DataFrame, each parameter and setting in a column of its own."""
        import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore] # noqa: PLC0415

        return pd.DataFrame([_flat(row) for row in self])

    def _repr_html_(self) -> str:
        rows = [_flat(row) for row in self._all()[:SHOWN]]
        names = dict.fromkeys(name for row in rows for name in row)
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names)
            + "</tr>"
            for row in rows
        )
        more = len(self) - len(rows)
        rest = f"<p>and {more:,} more rows</p>" if more else ""
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
        )

    def _all(self) -> list[Row]:
        if self._kept is None:
            self._kept = list(self._read())
        return self._kept


class Figure:
    """A figure of plotly, which shows itself in a notebook."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        title = self.spec.get("layout", {}).get("title", {})
        text = title.get("text", "") if isinstance(title, dict) else str(title)
        return {PLOTLY: self.spec, "text/plain": f"Figure: {text}".rstrip(": ")}


class Client:
    """A server, as scripts and notebooks read it.

    Parameters
    ----------
    server, token
        Unless given, SCALEWATCH_SERVER and SCALEWATCH_TOKEN of the environment.
    """

    def __init__(self, server: str | None = None, token: str | None = None) -> None:
        address = server or os.environ.get("SCALEWATCH_SERVER") or SERVER
        if not address.startswith(("http://", "https://")):
            raise ServerRefused(None, f"{address!r} does not begin with http(s)://")
        self._address = address.rstrip("/")
        self._token = token or os.environ.get("SCALEWATCH_TOKEN")

    def measurements(self, project: str, **chosen: Any) -> Rows:
        """Return a row per repetition.

        Parameters
        ----------
        chosen
            Which of them: commit, machine, region, metric, and configuration as
            settings by name.
        """
        return self._rows(project, "measurements", chosen)

    def models(self, project: str, **chosen: Any) -> Rows:
        """Return a row per model of the newest commit, or of another; `*` is all.

        Parameters
        ----------
        chosen
            As of `measurements`.
        """
        return self._rows(project, "models", chosen)

    def history(self, project: str, region: str, **chosen: Any) -> Rows:
        """Return a row per series and commit: growth, exponent, constant and verdict.

        Parameters
        ----------
        chosen
            Which of them: metric, machine.
        """

        def read() -> Iterator[Row]:
            path = f"projects/{_segment(project)}/history"
            with self._open(path, {"region": region, **chosen}) as answer:
                history = json.load(answer)
            for series in history["series"]:
                for step in series["steps"]:
                    commit = history["commits"][step["position"]]
                    yield {
                        "project": history["project"],
                        "commit": commit["sha"],
                        "committed_at": commit["committed_at"],
                        "machine": series["machine"],
                        "region": series["region"],
                        "metric": history["metric"],
                        "unit": series["unit"],
                        "configuration": series["configuration"],
                        **{key: step[key] for key in step if key != "position"},
                    }

        return Rows(read)

    def figure(self, name: str, project: str, **chosen: Any) -> Figure:
        """Return a figure, such as `scaling`, of a region.

        Parameters
        ----------
        chosen
            As an address of the figure says it: region, machine, metric, commit, …
        """
        query = {"project": project, **chosen}
        with self._open(f"figures/{_segment(name)}", query) as answer:
            return Figure(json.load(answer))

    def _rows(self, project: str, noun: str, chosen: Mapping[str, Any]) -> Rows:
        query = {**chosen, "format": "jsonl"}
        if isinstance(settings := query.get("configuration"), Mapping):
            query["configuration"] = [f"{key}={text}" for key, text in settings.items()]
        path = f"projects/{_segment(project)}/{noun}"

        def read() -> Iterator[Row]:
            cursor: str | None = None
            while True:
                with self._open(path, {**query, "cursor": cursor}) as answer:
                    for line in answer:
                        yield json.loads(line)
                    cursor = answer.headers.get("Scalewatch-Next-Cursor")
                if cursor is None:
                    return

        return Rows(read)

    def _open(self, path: str, query: Mapping[str, Any]) -> HTTPResponse:
        stated = {key: value for key, value in query.items() if value is not None}
        url = f"{self._address}/api/v1/{path}?{urlencode(stated, doseq=True)}"
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        request = Request(url, headers=headers)  # noqa: S310 - see the constructor
        try:
            answer: HTTPResponse = urlopen(request, timeout=SECONDS)  # noqa: S310
        except HTTPError as error:
            raise ServerRefused(error.code, _reason(error)) from None
        except (OSError, HTTPException) as error:
            cause = error.reason if isinstance(error, URLError) else error
            reason = f"{self._address} does not answer: {cause}"
            raise ServerRefused(None, reason) from None
        return answer


def _segment(name: str) -> str:
    return quote(name, safe="")


def _reason(error: HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError, TypeError):
        return f"it answered {error.code}"


def _flat(row: Row) -> Row:
    """Return a row whose nested objects are columns; of equal names the outer stays."""
    flat = {key: value for key, value in row.items() if not isinstance(value, Mapping)}
    for outer, inner in row.items():
        if isinstance(inner, Mapping):
            for key, value in inner.items():
                flat[f"{outer}.{key}" if key in row or key in flat else key] = value
    return flat


def _cell(value: Any) -> str:
    return (
        ""
        if value is None
        else escape(f"{value:.6g}" if isinstance(value, float) else str(value))
    )
