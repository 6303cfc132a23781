"""A calibration as a table for people: t_max by function, processes and bytes."""

from collections import defaultdict
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from scalewatch_agent.traces.calibration.cells import WIDE
from scalewatch_agent.traces.calibration.table import Calibration

MOST_SIZES: Final = 6


def print_calibration(calibration: Calibration, path: Path) -> None:
    """Print a row for each function and number of processes."""
    console = Console()
    rows = defaultdict(list)
    for cell in calibration.cells:
        rows[cell.function, cell.processes].append(cell)
    table = Table(title=f"t_max in µs, {calibration.title}", title_justify="left")
    for heading in ("function", "p", "bytes: t_max"):
        table.add_column(heading, overflow="fold")
    for (function, processes), cells in rows.items():
        cells.sort(key=lambda cell: cell.bytes)
        step = max(1, -(-len(cells) // MOST_SIZES))
        shown = [*cells[:-1:step], cells[-1]]
        texts = (
            f"{cell.bytes:,}: {cell.best * 1e6:.3g}{'!' if cell.is_wide else ''}"
            for cell in shown
        )
        table.add_row(function, str(processes), "  ".join(texts))
    console.print(table)
    wide = sum(cell.is_wide for cell in calibration.cells)
    if wide:
        console.print(
            f"{wide} of {len(calibration.cells)} cells (!) have blocks that differ by "
            f"more than {WIDE:g}: other programs were running.",
            highlight=False,
        )
    console.print(f"Kept in {path}", highlight=False, soft_wrap=True)
