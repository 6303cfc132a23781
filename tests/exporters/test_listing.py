import csv
from io import StringIO

from scalewatch.exporters.listing import Listing, csv_text, markdown_text

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
        "| --- | --- |",
        '| a "quoted", name | 1.5 |',
        "| pipe \\| and newline |  |",
    ]


def test_names_are_not_formatted_by_markdown():
    listing = Listing(("region",), [("MPI_Comm_*<b>`x`</b>*",)])

    assert markdown_text(listing).splitlines()[2] == (
        r"| MPI\_Comm\_\*\<b\>\`x\`\</b\>\* |"
    )
