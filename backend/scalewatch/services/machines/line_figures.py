"""What figures draw of machine lines."""

from scalewatch.figures.figure import Figure
from scalewatch.figures.machine_lines import DrawnLine, machine_lines_figure
from scalewatch.services.machines.lines import MachineLines


def lines_figure(shown: MachineLines) -> Figure:
    """Draw the lines of those machines that have one."""
    lines = [DrawnLine(each.slot, each.line) for each in shown.lines if each.line]
    return machine_lines_figure(lines, unit=shown.unit)
