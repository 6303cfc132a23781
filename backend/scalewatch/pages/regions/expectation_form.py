"""Declare what is expected of a region, by the form on its page."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.errors import BadExpression, FallingLimit, InvalidReport, NotMeasured
from scalewatch.pages.regions.page import region_page
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.templates import path_to
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regions import status_quo
from scalewatch.services.regions.preview import check_parameters
from scalewatch.services.regions.region import region_at
from scalewatch.services.selection.view import View
from scalewatch.web.protection.forms import Form, FormDep
from scalewatch.web.sessions import AdminDep
from scalewatch.web.views import ViewDep

MOST_LETTERS = 1000
"""Longer texts in a field of the form are no expression, name or reason."""

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.post("/p/{project}/r/{region}", name="declare")  # noqa: FAST003, the view
def declare(
    request: Request, session: AdminDep, view: ViewDep, region: str, form: FormDep
) -> Response:
    """Declare or withdraw an expectation, and show the region it is about."""
    try:
        _declare(session, view, region, form)
    except (BadExpression, FallingLimit, InvalidReport, NotMeasured) as error:
        return region_page(
            request, session, view, region, entered=form, refused=str(error)
        )
    session.flush()
    query = {
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
    }
    path = path_to(request, "region", query, project=view.project, region=region)
    return RedirectResponse(f"{path}#expectation", status_code=303)


def _declare(session: AdminDep, view: View, region: str, form: Form) -> None:
    """Store what a form says.

    Raises
    ------
    InvalidReport
        If a field is missing or too long.
    BadExpression, FallingLimit
        If a growth or a deviation limit makes no sense.
    NotMeasured
        If the growth as it is is wanted, and nobody knows it.
    """
    author, growth = form.text("author"), form.text("growth")
    is_withdrawn, is_as_it_is = form.has("withdraw"), form.has("as_it_is")
    if author is None:
        raise InvalidReport([("", "say who declares it, in the field Declared by")])
    if growth is None and not (is_withdrawn or is_as_it_is):
        raise InvalidReport([("", "say how it should grow, such as log p")])
    texts = [author, growth, form.text("deviation_limit"), form.text("reason")]
    if max(len(text or "") for text in texts) > MOST_LETTERS:
        raise InvalidReport([("", f"a field holds more than {MOST_LETTERS} letters")])
    if growth is not None:
        check_parameters(region_at(session, view, region), growth)
    if is_as_it_is:
        status_quo.accept(
            session,
            view.project,
            view.commit,
            author=author,
            reason=form.text("reason"),
            regions=[region],
            metric=view.metric or "time",
        )
        return
    declarations.declare(
        session,
        view.project,
        [
            Declaration(
                region=region,
                metric=view.metric or "time",
                growth=None if is_withdrawn else growth,
                deviation_limit=form.text("deviation_limit"),
            )
        ],
        author=author,
        reason=form.text("reason"),
    )
