"""Say what became of runs that were to be delivered."""

from collections.abc import Sequence

import click

from scalewatch.wire import RunReport
from scalewatch_agent.cli.summary import delivery_state, run_summary
from scalewatch_agent.delivery.deliver import Delivery
from scalewatch_agent.delivery.spool import Spool
from scalewatch_agent.delivery.upload import Delivered, Refused, Undelivered


def report_outcome(
    reports: Sequence[RunReport],
    deliveries: Sequence[Delivery],
    spool: Spool,
    *,
    as_json: bool,
) -> bool:
    """Say what became of the runs of a sweep, and return whether all are delivered."""
    if as_json:
        for report, delivery in zip(reports, deliveries, strict=True):
            click.echo(run_summary(report, delivery_state(delivery)))
    report_deliveries(deliveries, spool, quiet=as_json)
    older = len(list(spool.pending())) - len(_undelivered(deliveries))
    if older > 0:
        click.echo(
            f"{runs(older)} of earlier sweeps not yet delivered, in {spool.folder}: "
            "scalewatch-agent spool replay",
            err=True,
        )
    return all(isinstance(delivery.answer, Delivered) for delivery in deliveries)


def report_deliveries(
    deliveries: Sequence[Delivery], spool: Spool, *, quiet: bool
) -> None:
    """Say what was delivered and, on standard error, what was not and where it is."""
    delivered = [d for d in deliveries if isinstance(d.answer, Delivered)]
    if delivered and not quiet:
        click.echo(f"{runs(len(delivered))} delivered to {delivered[-1].server}")
    for delivery in deliveries:
        if isinstance(delivery.answer, Refused):
            click.echo(
                f"{delivery.server} refused run {delivery.entry.id}: it "
                f"{delivery.answer.reason}; the run is kept in {spool.rejected}",
                err=True,
            )
    if undelivered := _undelivered(deliveries):
        last = undelivered[-1]
        assert isinstance(last.answer, Undelivered)
        click.echo(
            f"{runs(len(undelivered))} not delivered: {last.server} "
            f"{last.answer.reason}. Kept in {spool.folder}; "
            "deliver with: scalewatch-agent spool replay",
            err=True,
        )


def runs(number: int) -> str:
    """Count runs in words: `1 run`, `5 runs`."""
    return f"{number} run{'' if number == 1 else 's'}"


def _undelivered(deliveries: Sequence[Delivery]) -> list[Delivery]:
    return [d for d in deliveries if isinstance(d.answer, Undelivered)]
