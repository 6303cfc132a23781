"""Forms of webhooks."""

from fastapi import APIRouter, Request, Response

from scalewatch.errors import InvalidReport
from scalewatch.pages.rendering.downloads import Format
from scalewatch.pages.settings import back_to_settings, settings_page
from scalewatch.services.access import callers
from scalewatch.services.regressions import webhooks
from scalewatch.web.protection.forms import Form, FormDep
from scalewatch.web.sessions import AdminDep

LONGEST = 2000
"""Letters of an address."""

router = APIRouter(include_in_schema=False, prefix="/p/{project}/settings/webhooks")


@router.post("", name="add-webhook")
def add_webhook(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Add a webhook, and show its secret, once."""
    url = form.text("url") or ""
    if len(url) > LONGEST:
        raise InvalidReport([("url", f"at most {LONGEST:,} letters")])
    added = webhooks.add(session, project, url, callers.caller_of(session).name)
    return settings_page(request, session, Format.HTML, project=project, webhook=added)


@router.post("/remove", name="remove-webhook")
def remove_webhook(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Remove a webhook."""
    webhooks.remove(session, project, _number(form))
    return back_to_settings(request, project)


@router.post("/test", name="test-webhook")
def test_webhook(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Send a test delivery to a webhook."""
    webhooks.test(session, project, _number(form))
    return back_to_settings(request, project)


def _number(form: Form) -> int:
    text = form.text("webhook") or ""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise InvalidReport([("webhook", f"{text!r} is no number of a webhook")])
    return int(text)
