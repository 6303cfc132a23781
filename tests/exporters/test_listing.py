import csv
import re
from io import StringIO

import pytest

from scalewatch.exporters.listing import (
    Columns,
    Listing,
    csv_text,
    latex_text,
    markdown_text,
)

LISTING = Listing(
    ("region", "time"), [('a "quoted", name', 1.5), ("pipe | and\nnewline", None)]
)


def test_csv_reads_back_as_it_was_written():
    rows = list(csv.reader(StringIO(csv_text(LISTING), newline="")))

    assert rows == [
        ["region", "time"],
        ['a "quoted", name', "1.5"],
        ["pipe | and\nnewline", ""],
    ]


def test_markdown_keeps_one_line_per_row_and_escapes_what_is_markup():
    assert markdown_text(LISTING).splitlines() == [
        "| region | time |",
        "| --- | ---: |",
        '| a "quoted", name | 1.50 |',
        "| pipe \\| and newline |  |",
    ]


def test_names_are_not_formatted_by_markdown():
    listing = Listing(("region",), [("MPI_Comm_*<b>`x`</b>*",)])

    assert markdown_text(listing).splitlines()[2] == (
        r"| MPI\_Comm\_\*\<b\>\`x\`\</b\>\* |"
    )


def test_latex_escapes_what_means_something_to_it():
    listing = Listing(("100 % of", "R̄²"), [("MPI_Comm{&}", "✓ O(√p)"), (None, "a\\b")])

    assert latex_text(listing).splitlines() == [
        r"% Needs: \usepackage{booktabs}",
        r"\begin{tabular}{ll}",
        r"\toprule",
        r"100 \% of & \={R}\ensuremath{^{2}} \\",
        r"\midrule",
        r"MPI\_Comm\{\&\} & \ensuremath{\surd} $O(p^{1/2})$ \\",
        r" & a\textbackslash{}b \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_numbers_in_latex_have_the_digits_of_pages_and_stand_right():
    listing = Listing(
        ("region", "p", "time"),
        [("a", 64, 1.23456789012e-05), ("b", 128, 0.0123456), ("c", 256, -1234.5678)],
    )

    lines = latex_text(listing).splitlines()

    assert lines[1] == r"\begin{tabular}{lrr}"
    assert lines[5:8] == [
        r"a & 64 & 1.23\,\ensuremath{\times}\,10\ensuremath{^{-5}} \\",
        r"b & 128 & 0.0123 \\",
        r"c & 256 & \ensuremath{-}1,230 \\",
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("O(p^(5/4)), δ √p · log p", r"$O(p^{5/4})$, $\delta = p^{1/2} \, \log p$"),
        ("O(k³ · 2^k) → O(1)", r"$O(k^{3} \, 2^{k})$ \ensuremath{\to} $O(1)$"),
        ("δ p / log p, × 2", r"$\delta = \frac{p}{\log p}$, \ensuremath{\times} 2"),
        ("IO(a_b, c)", r"IO(a\_b, c)"),
        ("O(", "O("),
    ],
)
def test_growths_are_formulas_in_latex(text, written):
    assert latex_text(Listing(("",), [(text,)])).splitlines()[5] == rf"{written} \\"


COLUMNS = Columns[str, int](
    {"name": lambda name, _: name, "twice": lambda _, number: 2 * number}
)


def test_columns_make_a_cell_of_each_part_of_a_row():
    listing = COLUMNS.listing([("a", 1), ("b", 2)])

    assert csv_text(listing) == "name,twice\r\na,2\r\nb,4\r\n"


def test_columns_without_rows_keep_their_titles():
    assert csv_text(COLUMNS.listing([])) == "name,twice\r\n"


def test_a_latex_table_wider_than_the_text_breaks_its_cells_into_lines():
    listing = Listing(("region", "sentence"), [("a", "words and more " * 20)])

    first, _, begin, *_ = latex_text(listing).splitlines()

    assert first == r"% Needs: \usepackage{array,booktabs,longtable}"
    widths = [float(each) for each in re.findall(r"p{([\d.]+)\\linewidth}", begin)]
    assert len(widths) == 2
    assert sum(widths) < 1


def test_a_latex_table_of_too_many_columns_becomes_several_that_name_their_rows():
    machines = tuple(f"machine-{place:02}" for place in range(12))
    rows = [("kind", f"region_{row}", *["mismatch"] * 12) for row in range(3)]

    text = latex_text(Listing(("kind", "region", *machines), rows))

    parts = text.split(r"\begin{longtable}")[1:]
    assert len(parts) > 1
    assert all("region" in part and r"region\_2" in part for part in parts)
    assert sorted(re.findall(r"machine-\d+", text.replace(r"\allowbreak{}", ""))) == [
        *machines
    ]
