"""The form of the rule about times for which processes shared cores."""

from fastapi import APIRouter, Request, Response

from scalewatch.errors import InvalidReport
from scalewatch.pages.settings import back_to_settings
from scalewatch.services.access import callers
from scalewatch.services.gates import rules
from scalewatch.services.shared_cores import Oversubscribed
from scalewatch.web.protection.forms import FormDep
from scalewatch.web.sessions import AdminDep

router = APIRouter(include_in_schema=False)


@router.post("/p/{project}/settings/oversubscribed", name="treat-oversubscribed")
def treat_oversubscribed(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Accept times for which processes shared cores, or leave them undecided."""
    chosen = form.text("oversubscribed")
    if chosen not in set(Oversubscribed):
        wanted = f"one of {', '.join(Oversubscribed)}"
        raise InvalidReport([("oversubscribed", wanted)])
    rules.treat_oversubscribed(
        session,
        project,
        Oversubscribed(chosen),
        author=callers.caller_of(session).name,
        reason=form.text("reason"),
    )
    return back_to_settings(request, project)
