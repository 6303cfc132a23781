"""Runs of the built-in suites that are to be made once more.

They are about releases of MPI libraries. Nothing is installed because a server asks
for it: the library is there from the first run, or the order is impossible.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from scalewatch.errors import ScalewatchError
from scalewatch_agent.cli.options.subject import subject
from scalewatch_agent.delivery.confirmations import ClaimedRun, RunSetting
from scalewatch_agent.errors import OrderImpossible
from scalewatch_agent.folders import libraries_folder, loops_folder
from scalewatch_agent.loops.build import build_loops
from scalewatch_agent.mpi.installation import (
    PACKAGES,
    install_library,
    is_installed,
)
from scalewatch_agent.mpi.libraries import Library, find_library
from scalewatch_agent.mpi.mpiexec import TRANSPORTS, Launcher, is_oversubscribed
from scalewatch_agent.suite.runs import MeasuredSubject
from scalewatch_agent.suite.suites import MEMORY, RUNTIME, Suite
from scalewatch_agent.suite.sweep import SuiteSweep

BUILT_IN: Final = {suite.name: suite for suite in (RUNTIME, MEMORY)}

WARM_UPS: Final = 8
BUDGET: Final = 1.0
"""Suites of `scalewatch-agent mpi`."""


def suite_sweeps(
    order: ClaimedRun,
) -> Iterator[tuple[SuiteSweep, Launcher, MeasuredSubject]]:
    """Yield what an order wants of the built-in suites, once per configuration.

    Raises
    ------
    OrderImpossible
        If the library, or how it was started, is unknown here.
    """
    alike: dict[tuple[str, str], list[RunSetting]] = defaultdict(list)
    for setting in order.settings:
        if setting.suite in BUILT_IN:
            held = json.dumps(setting.configuration, sort_keys=True)
            alike[setting.suite, held].append(setting)
    for (name, _), settings in alike.items():
        suite, configuration = BUILT_IN[name], settings[0].configuration
        sweep = _sweep(order, suite, settings)
        launcher = _launcher(order, sweep, configuration)
        named = dict.fromkeys(
            ("project", "commit", "branch", "committed_at", "tag"), None
        )
        options = {**named, "parents": (), "machine": order.confirmation.machine}
        yield sweep, launcher, subject(options, launcher, suite)


def _sweep(order: ClaimedRun, suite: Suite, settings: list[RunSetting]) -> SuiteSweep:
    configuration = settings[0].configuration
    is_compiled = configuration.get("loop") == "compiled"
    rare = [name for name in suite.more if name in order.confirmation.reason]
    return SuiteSweep(
        suite=suite,
        regions=(*suite.regions, *rare),
        processes=sorted({int(setting.coordinate["p"]) for setting in settings}),
        message_bytes=(int(configuration.get("message_bytes", suite.message_bytes)),),
        repetitions=suite.repetitions,
        warm_ups=WARM_UPS,
        budget=BUDGET,
        loop=build_loops(loops_folder()) if is_compiled else None,
    )


def _launcher(
    order: ClaimedRun, sweep: SuiteSweep, configuration: dict[str, Any]
) -> Launcher:
    named = configuration.get("transport")
    transport = next((each for each in TRANSPORTS if each == named), None)
    if transport is None:
        raise OrderImpossible(f"the agent knows no transport {named!r}")
    is_crowded = any(map(is_oversubscribed, sweep.processes))
    return Launcher(
        _library(order),
        transport,
        crowded=bool(configuration.get("yield_when_idle", is_crowded)),
        level=configuration.get("thread_level"),
    )


def _library(order: ClaimedRun) -> Library:
    """Return the release that is to be measured, where it is here."""
    project, release = order.confirmation.project, order.confirmation.commit.sha
    wanted = f"{project}=={release.removeprefix('v')}"
    folder = libraries_folder()
    if project in PACKAGES and is_installed(wanted, folder):
        return install_library(wanted, folder)
    try:
        library = find_library()
    except ScalewatchError as error:
        raise OrderImpossible(str(error)) from None
    if (library.name, f"v{library.version}") != (project, release):
        raise OrderImpossible(
            f"{project} {release} is not installed here; the agent has {library.title}"
        )
    return library
