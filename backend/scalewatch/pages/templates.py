"""Templates: how pages are rendered, and what every template can use."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scalewatch.pages import formats, mathematics, sentences
from scalewatch.pages.assets import asset_version
from scalewatch.pages.vocabulary import MEANINGS, RULES
from scalewatch.resources import bundled

Query = Mapping[str, str | list[str] | None]


def render(
    request: Request, template: str, *, status_code: int = 200, **context: Any
) -> HTMLResponse:
    """Answer with a template, to which `context` is known."""
    return TEMPLATES.TemplateResponse(
        request, template, context, status_code=status_code
    )


def path_to(
    request: Request, route: str, query: Query | None = None, **names: str
) -> str:
    """Return the path of a route; any name can stand in it, however it is spelled.

    What is None in the query is left out.
    """
    quoted = {key: quote(name, safe="") for key, name in names.items()}
    path = str(request.scope.get("root_path", "")) + str(
        request.app.url_path_for(route, **quoted)
    )
    stated = {key: value for key, value in (query or {}).items() if value}
    return f"{path}?{urlencode(stated, doseq=True)}" if stated else path


def _context(request: Request) -> dict[str, Any]:
    path = partial(path_to, request)

    def asset(name: str) -> str:
        route = request.app.url_path_for(
            "asset", version=asset_version(name), path=name
        )
        return f"{request.scope.get('root_path', '')}{route}"

    return {"asset": asset, "path": path}


def _combined(query: Query, changed: Query) -> Query:
    """Return a query with some of its parameters changed."""
    return {**query, **changed}


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(bundled("frontend") / "templates"),
        autoescape=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "age": formats.age,
        "big_o": mathematics.big_o,
        "breakable": formats.breakable,
        "combine": _combined,
        "count": formats.count,
        "counts_sentence": sentences.counts_sentence,
        "determination": formats.determination,
        "formula": mathematics.formula,
        "growth": mathematics.growth,
        "moment": formats.moment,
        "number": formats.number,
        "percent": formats.percent,
        "plural": formats.plural,
        "quantity": formats.quantity,
        "sentence": formats.sentence,
        "setting": formats.setting,
        "settings": formats.settings,
        "significant": formats.significant,
        "zip": zip,
    }
    environment.globals |= {
        "flag_places": sentences.flag_places,
        "rules": RULES,
        "scan_sentence": sentences.scan_sentence,
        "states": sentences.STATES,
        "symbols": sentences.SYMBOLS,
        "words": MEANINGS,
    }
    return environment


TEMPLATES: Final = Jinja2Templates(env=_environment(), context_processors=[_context])
