"""Templates: how pages are rendered, and what every template can use."""

from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from sqlalchemy.orm import Session

from scalewatch.figures.colours import GROWTH_CLASSES, class_of_text
from scalewatch.pages.rendering import (
    addresses,
    assets,
    cells,
    navigation,
    sheets,
    vocabulary,
)
from scalewatch.pages.wording import (
    formats,
    intervals,
    marks,
    mathematics,
    outlooks,
    sentences,
)
from scalewatch.resources import bundled
from scalewatch.services.machines.machine import origins_of
from scalewatch.services.shared_cores import crowded_sentence
from scalewatch.texts.numbers import significant
from scalewatch.web.sessions import CALLER, SESSION

THEMES: Final = ("light", "dark")


def render(
    request: Request, template: str, *, status_code: int = 200, **context: Any
) -> HTMLResponse:
    """Answer with a template, to which `context` is known."""
    return TEMPLATES.TemplateResponse(
        request, template, context, status_code=status_code
    )


def _context(request: Request) -> dict[str, Any]:
    # A theme that nobody chose is left to the system.
    chosen = request.cookies.get("theme")
    root = request.scope.get("root_path", "")
    # The session knows what its reader may see; a page of an error has none.
    session: Session | None = getattr(request.state, SESSION, None)
    project = request.path_params.get("project")
    caller = getattr(request.state, CALLER, None)
    return {
        "asset": lambda name: f"{root}{_asset_path(request.app, name)}",
        "caller": caller,
        "logged_in_as": caller.name if caller and caller.token_id else None,
        "frozen": navigation.is_frozen(request),
        "is_behind": navigation.has_delay(request),
        "login_path": navigation.login_path(request),
        "path": partial(addresses.path_to, request),
        "origins": origins_of(session, str(project)) if session and project else (),
        "embed": partial(addresses.embed_of, request),
        "url": partial(addresses.address_of, request),
        "live_events": navigation.live_events(request),
        "project_menu": partial(navigation.project_menu, request),
        "server": _server(request),
        "site_menu": navigation.site_menu(request),
        "theme": chosen if chosen in THEMES else None,
    }


def _server(request: Request) -> str:
    """Return the address that commands name: a file does not know any."""
    return "SERVER" if navigation.is_frozen(request) else str(request.base_url)[:-1]


@lru_cache(maxsize=1024)
def _asset_path(app: FastAPI, name: str) -> str:
    """Return the path of a static file; the search for its route is not repeated."""
    return str(app.url_path_for("asset", version=assets.asset_version(name), path=name))


@pass_context
def _age(context: Context, moment: datetime | None) -> str:
    """Write how long ago a moment was; in a file that is kept, when it was."""
    if moment is not None and context.get("frozen"):
        return formats.moment(moment)
    return formats.age(moment)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(bundled("frontend") / "templates"),
        # Templates change with a release only: asking each file at each request whether
        # it has changed takes a twentieth of a page's time.
        auto_reload=False,
        autoescape=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "age": _age,
        "big_o": mathematics.big_o,
        "breakable": formats.breakable,
        "combine": lambda query, changed: {**query, **changed},
        "count": formats.count,
        "counts_sentence": sentences.counts_sentence,
        "day": formats.day,
        "dot": marks.dot,
        "determination": formats.determination,
        "exact_formula": mathematics.exact_formula,
        "formula": mathematics.formula,
        "found_growth": mathematics.found_growth,
        "whole_options": formats.whole_options,
        "whole_settings": formats.whole_settings,
        "growth": mathematics.growth,
        "moment": formats.moment,
        "number": formats.number,
        "percent": formats.percent,
        "picture": addresses.picture_of,
        "plural": formats.plural,
        "change_in_percent": formats.change_in_percent,
        "quantity": formats.quantity,
        "sentence": formats.sentence,
        "stated": formats.stated,
        "fact": formats.fact,
        "held": formats.held,
        "is_long": formats.is_long,
        "named": formats.named,
        "setting": formats.setting,
        "settings": formats.settings,
        "significant": significant,
        "stated_growth": mathematics.stated_growth,
        "stated_order": mathematics.stated_order,
        "zip": zip,
    }
    environment.globals |= {
        "assumption_sentence": outlooks.assumption_sentence,
        "change_mark": marks.change_mark,
        "nothing_compared": marks.NOTHING_COMPARED,
        "outcome_mark": marks.outcome_mark,
        "cost_sentence": outlooks.cost_sentence,
        "crowded_sentence": crowded_sentence,
        "exact_sentence": sentences.exact_sentence,
        "growth_class": class_of_text,
        "growth_classes": GROWTH_CLASSES,
        "factor_words": intervals.factor_words,
        "scale_words": intervals.scale_words,
        "failed_words": sentences.failed_words,
        "flag_places": sentences.flag_places,
        "forecast_sentence": outlooks.forecast_sentence,
        "forecast_written": intervals.forecast_written,
        "hidden_sentence": outlooks.hidden_sentence,
        "heat_row": cells.heat_row,
        "heat_panels": cells.panels,
        "held_sentence": outlooks.held_sentence,
        "level_sentence": outlooks.level_sentence,
        "residual_sentence": outlooks.residual_sentence,
        "machines_sentence": sentences.machines_sentence,
        "misfit_sentence": sentences.misfit_sentence,
        "unlike_repetitions": sentences.unlike_repetitions,
        "rounded": intervals.rounded,
        "rules": vocabulary.RULES,
        "scan_sentence": sentences.scan_sentence,
        "scan_verdict": marks.scan_verdict,
        "share": formats.share,
        "state_words": sentences.state_words,
        "twice_sentence": outlooks.twice_sentence,
        "wall_sentence": outlooks.wall_sentence,
        "proposal_sentence": outlooks.proposal_sentence,
        "strip": sheets.strip,
        "table_cells": cells.table_cells,
        "tight_counts": marks.tight_counts,
        "verdict": marks.verdict,
        "words": vocabulary.MEANINGS,
    }
    return environment


TEMPLATES: Final = Jinja2Templates(env=_environment(), context_processors=[_context])
