"""The form of where the code of a project lies."""

from fastapi import APIRouter, Request, Response

from scalewatch.pages.settings import back_to_settings
from scalewatch.services.access.policies import state_repository
from scalewatch.web.protection.forms import FormDep
from scalewatch.web.sessions import AdminDep

router = APIRouter(include_in_schema=False)


@router.post("/p/{project}/settings/repository", name="state-repository")
def change_repository(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """State where the code lies, or leave it to the runs."""
    address, forge = form.text("repository"), form.text("forge")
    state_repository(session, project, address, forge)
    return back_to_settings(request, project)
