"""What is lost while things break: acknowledged runs against those that are stored.

Four agents measure and post without end, by the agent's own spool and delivery, through
a proxy of ours, to a server with a worker: on SQLite, and on PostgreSQL with Celery.
Two attackers post files that stop, swell or spin whoever reads them, of every format.
Meanwhile one thing after the other breaks, in bags of all kinds in random order:
SIGKILL and SIGSTOP of server, worker, agent, reader, broker and database, of one
process of theirs or of all; a disk on which no file can grow; connections cut midway in
request and in answer; the clock of server and worker set by an hour forth and back
(libfaketime). What an agent was acknowledged has left its spool; what is left at the
end, `scalewatch-agent spool replay` brings.

The same runs are then posted, by that command, to a second system on which nothing
breaks. *Doubled* are runs that are stored more than once, *half-stored* those of which
anything differs from the undisturbed system (points, repetitions, what was posted),
*lost* those that were acknowledged and are not there, *verdicts* and *models* those
that differ. A 5xx is expected only while the disk of the database is full or
PostgreSQL is broken, and then only 503; *without answer* are the seconds from one list
of projects to the next where a request in between failed or took five seconds, as it
must while nobody serves.

`python -m benchmarks faults` takes ten minutes per database, and up to forty until
10,000 runs are acknowledged; `--minutes 1` takes less, and `--seed` draws other runs
and faults. It ends with 1 if a count that must be zero is not.
"""

from benchmarks.results import Results


def main(results: Results) -> None:
    """Break things on either database, and count."""
    # The agents are processes that import this room, and need none of it.
    from benchmarks.faults import bench  # noqa: PLC0415

    bench.main(results)
