"""Settings of a project and of the server: forms that work without scripts."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import addresses, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.services.access import (
    audit,
    callers,
    policies,
    tokens,
)
from scalewatch.services.commits.forges import ForgeKind
from scalewatch.services.expectations import declarations, in_force
from scalewatch.services.gates import declared_rules as rules
from scalewatch.services.machines.silence import silent_in
from scalewatch.services.operations import status
from scalewatch.services.regions import preview
from scalewatch.services.regressions import webhooks
from scalewatch.services.selection import renamed_regions
from scalewatch.services.selection.pages import ROW_CELLS, Page, part_of
from scalewatch.services.shared_cores import TREATED, Treatment
from scalewatch.web.protection.origins import Form, FormDep
from scalewatch.web.queries import CursorQuery
from scalewatch.web.sessions import AdminDep, KeyFileDep, ReadingDep, WritingDep

MOST_ENTRIES = 50
"""Entries of the audit log that a page shows."""

router = APIRouter(include_in_schema=False)


class Part(StrEnum):
    """A page of the settings of a project."""

    GENERAL = "general"
    EXPECTATIONS = "expectations"
    GATE = "gate"
    MACHINES = "machines"
    STATUS = "status"
    TOKENS = "tokens"
    WEBHOOKS = "webhooks"
    AUDIT = "audit"


def administering_all(session: WritingDep) -> Session:
    """Return a transaction for who administers the server."""
    callers.permit(session, callers.Role.ADMIN, None)
    return session


AllDep = Annotated[Session, Depends(administering_all, scope="function")]


@router.get("/settings", name="site-settings")
def show_site(
    request: Request, session: ReadingDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show the settings of the server to who administers it, else their projects."""
    caller = callers.caller_of(session)
    callers.permit(session, callers.Role.ADMIN, caller.project)
    return settings_page(request, session, wanted, project=None)


@router.get("/p/{project}/settings", name="settings")
def show_project(
    request: Request,
    session: ReadingDep,
    project: str,
    cursor: CursorQuery = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the part of the settings of a project that the address ends with."""
    policies.policy_of(session, project)
    callers.permit(session, callers.Role.ADMIN, project)
    last = request.scope["route"].path.rpartition("/")[2]
    part = Part(last) if last in set(Part) else Part.GENERAL
    return settings_page(
        request, session, wanted, project=project, part=part, cursor=cursor
    )


for below in [part for part in Part if part is not Part.GENERAL]:
    router.add_api_route(
        f"/p/{{project}}/settings/{below}", show_project, name=f"settings-{below}"
    )


@router.post("/p/{project}/settings/policy", name="change-policy")
def change_policy(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Change visibility and retention of a project."""
    policy = policies.Policy(
        is_private=form.text("visibility") == "private",
        retention_days=_number(form, "retention_days"),
        kept_repetitions=_number(form, "kept_repetitions"),
    )
    policies.change(session, project, policy)
    return back_to_settings(request, project)


@router.post("/p/{project}/settings/tokens", name="create-token")
def create_token(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Make a token and show it, once."""
    return _created(request, session, form, project)


@router.post("/settings/tokens", name="create-site-token")
def create_site_token(request: Request, session: AllDep, form: FormDep) -> Response:
    """Make a token for all projects, or for one that may be new."""
    return _created(request, session, form, form.text("project"), is_site=True)


@router.post("/p/{project}/settings/tokens/revoke", name="revoke-token")
def revoke_token(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """End a token of a project."""
    tokens.revoke(session, form.text("prefix") or "", project)
    return back_to_settings(request, project, Part.TOKENS)


@router.post("/settings/tokens/revoke", name="revoke-site-token")
def revoke_site_token(request: Request, session: AllDep, form: FormDep) -> Response:
    """End any token."""
    tokens.revoke(session, form.text("prefix") or "")
    return back_to_settings(request, None)


@router.post("/p/{project}/settings/expectations", name="declare-expectation")
def declare_expectation(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Declare what is expected of a region, or withdraw it."""
    region = form.text("region")
    if region is None:
        raise InvalidReport([("region", "name the region")])
    declared = declarations.Declaration(
        region,
        form.text("metric") or "time",
        form.text("growth"),
        form.text("deviation_limit"),
    )
    declarations.declare(
        session,
        project,
        [declared],
        author=callers.caller_of(session).name,
        reason=form.text("reason"),
    )
    return back_to_settings(request, project, Part.EXPECTATIONS)


@router.get("/p/{project}/settings/expectations/accept", name="acceptances")
def show_acceptances(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    project: str,
    commit: str | None = None,
    metric: str | None = None,
    cursor: CursorQuery = None,
    *,
    replacing: bool = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show which growths would be expected if all that is measured were accepted."""
    policies.policy_of(session, project)
    callers.permit(session, callers.Role.ADMIN, project)
    growths = preview.acceptances(
        session,
        project,
        commit or None,
        metric=metric or None,
        is_replacing=replacing,
    )
    if wanted is not Format.HTML:
        name = f"{project}-acceptances"
        return download(wanted, name, growths, acceptance_listing, cursor=cursor)
    shown, page = part_of(growths, cursor)
    return templates.render(
        request,
        "settings/accept.html",
        shown=shown,
        page=page,
        changes=sum(each.is_change for each in growths.regions),
        query={
            "commit": commit,
            "metric": metric,
            "replacing": "1" if replacing else None,
        },
    )


@router.post("/p/{project}/settings/expectations/accept", name="accept")
def accept_all(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Expect all growths of a commit as they were previewed."""
    preview.accept(
        session,
        project,
        form.text("commit"),
        author=callers.caller_of(session).name,
        reason=form.text("reason"),
        metric=form.text("metric"),
        is_replacing=form.has("replacing"),
    )
    return back_to_settings(request, project, Part.EXPECTATIONS)


@router.post("/p/{project}/settings/aliases", name="rename-region")
def rename_region(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Let the history of a region go on under another name, or take that back."""
    former = form.text("former")
    if former is None:
        raise InvalidReport([("former", "name the region")])
    renamed_regions.rename(session, project, {former: form.text("present")})
    return back_to_settings(request, project)


def _created(
    request: Request,
    session: Session,
    form: Form,
    project: str | None,
    *,
    is_site: bool = False,
) -> Response:
    role, days = form.text("role"), _number(form, "days")
    if role not in set(callers.Role):
        raise InvalidReport([("role", f"one of {', '.join(callers.Role)}")])
    if days is not None and not 1 <= days <= 36_500:
        raise InvalidReport([("days", "a number from 1 to 36,500")])
    _, secret = tokens.create(
        session,
        form.text("name") or "",
        callers.Role(role),
        project,
        lifetime=None if days is None else timedelta(days=days),
    )
    shown = None if is_site else project
    return settings_page(
        request,
        session,
        Format.HTML,
        project=shown,
        part=Part.TOKENS,
        secret=secret,
    )


def settings_page(  # noqa: PLR0913 - what is shown once, too
    request: Request,
    session: Session,
    wanted: Format,
    *,
    project: str | None,
    part: Part = Part.GENERAL,
    secret: str | None = None,
    webhook: webhooks.NewWebhook | None = None,
    cursor: str | None = None,
) -> Response:
    """Render the settings of a project, or of the server, once with a new secret.

    Parameters
    ----------
    cursor
        Names the page of the expectations.
    """
    shown = _settings(session, project)
    if project is not None and part in {Part.MACHINES, Part.STATUS}:
        shown["status"] = status.status_of(session, project)
        shown["silent"] = silent_in(session, project)
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project or 'server'}-settings",
            shown,
            lambda shown: audit_listing(shown["audit"]),
        )
    template = "settings/site.html" if project is None else "settings/project.html"
    page = templates.render(
        request,
        template,
        project=project,
        part=part,
        secret=secret,
        new_webhook=webhook,
        roles=callers.Role,
        page=Page.of(shown.get("expectations", ()), cursor, ROW_CELLS),
        **shown,
    )
    # Secrets, and who has which: nothing for the disk of a browser either.
    page.headers["Cache-Control"] = "no-store"
    return page


def _settings(session: Session, project: str | None) -> dict[str, Any]:
    caller = callers.caller_of(session)
    if project is None and caller.project is not None:
        return {"projects": [caller.project], "tokens": (), "audit": ()}
    shared = {
        "tokens": tokens.listed(session, project),
        "audit": audit.entries(session, project, limit=MOST_ENTRIES),
    }
    if project is None:
        return {"projects": policies.administered(session), **shared}
    return {
        "policy": policies.policy_of(session, project),
        "repository": policies.repository_of(session, project),
        "forges": list(ForgeKind),
        "owners": policies.owners_of(session, project),
        "expectations": in_force.listed(session, project),
        "rules": rules.rules_of(session, project),
        "aliases": renamed_regions.aliases_of(session, project),
        "webhooks": webhooks.webhooks_of(session, project),
        **shared,
    }


def acceptance_listing(shown: preview.Acceptances) -> Listing:
    """Return growths that would be expected, one line each."""
    return Columns[preview.Acceptance](
        {
            "region": lambda accepted: accepted.region,
            "metric": lambda accepted: accepted.metric,
            "growth": lambda accepted: accepted.growth,
            "machines": lambda accepted: ", ".join(accepted.machines),
            "expected": lambda accepted: accepted.expected and accepted.expected.growth,
        }
    ).listing(zip(shown.regions))


def audit_listing(entries: tuple[audit.AuditEntry, ...]) -> Listing:
    """Return what was done, one line each."""
    return Columns[audit.AuditEntry](
        {
            "at": lambda entry: entry.at.isoformat(),
            "actor": lambda entry: entry.actor,
            "action": lambda entry: entry.action,
            "project": lambda entry: entry.project,
            "subject": lambda entry: entry.subject,
            "details": lambda entry: str(entry.details),
        }
    ).listing(zip(entries))


def _number(form: Form, name: str) -> int | None:
    text = form.text(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise InvalidReport([(name, f"{text!r} is no whole number")])
    return int(text)


def back_to_settings(
    request: Request, project: str | None, part: Part = Part.GENERAL
) -> Response:
    """Show the settings again; loading the page anew repeats no change."""
    if project is None:
        path = addresses.path_to(request, "site-settings")
    else:
        route = "settings" if part is Part.GENERAL else f"settings-{part}"
        path = addresses.path_to(request, route, project=project)
    return RedirectResponse(path, status_code=303)


LONGEST = 2000
"""Letters of an address."""


@router.post("/p/{project}/settings/webhooks", name="add-webhook")
def add_webhook(
    request: Request,
    session: AdminDep,
    key_file: KeyFileDep,
    project: str,
    form: FormDep,
) -> Response:
    """Add a webhook, and show its secret, once."""
    url = form.text("url") or ""
    if len(url) > LONGEST:
        raise InvalidReport([("url", f"at most {LONGEST:,} letters")])
    author = callers.caller_of(session).name
    added = webhooks.add(session, project, url, author, key_file)
    return settings_page(
        request,
        session,
        Format.HTML,
        project=project,
        part=Part.WEBHOOKS,
        webhook=added,
    )


@router.post("/p/{project}/settings/webhooks/remove", name="remove-webhook")
def remove_webhook(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Remove a webhook."""
    webhooks.remove(session, project, _webhook_number(form))
    return back_to_settings(request, project, Part.WEBHOOKS)


@router.post("/p/{project}/settings/webhooks/test", name="test-webhook")
def test_webhook(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Send a test delivery to a webhook."""
    webhooks.test(session, project, _webhook_number(form))
    return back_to_settings(request, project, Part.WEBHOOKS)


def _webhook_number(form: Form) -> int:
    text = form.text("webhook") or ""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise InvalidReport([("webhook", f"{text!r} is no number of a webhook")])
    return int(text)


@router.post("/p/{project}/settings/repository", name="state-repository")
def change_repository(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """State where the code lies, or leave it to the runs."""
    address, forge = form.text("repository"), form.text("forge")
    policies.state_repository(session, project, address, forge)
    return back_to_settings(request, project)


@router.post("/p/{project}/settings/owners", name="state-owners")
def state_owners(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """State whose the regions of a project are: a pattern and a name in each line."""
    lines = filter(str.strip, (form.text("owners") or "").splitlines())
    owners = [
        policies.Owner(pattern.strip(), owner.strip())
        for pattern, _, owner in (line.rpartition("=") for line in lines)
    ]
    policies.state_owners(session, project, owners)
    return back_to_settings(request, project)


@router.post("/p/{project}/settings/oversubscribed", name="treat-oversubscribed")
def treat_oversubscribed(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Accept times of shared cores or of disturbed jobs, or leave them undecided."""
    chosen = {name: form.text(name) or "" for name in TREATED if form.has(name)}
    for name, text in chosen.items():
        if text not in set(Treatment):
            raise InvalidReport([(name, f"one of {', '.join(Treatment)}")])
    rules.treat(
        session,
        project,
        {name: Treatment(text) for name, text in chosen.items()},
        author=callers.caller_of(session).name,
        reason=form.text("reason"),
    )
    return back_to_settings(request, project, Part.GATE)
