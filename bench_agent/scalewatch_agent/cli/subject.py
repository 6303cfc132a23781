"""Subject of a measurement: project, commit and machine, by options or the library."""

from importlib.metadata import version
from typing import Any

import click

from scalewatch.wire import Commit, Machine, Name, Ref, Sha
from scalewatch_agent.cli.options import moment, named, together, wire
from scalewatch_agent.machine import fingerprint, machine_name
from scalewatch_agent.mpi.mpiexec import TRANSPORTS, Launcher
from scalewatch_agent.suite.suites import Suite
from scalewatch_agent.suite.sweep import MeasuredSubject
from scalewatch_agent.versions import completed

subject_options = together(
    named(
        "--project",
        Name,
        "NAME",
        "Project of the runs; the measured library itself unless given.",
    ),
    named(
        "--commit",
        Sha,
        "SHA",
        "Commit of the project; the library's version tag unless given.",
    ),
    click.option(
        "--parent",
        "parents",
        callback=wire(tuple[Sha, ...]),
        multiple=True,
        metavar="SHA",
        help="Parent of the commit; may be repeated.",
    ),
    named("--branch", Ref, "NAME", "Branch of the commit."),
    named("--tag", Ref, "NAME", "Release tag of the commit."),
    click.option(
        "--committed-at",
        callback=moment,
        metavar="TIME",
        help="Time of the commit in ISO 8601, UTC unless it names its zone.",
    ),
    named(
        "--machine",
        Name,
        "NAME",
        "Name of this machine; made of the host's name unless given.",
    ),
)


def subject(
    options: dict[str, Any], launcher: Launcher, suite: Suite
) -> MeasuredSubject:
    """Return what the options name and, where they are silent, what the suite tests.

    That is the MPI library, or a library of our own that runs on top of it.
    """
    library, transport = launcher.library, launcher.transport
    project, title, release = library.name, library.title, f"v{library.version}"
    if suite.project is not None:
        ours = version("scalewatch")
        project, title, release = suite.project, f"{suite.project} {ours}", f"v{ours}"
    facts: dict[str, Any] = fingerprint(TRANSPORTS[transport])
    if (options["project"] or project) != library.name:
        # Otherwise the library is what is measured, not what it is measured on.
        facts["mpi"] = library.title
    return MeasuredSubject(
        project=options["project"] or project,
        commit=commit(options, title, release),
        machine=Machine(
            name=options["machine"] or machine_name(transport), fingerprint=facts
        ),
        settings=launcher.settings,
    )


def commit(options: dict[str, Any], title: str, release: str) -> Commit:
    """Return the commit that the options name, or the release that is measured.

    A CI job may know more of the commit that is named.
    """
    is_release = options["project"] is None and options["commit"] is None
    stated = Commit(
        sha=options["commit"] or release,
        parents=options["parents"],
        branch=options["branch"],
        committed_at=options["committed_at"],
        message=title if is_release else None,
        tag=options["tag"] or (release if is_release else None),
    )
    return stated if options["commit"] is None else completed(stated)
