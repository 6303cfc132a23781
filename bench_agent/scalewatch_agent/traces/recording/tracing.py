"""The instrument that traces the jobs of a sweep, and reduces what they wrote."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from scalewatch.wire import Fact, Result
from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import Instrument, Output
from scalewatch_agent.experiments.launchers.jobs import Executed, Request
from scalewatch_agent.traces import reduction, results
from scalewatch_agent.traces.calibration.table import Calibration, reduced_by
from scalewatch_agent.traces.otf2.writer import ARCHIVE, write_otf2
from scalewatch_agent.traces.own.reader import HEADER, read_own
from scalewatch_agent.traces.trace import Trace

FOLDER: Final = "trace"
"""Where a job's trace lies, in the folder of the job."""


@dataclass(slots=True)
class Tracing(Instrument):
    """Starts programs with the interposer, and reduces their traces.

    Parameters
    ----------
    interposer
        The library that is preloaded.
    roots
        Folders of the program's sources, to which files are relative.
    depth
        Callers to record beside the place of a call.
    kept
        The folder to which traces go; they are deleted where it is None.
    calibration
        The best times of calls, if they are known.
    writes_otf2
        Whether kept traces are written as archives of OTF2, too.
    """

    interposer: Path
    roots: tuple[Path, ...]
    depth: int = 0
    kept: Path | None = None
    calibration: Calibration | None = None
    writes_otf2: bool = False
    traced: list[reduction.Reduced | None] = field(default_factory=list)

    @property
    def identity(self) -> Any:
        """How it traces."""
        return ["trace", self.depth]

    def prepared(self, request: Request) -> Request:
        """Return the job with the interposer before each of its processes."""
        preloaded = ":".join(
            filter(None, [str(self.interposer), os.environ.get("LD_PRELOAD", "")])
        )
        environment = {
            **request.environment,
            "SCALEWATCH_TRACE": str(request.folder / FOLDER),
            "SCALEWATCH_TRACE_RUN": f"{request.key}.{os.getpid()}"[:32],
            "SCALEWATCH_TRACE_DEPTH": str(self.depth),
        }
        wrapper = ("env", f"LD_PRELOAD={preloaded}")
        return replace(request, environment=environment, wrapper=wrapper)

    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:  # noqa: ARG002 - the protocol's
        """Return what the trace of a job comes to; a failed job has none worth it.

        Raises
        ------
        TraceUnusable
            If the trace of a job that ended well cannot be read.
        """
        folder = executed.request.folder / FOLDER
        if folder.is_dir():
            # What the records do not say themselves.
            request = executed.request
            place = request.work or request.folder
            program = shutil.which(request.words[0]) or place / request.words[0]
            header = {
                "schema": 1,
                "command": list(request.words),
                "program": str(Path(program).resolve()),
                "parameters": dict(request.configured.combination),
                "roots": [str(root) for root in self.roots],
                "started": str(executed.job.started_at),
                "failure": executed.failure,
            }
            (folder / HEADER).write_text(json.dumps(header, indent=1))
        if executed.failure is not None:
            self.traced.append(None)
            self._dispose(executed.request, folder)
            settings: dict[str, Fact] = {"traced": True}
            return Output(
                [
                    Result(
                        region=results.PROGRAM,
                        metric="mpi_time",
                        unit="s",
                        better="lower",
                        status="failed",
                        reason=executed.failure[:2000],
                    )
                ],
                settings=settings,
            )
        trace = read_own(folder)
        sums = reduced_by(self.calibration, trace)
        if self.writes_otf2:
            sums = archived(trace, folder, sums)
        self.traced.append(sums)
        self._dispose(executed.request, folder)
        return Output(
            results.results_of(sums, results.region_names([sums])),
            settings=results.trace_settings(sums),
            facts=results.trace_facts(sums),
        )

    def _dispose(self, request: Request, folder: Path) -> None:
        if self.kept is None:
            shutil.rmtree(folder, ignore_errors=True)
            return
        settings = request.configured.combination.items()
        name = ",".join(f"{key}={value}" for key, value in settings) or "trace"
        goal = self.kept / f"{name.replace('/', '_')}.{request.repeat}"
        shutil.rmtree(goal, ignore_errors=True)
        if folder.is_dir():
            shutil.move(folder, goal)


def archived(trace: Trace, folder: Path, sums: reduction.Reduced) -> reduction.Reduced:
    """Write a trace as an archive of OTF2; where it cannot be one, the run says so."""
    try:
        write_otf2(trace, folder / ARCHIVE)
    except TraceUnusable as why:
        remark = f"no archive of OTF2 is written: {why.reason}"
        return replace(sums, remarks=(*sums.remarks, remark))
    return sums
