"""Rows of pages as listings for download."""

from scalewatch.exporters.listing import Listing, markdown_line, markdown_text
from scalewatch.modelling import Growth
from scalewatch.pages.wording.formats import assignments, determination, settings
from scalewatch.pages.wording.growths import found_order, order
from scalewatch.pages.wording.sentences import SYMBOLS
from scalewatch.services.match_table.cells import Cell, MatchRow
from scalewatch.services.match_table.table import MatchTable
from scalewatch.services.projects.home import Project
from scalewatch.services.regions.region import Region
from scalewatch.services.runs.show import RecordedRun
from scalewatch.services.series.measurements import Measurement
from scalewatch.services.series.scans import Scan


def markdown(listing: Listing, lead: str) -> str:
    """Return a sentence, and a table if any, as Markdown to copy."""
    said = markdown_line(lead)
    return f"{said}\n\n{markdown_text(listing)}" if listing.rows else f"{said}\n"


def cells(table: MatchTable) -> Listing:
    """Return a match table with one line per cell."""
    return Listing(
        (
            "region",
            "metric",
            "configuration",
            "machine",
            "state",
            "expectation",
            "deviation_limit",
            "growth",
            "model",
            "adjusted_r2",
            "divergence",
            "verdict",
            "probability",
            "points",
            "repetitions",
            "flags",
            "change",
            "guidelines",
            "reason",
        ),
        [
            (
                row.region,
                row.metric,
                assignments(row.configuration),
                cell.machine,
                cell.standing.state,
                _expected(row),
                cell.standing.deviation_limit,
                cell.standing.growth,
                cell.standing.model and cell.standing.model.formula,
                cell.standing.adjusted_r2,
                cell.standing.divergence,
                cell.standing.verdict,
                cell.standing.probability,
                cell.standing.points,
                cell.standing.repetitions,
                ", ".join(cell.flags),
                cell.change,
                "; ".join(cell.broken),
                cell.standing.reason,
            )
            for row in table.rows
            for cell in row.cells
        ],
    )


def overview(table: MatchTable) -> Listing:
    """Return a match table with a line per region and a column per machine."""
    return Listing(
        ("Region", "Expectation", *(column.machine for column in table.columns)),
        [
            (
                " ".join((row.region, settings(row.configuration))).strip(),
                order(row.expectation.growth) if row.expectation else _expected(row),
                *map(_cell, row.cells),
            )
            for row in table.rows
        ],
    )


def _expected(row: MatchRow) -> Growth | str | None:
    """Return the growth that is expected of a row, or the formula."""
    if row.composition is not None:
        return str(row.composition.formula)
    return row.expectation.growth if row.expectation else None


def points(region: Region) -> Listing:
    """Return a region's measurements with one line per coordinate."""
    return Listing(
        (
            "machine",
            "configuration",
            "coordinate",
            "unit",
            "repetitions",
            "minimum",
            "q25",
            "median",
            "q75",
            "q95",
            "mean",
            "flags",
            "reason",
            "run",
            *(("composed", "measured/composed") if region.compositions else ()),
        ),
        [
            (
                scan.machine,
                assignments(scan.configuration),
                assignments(taken.coordinate),
                scan.unit,
                taken.count,
                taken.minimum,
                taken.low,
                taken.middle,
                taken.high,
                taken.q95,
                taken.mean,
                ", ".join(taken.flags),
                taken.reason,
                taken.run,
                *_beside_composed(region, scan, taken),
            )
            for scan in region.scans
            for taken in scan.measurements
        ],
    )


def _beside_composed(
    region: Region, scan: Scan, taken: Measurement
) -> tuple[float | None, ...]:
    """Return the value of the composed model where one is expected, and the quotient.

    None where a part has no value, or cores were shared.
    """
    if not region.compositions:
        return ()
    composed = next(e.composed for e in region.compositions if e.scan is scan)
    if composed is not None:
        at = tuple(taken.coordinate.get(name) for name in composed.series.parameters)
        for point in composed.points:
            if point.setting == at:
                return point.expected, point.quotient
    return None, None


def results(run: RecordedRun) -> Listing:
    """Return the results of a run with one line per region and metric."""
    return Listing(
        (
            "region",
            "metric",
            "machine",
            "unit",
            "repetitions",
            "minimum",
            "q25",
            "median",
            "q75",
            "q95",
            "synchronisation",
            "late",
            "flags",
            "reason",
        ),
        [
            (
                result.region,
                result.metric,
                run.machine,
                result.unit,
                result.count,
                result.minimum,
                result.low,
                result.middle,
                result.high,
                result.q95,
                result.synchronisation,
                result.late,
                ", ".join(result.flags),
                result.reason,
            )
            for result in run.results
        ],
    )


def projects(listed: tuple[Project, ...]) -> Listing:
    """Return projects with their verdict counts."""
    return Listing(
        ("project", "commit", *SYMBOLS, "pending", "machines"),
        [
            (
                project.name,
                project.commit and project.commit.label,
                *(project.counts[mark] for mark in SYMBOLS),
                project.pending,
                ", ".join(seen.machine for seen in project.machines),
            )
            for project in listed
        ],
    )


def _cell(cell: Cell) -> str:
    standing = cell.standing
    found = standing.reason or str(standing.state)
    if standing.growth is not None:
        found = f"{found_order(standing)}, R̄² {determination(standing.adjusted_r2)}"
    if standing.mark is None:
        return found
    delta = f", δ {standing.divergence.unicode()}" if standing.divergence else ""
    return f"{SYMBOLS[standing.mark]} {standing.mark}: {found}{delta}"
