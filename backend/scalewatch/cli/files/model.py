"""`scalewatch model`: files of measurements to models and verdicts, offline."""

from collections.abc import Sequence
from typing import Any, Final

import click

from scalewatch.cli.files.options import (
    CompetingGrowths,
    ComposedModel,
    Finite,
    ProductOfParameters,
    RuleName,
    StatedGrowth,
    Target,
    better_directions,
    file_options,
    read_terms,
    scaling_options,
    scaling_terms,
)

CHOICES: Final = ("space", "rule", "exact", "summary", "level")
SUMMARIES: Final = ("q1", "median", "min", "mean", "robust")

OF_GROWTH: Final = (
    *("formula", "expectations", "compositions", "split", "deviation_limits"),
    *("space", "rule", "summary", "rank", "threshold", "proposes", "since"),
)
"""Options that ask for growths, whose table comes instead of efficiencies."""

EPILOG: Final = """
\b
Examples:
  scalewatch model nodes.csv
  scalewatch model cores.csv --per-node cores=128 --scaling weak --limit 80%
  scalewatch model sweep.txt --formula
  scalewatch model sweep.txt --expect 'O(log p)' --target p=65536
  scalewatch model runs/*.json --expect 'MPI_Bcast=O(log p)' --expect '*=O(p)'
  scalewatch model times.csv --column p=ranks --column value=seconds
  scalewatch model sweep.txt --expect 'O(log p)' --next
  scalewatch model new.txt --since old.txt
  scalewatch model --store branch:scalewatch-results@origin
  scalewatch model sweep.txt --rank --target p=65536
  scalewatch model sweep.txt --expect 'O(p)' --space 'expectation, p^3'
  scalewatch model sweep.txt --worse-than 'O(p)' --space '1, log p, p, p^2'
  scalewatch model runs.jsonl --compose 'cg = 13*8*N/triad + 2*parallel + 2*reduction'
  scalewatch model runs.jsonl --split 'p*threads'
  zcat sweep.jsonl.gz | scalewatch model - --json | jq .growth

\b
Exit codes:
  0  modelled            3  a file cannot be read; the others are modelled
  2  wrong usage         4  no series has a model
"""


@click.command("model", epilog=EPILOG, context_settings={"max_content_width": 100})
@click.argument("files", nargs=-1, metavar="FILE…")
@file_options("--format")
@scaling_options
@click.option(
    "--formula",
    is_flag=True,
    help="Show models and growths, not efficiencies; --expect and all else that asks "
    "for growths does so, too.",
)
@click.option(
    "--store",
    "where",
    metavar="WHERE",
    help="Also the newest commit of a store: DIR, or branch:NAME[@REMOTE].",
)
@click.option("--commit", metavar="SHA", help="With --store: another commit of it.")
@click.option("--dry-run", is_flag=True, help="Show what the files hold, no more.")
@click.option(
    "--expect",
    "expectations",
    type=StatedGrowth(),
    multiple=True,
    help="Growth that regions should have, such as 'O(p log p)'; REGION may be "
    "region:metric, and hold * and ?. A region alone means its time, if it has one.",
)
@click.option(
    "--compose",
    "compositions",
    type=ComposedModel(),
    multiple=True,
    help="Model of a region composed of other regions and of parameters, as 'cg = "
    "13*8*N/triad + 2*parallel': its expectation. Tells measured/composed and whether "
    "that grows; may be repeated, and formulas may use each other.",
)
@click.option(
    "--split",
    type=ProductOfParameters(),
    help="Name the best split of cores, as 'p*threads': at each total that was "
    "measured, or at one, as 'p*threads=64'.",
)
@click.option(
    "--deviation",
    "deviation_limits",
    type=StatedGrowth(),
    multiple=True,
    help="Deviation D that is still acceptable: from E/D to E·D. By default half the "
    "leading exponent.",
)
@click.option(
    "--space",
    type=CompetingGrowths(),
    help="Growths that compete: 'expectation' (those around it), 'pmnf' (the usual "
    "ones), 'mpi' (those of the MPI study), your own, such as 'log p, p, p^2', or "
    "several: 'expectation, p^3' widens what follows from the expectation; by default "
    "what the rule prescribes.",
)
@click.option(
    "--rule",
    type=RuleName(),
    help="How one of them is selected: 'evidence' (the likeliest, by default), 'paper' "
    "(adjusted R² on the first quartile), 'smape' (as Extra-P does), 'refinement' "
    "(several terms), 'surfaces' (the likeliest of several parameters), 'exact' (the "
    "formula of exact counts, as --exact).",
)
@click.option(
    "--exact/--noisy",
    "exact",
    default=None,
    help="Take values as exact counts, of which a formula is sought, or as measured "
    "with noise; by default those are exact whose repetitions are all equal, or of "
    "which a run file says so.",
)
@click.option(
    "--summary",
    type=click.Choice(SUMMARIES),
    help="How repetitions become one value; each rule has its own default.",
)
@click.option(
    "--target",
    "targets",
    type=Target(),
    multiple=True,
    help="Where to forecast the metric.",
)
@click.option(
    "--level",
    type=Finite(0, 1, min_open=True, max_open=True),
    help="Probability of the intervals, and that settles a verdict.  [default: 0.9]",
)
@click.option(
    "--rank",
    is_flag=True,
    help="Most expensive first: at the first --target, or by growth without one.",
)
@click.option(
    "--worse-than",
    "threshold",
    type=StatedGrowth(),
    metavar="GROWTH",
    help="Only series that scale worse, most expensive first.",
)
@click.option(
    "--next",
    "proposes",
    is_flag=True,
    help="Where a verdict is undecided: what to measure to settle it, and its cost.",
)
@click.option(
    "--since",
    multiple=True,
    metavar="FILE",
    help="Measurements of an earlier version: what has changed since, by which factor.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per series.")
@click.pass_context
def command(ctx: click.Context, /, files: Sequence[str], **options: Any) -> None:
    """Model measurements and judge how they scale, offline.

    Of a scan over nodes, GPUs, processes or threads it shows speed-up, efficiency,
    node-hours, the largest size that is surely efficient and the run that would tell
    most, and the growth last; of all else, and with --formula, models and growths.

    Reads Extra-P's text, JSON and JSON Lines, tables with a header (CSV), scalewatch's
    own run reports, and results of ReFrame, JUBE, OSU, LAMMPS, Caliper and many others,
    in files, folders and archives; "-" is standard input.

    From twenty series of a metric on, the default rule learns from all of them how
    noisy they are, which makes intervals and probabilities come true.
    """
    # Numpy takes longer than --help may.
    from scalewatch.cli.files import findings, preview  # noqa: PLC0415
    from scalewatch.importers import read_files  # noqa: PLC0415
    from scalewatch.services.files import model_files  # noqa: PLC0415

    if options["where"]:
        from scalewatch.cli.files.stored import reports_at  # noqa: PLC0415

        stored = reports_at(options["where"], options["commit"])
        files = (*files, str(ctx.with_resource(stored)))
    elif not files:
        raise click.UsageError("Missing argument 'FILE…', or --store.")
    terms = read_terms(options, for_growth=True)
    better = better_directions(options)
    if options["dry_run"]:
        reading = read_files(files, *terms)
        preview.tell(reading)
        preview.show(reading, better)
        ctx.exit(findings.UNREADABLE if reading.unreadable else 0)
    targets, threshold = options["targets"], options["threshold"]
    ranking = None
    if options["rank"] or threshold:
        ranking = model_files.Ranking(
            targets[0] if targets else None, threshold.growth if threshold else None
        )
    question = model_files.Question(
        expectations=options["expectations"],
        deviation_limits=options["deviation_limits"],
        targets=targets,
        choices={name: options[name] for name in CHOICES if options[name] is not None},
        ranking=ranking,
        proposes=options["proposes"],
        better=better,
        scale=options["scale"],
    )
    is_of_growth = not options["as_json"] and (
        options["exact"] is not None or any(options[name] for name in OF_GROWTH)
    )
    ctx.exit(
        findings.answer(
            files,
            terms,
            question,
            since=options["since"],
            formulas=dict(options["compositions"]),
            split=options["split"],
            scaling=None if is_of_growth else scaling_terms(options),
            as_json=options["as_json"],
        )
    )
