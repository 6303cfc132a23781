"""Tables in other languages, marks and layouts: numbers, words, remarks, HTML."""

import pytest

from scalewatch.importers import read_files


def scan(write, text, name="table.csv"):
    """Return the first series of a table that is read whole."""
    reading = read_files([write(text, name)])
    assert not reading.unreadable, reading.unreadable
    series = reading.series[0]
    return (
        series.parameters[0],
        dict(
            zip(
                series.settings[:, 0].tolist(),
                series.values[:, 0].tolist(),
                strict=True,
            )
        ),
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "Kerne;Laufzeit [s]\n1;1.234,5\n2;640,25\n4;12.300\n",
            (1234.5, 640.25, 12300),
        ),
        ("sep=;\nProcs;Time [s]\n1;9,5\n2;4,75\n4;2,5\n", (9.5, 4.75, 2.5)),
        ("Kerne | Zeit [s]\n---|---\n1 | 98,4\n2 | 50,3\n4 | 26,0\n", (98.4, 50.3, 26)),
        (
            'Cores,Rate (it/s)\n1,"12,300"\n2,"24,100"\n4,"46,900"\n',
            (12300, 24100, 46900),
        ),
        ("Cores;Time [s]\n1;1.234\n2;0.617\n4;0.309\n", (1.234, 0.617, 0.309)),
        (
            "Cores | Rate (it/s)\n-|-\n1 | 12,300\n2 | 24,100\n4 | 1,500\n",
            (12300, 24100, 1500),
        ),
    ],
)
def test_commas_and_points_are_those_of_the_table(write, text, values) -> None:
    assert scan(write, text) == ("p", dict(zip((1, 2, 4), values, strict=True)))


@pytest.mark.parametrize(
    ("header", "parameter"),
    [
        ("Anzahl Prozesse,Rechenzeit (s)", "p"),
        ("Nombre de processus,Temps (s)", "p"),
        ("procesos,tiempo (s)", "p"),
        ("Nœuds,Temps (s)", "nodes"),
        ("World size,Time (s)", "p"),
    ],
)
def test_headings_of_other_languages_name_scales(write, header, parameter) -> None:
    assert scan(write, f"{header}\n1,8.5\n2,4.5\n4,2.5\n")[0] == parameter


def test_words_in_latin_1_are_read(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("Kerne;Ausführungszeit [s];Bemerkung\n1;8,5;ü\n".encode("latin-1"))

    [error] = read_files([str(path)]).unreadable  # a letter alone is no word
    path.write_bytes("Kerne;Ausführungszeit [s]\n1;8,5\n2;4,5\n".encode("latin-1"))
    [series] = read_files([str(path)]).series

    assert "byte 0xfc" in str(error)
    assert series.metric == "Ausführungszeit"


def test_remarks_and_totals_below_a_table_are_no_rows(write) -> None:
    text = "Cores,Time (s)\n1,8.5\n2,4.5\n4*,2.5\nTotal,15.5\n\n* two threads a core\n"

    reading = read_files([write(text)])

    assert reading.series[0].settings[:, 0].tolist() == [1, 2, 4]
    assert sum("left out" in note for note in reading.left_out) == 2


def test_region_called_total_is_a_row(write) -> None:
    reading = read_files([write("region,p,time\nsolve,2,3.5\ntotal,2,4.5\n")])

    assert [each.region for each in reading.series] == ["solve", "total"]


def test_short_row_of_numbers_is_refused(write) -> None:
    [error] = read_files([write("p,time\n2,3.5\n4\n")]).unreadable

    assert "line 3: expected 2 cells" in str(error)


HTML = """# Results
<h3>Strong scaling</h3>
<table>
<tr><th># of nodes</th><th>Time (s)</th></tr>
<tr><td>1</td><td>8.5</td></tr>
<tr><td>2</td>
<td><b>4.5</b></td></tr>
</table>
"""


def test_tables_of_html_are_read(write) -> None:
    reading = read_files([write(HTML, "README.md")])

    [table] = reading.tables
    assert table.title == "Strong scaling"
    assert scan(write, HTML, "README.md") == ("nodes", {1: 8.5, 2: 4.5})


def test_number_sign_in_a_header_is_no_comment(write) -> None:
    text = "# Results\n\n| # Nodes | Time (s) |\n|--|--|\n| 1 | 8.5 |\n| 2 | 4.5 |\n"

    assert scan(write, text, "README.md") == ("nodes", {1: 8.5, 2: 4.5})


def test_header_of_counts_says_what_it_counts(write) -> None:
    text = "Precision,1 GPU,2 GPUs,4 GPUs\nfp32 (img/s),310,601,1150\n"

    assert scan(write, text) == ("gpus", {1: 310, 2: 601, 4: 1150})


def test_header_of_numbers_beside_a_size_is_asked_for(write) -> None:
    [error] = read_files(
        [write("Cells,1,2\n1000,10.5,5.5\n2000,20.5,10.5\n")]
    ).unreadable

    assert "--column p=header" in str(error)


LISTED = """.. list-table:: Strong
   :header-rows: 1

   * - Nodes
     - Time (s)
   * - 1
     - 8.5
   * - 2
     - 4.5

Text.
"""


@pytest.mark.parametrize(
    "text",
    [
        LISTED,
        ".. csv-table:: Strong\n   :header: Nodes, Time (s)\n\n   1, 8.5\n   2, 4.5\n",
        "Nodes   Time(s)\n---------------\n1       8.5\n2       4.5\n",
    ],
)
def test_further_tables_of_texts_are_found(write, text) -> None:
    assert scan(write, text, "scaling.rst") == ("nodes", {1: 8.5, 2: 4.5})


@pytest.mark.parametrize(
    ("column", "cell", "metric", "unit"),
    [
        ("energy_j", "5000", "energy", "J"),
        ("Wall Time (hh:mm:ss)", "0:01:40", "Wall Time", "s"),
        ("T(N) [s]", "8.5", "T(N)", "s"),
        ("Zeit in s", "8.5", "Zeit", "s"),
        ("T_avg", "8.5", "T_avg", "s"),
    ],
)
def test_units_stand_in_names(write, column, cell, metric, unit) -> None:
    text = f"Cores,{column}\n1,{cell}\n2,{cell}\n"

    [series] = read_files([write(text)]).series

    assert (series.metric, series.unit) == (metric, unit)


def test_amount_that_varies_is_the_scale_where_no_other_does(write) -> None:
    [series] = read_files(
        [write("Ranks,Msg (B),Latency (us)\n2,8,1.5\n2,64,2.5\n")]
    ).series

    assert series.parameters == ("Msg (B)",)
    assert series.configuration == {"p": 2}


def test_size_in_words_is_a_case(write) -> None:
    text = "size,ranks,time\nsmall,1,1.5\nsmall,2,0.5\nlarge,1,9.5\nlarge,2,4.5\n"

    reading = read_files([write(text)])

    assert [each.configuration["size"] for each in reading.series] == ["small", "large"]


def test_a_row_of_html_numbers_of_another_width_is_not_lost(write) -> None:
    cells = "".join(f"<tr><td>{p}</td><td>{8 / p}</td></tr>\n" for p in (1, 2, 4))
    head = "<table>\n<tr><th>Cores</th><th>Time (s)</th></tr>\n"
    torn = "<tr><td>8</td></tr>\n"

    path = write(f"{head}{cells}{torn}</table>\n")

    (error,) = read_files([str(path)]).unreadable
    assert "line 6" in str(error)
