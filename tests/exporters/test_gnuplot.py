import shutil
import subprocess

import pytest

from scalewatch.exporters.gnuplot import GnuplotFigure, gnuplot_text
from scalewatch.modelling import extrapolations
from support.traced import RELEASES, SWEEP3D

P = SWEEP3D["P"]


def sweep3d(release="blocking", title="Sweep3D"):
    times = SWEEP3D["variants"][RELEASES[release]]["T_seconds"]
    return GnuplotFigure(
        "extrapolation", title, "time (s)", P, {"MPI": times}, extrapolations(P, times)
    )


def test_figure_has_its_numbers_in_a_block_and_a_curve_for_each_subset():
    text = gnuplot_text([sweep3d()])

    block = text.partition("$data0 << EOD\n")[2].partition("\nEOD\n")[0].splitlines()
    assert block[:2] == ["# P 'MPI'", "4 26.172"]
    assert len(block) == 8
    assert text.count("(x) =") == 4
    assert "title 'first 7, e_max 15.35 %'" in text
    assert "plot [0:35][0:] $data0 using 1:2 with points" in text


def test_missing_values_are_gaps_and_names_end_no_text():
    figure = GnuplotFigure("t", "it's `rm` $(x)", "s", [4, 8], {"a'b": [None, 1.5]})

    text = gnuplot_text([figure])

    assert "4 NaN\n8 1.5\n" in text
    assert "set title 'it_s _rm_ _(x)'" in text
    assert "title 'a_b'" in text


def test_gnuplot_draws_what_is_written(tmp_path):
    program = shutil.which("gnuplot")
    if program is None:
        pytest.skip("gnuplot is not installed")
    text = gnuplot_text([sweep3d()])

    subprocess.run(
        [program], input=text, text=True, cwd=tmp_path, check=True, capture_output=True
    )

    assert "<svg" in (tmp_path / "extrapolation.svg").read_text("utf-8")
