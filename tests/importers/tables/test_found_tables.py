"""Tables of texts: where they stand, what their headers say, and what is asked."""

import pytest

from scalewatch.importers import read_files
from scalewatch.services.files.previews import previewed

GRID = """+-------+----------+
| Cores | Time [s] |
+=======+==========+
| 1     | 8.5      |
+-------+----------+
| 2     | 4.5      |
+-------+----------+
"""
SIMPLE = """Strong scaling
--------------

=====  ========
Cores  Time [s]
=====  ========
1      8.5
2      4.5
=====  ========
"""
LATEX = r"""\begin{table}
\caption{Strong scaling}
\begin{tabular}{lr}
\toprule
\textbf{Cores} & Time [s] \\ \midrule
1 & $8.5$ \\
2 & 4.5 \\
\bottomrule
\end{tabular}
\end{table}
"""
ORG = """* Strong scaling
| Cores | Time [s] |
|-------+----------|
|     1 |      8.5 |
|     2 |      4.5 |
"""
ALIGNED = """Strong scaling:

  Number of cores    Time [s]
  ---------------    --------
                1         8.5
                2         4.5

done
"""
PIPES = "# Strong scaling\n\nCores | Time [s]\n--- | ---\n1 | 8.5\n2 | 4.5\n"
FENCED = f"# Strong scaling\n\n```\n{ALIGNED}```\n"


def read(write, text, **options):
    reading = read_files([write(text)], **options)
    assert not reading.unreadable, reading.unreadable
    return reading


def only(reading):
    [series] = reading.series
    return series


@pytest.mark.parametrize("text", [GRID, SIMPLE, LATEX, ORG, ALIGNED, PIPES, FENCED])
def test_table_of_any_text_is_found(write, text) -> None:
    series = only(read(write, text))

    assert (series.metric, series.unit, series.parameters) == ("time", "s", ("p",))
    assert series.settings[:, 0].tolist() == [1, 2]
    assert series.values[:, 0].tolist() == [8.5, 4.5]


def test_each_table_of_a_text_has_its_heading_as_name(write) -> None:
    text = "# Runs\n\n## Intel\n\n" + ORG.partition("\n")[2] + "\n## AMD\n\n" + GRID

    names = {series.configuration["table"] for series in read(write, text).series}

    assert names == {"Intel", "AMD"}


def test_report_of_a_table_says_where_it_stands_and_why(write) -> None:
    rows = "48,1,8.5,0.1,8.5\n96,2,4.4,0.3,4.25\n192,4,2.3,0.2,2\n"
    text = f"p,nodes,time,note,Ideal\n{rows}"

    [table] = read(write, text).tables

    meanings = {column.name: (column.meaning, column.why) for column in table.columns}
    assert table.place.endswith("line 1")
    assert meanings["p"] == ("p", "its name")
    assert meanings["time"][0] == "values, time"
    assert meanings["Ideal"] == (
        "left out",
        "an ideal, a path, a date or a number of rows",
    )


@pytest.mark.parametrize(
    ("header", "settings"),
    [
        ("1,2,4", [1, 2, 4]),
        ("1× A100,2× A100,4× A100", [1, 2, 4]),
        ("1*1,1*4,2*4", [1, 4, 8]),
    ],
)
def test_header_of_counts_is_the_scale_that_its_corner_names(
    write, header, settings
) -> None:
    text = f"model \\ GPUs,{header}\nsmall,9.5,5.5,3.5\nlarge,19.5,10.5,6.5\n"

    reading = read(write, text)

    assert [each.configuration["model"] for each in reading.series] == [
        "small",
        "large",
    ]
    assert reading.series[0].settings[:, 0].tolist() == settings
    assert reading.series[0].parameters == ("gpus",)


def test_header_of_sizes_stands_beside_a_scale(write) -> None:
    reading = read(write, "cores,1000,2000\n1,8.5,17.5\n2,4.5,9.5\n4,2.5,5.0\n")

    assert only(reading).parameters == ("p", "n")


def test_header_of_numbers_that_nothing_names_is_asked_about(write) -> None:
    text = "Photons (in M),8,32,56\n10,3.9e5,1.1e6,1.6e6\n66,5.4e5,1.1e6,1.5e6\n"

    [error] = read_files([write(text)]).unreadable
    stated = read(write, text, columns={"p": ["header"]})

    assert "`--column p=header`" in str(error)
    assert [each.parameters for each in stated.series] == [("p",), ("p",)]


def test_first_column_that_only_rises_is_the_scale_under_its_own_name(write) -> None:
    text = "Data (MB),Bandwidth (MB/s)\n4.2,610.5\n8.4,910.5\n16.8,1040.5\n"

    series = only(read(write, text))

    assert series.parameters == ("Data (MB)",)
    assert series.metric == "Bandwidth"


@pytest.mark.parametrize(
    "name", ["PEs / NUMA domain (%)", "Cores per socket", "Cells (M)"]
)
def test_share_or_size_is_no_value(write, name) -> None:
    text = f"nodes,{name},time\n1,0.5,8.5\n2,0.75,4.5\n4,1.0,2.5\n"

    assert [series.metric for series in read(write, text).series] == ["time"]


def test_whole_numbers_are_values_beside_memory_alone(write) -> None:
    text = "No. Cores,Grind,Memory (GB)\n1,900,1.5\n2,500,1.6\n4,300,1.8\n"

    assert {each.metric for each in read(write, text).series} == {"Grind", "memory"}


def test_efficiency_alone_is_a_relative_time(write) -> None:
    text = "p,efficiency\n2,100\n4,80\n8,50\n"

    series = only(read(write, text))
    timed = only(read(write, text, columns={"base-time": ["10s"]}))

    assert series.values[:, 0].tolist() == pytest.approx([1, 0.625, 0.5])
    assert timed.values[:, 0].tolist() == pytest.approx([10, 6.25, 5])
    assert timed.unit == "s"


def test_efficiency_of_weak_scaling_is_the_inverse_of_a_time(write) -> None:
    text = "# Weak scaling\n\n| p | efficiency |\n|---|---|\n| 1 | 1.0 |\n| 8 | 0.8 |\n"

    assert only(read(write, text)).values[:, 0].tolist() == pytest.approx([1, 1.25])


def test_speedup_stated_as_a_value_stays_one(write) -> None:
    series = only(
        read(write, "p,Speedup\n1,1.0\n2,1.9\n", columns={"value": ["Speedup"]})
    )

    assert (series.metric, series.values[:, 0].tolist()) == ("Speedup", [1.0, 1.9])


@pytest.mark.parametrize("base", [1, 2.5])
def test_speedup_that_contradicts_its_time_is_said(write, base) -> None:
    rows = [(1, 8.0), (2, 4.2), (4, 2.2), (8, 1.2)]
    table = "p,time,Speedup\n" + "".join(
        f"{p},{time},{8 / time * base if p != 4 else 3.0 * base:.2f}\n"
        for p, time in rows
    )

    reading = read(write, table)

    [note] = [note for note in reading.left_out if "contradicts the times" in note]
    assert "line 4: Speedup" in note
    assert [series.metric for series in reading.series] == ["time"]


def test_speedups_that_agree_are_only_left_out(write) -> None:
    table = "p,time,Speedup,Efficiency\n1,8,1,100%\n2,4.2,1.90,95%\n4,2.2,3.64,91%\n"

    assert not any("contradict" in note for note in read(write, table).left_out)


def test_columns_that_are_one_in_a_row_and_rise_are_speedups(write) -> None:
    rows = "  64    0.7    0.5\n  128    1.0    1.0\n  256    2.2    1.8\n"
    text = f"  N_tasks    small    large\n{rows}"

    assert [series.metric for series in read(write, text).series] == [
        "speedup small",
        "speedup large",
    ]


def test_sentence_that_a_log_repeats_is_read_by_its_pattern(write) -> None:
    text = "".join(f"Elapsed time with  {p} nodes:  {64 / p} s.\n" for p in (1, 2, 4))

    reading = read(write, text)

    assert only(reading).parameters == ("nodes",)
    assert (
        "`--line 'Elapsed time with {nodes} nodes: {time} s.'`" in reading.left_out[0]
    )


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("4,8.5\n8,4.5\n", "a table of 2 columns without a header"),
        (
            "hello\nTotal wall time: 3.5 s\n",
            "--line 'Total wall time: {time} s' --at p=8",
        ),
        ("<?xml version='1.0'?>\n<a/>\n", "line 1 looks like XML"),
        ("=== test session starts ===\n", "--benchmark-json"),
        (
            "a\nb\n4 ranks took 3 s\n8 ranks took 2 s\n16 ranks took 1 s\nc\nd\n",
            "{p} ranks took {time} s",
        ),
    ],
)
def test_refusal_says_the_best_guess_and_a_command(write, text, guess) -> None:
    [error] = read_files([write(text)]).unreadable

    assert guess in str(error)


SCALES = (8, 32, 56, 112)
RATES = (92_000, 350_000, 560_000, 950_000)
IDEALS = (92_000, 368_000, 644_000, 1_288_000)


def measured_beside_ideals(names, **more) -> str:
    columns = {"No. Cores": SCALES, **names, **more}
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)])


@pytest.mark.parametrize(
    ("names", "metrics"),
    [
        (("Actual", "Ideal"), {"rate"}),
        (("Actual 10M", "Ideal 10M"), {"10M rate"}),
        (("10M Actual", "10M Ideal"), {"10M rate"}),
        (("Problem 1", "Problem 1 (Linear)"), {"Problem 1 rate"}),
        (("p1-FOM", "p1-ideal"), {"p1-FOM"}),
        (("Actual FOM (k-cells/sec)", "Ideal FOM (k-cells/sec)"), {"Actual FOM"}),
        (("Figure of Merit", "Perfect"), {"Figure of Merit"}),
    ],
)
def test_whole_numbers_beside_their_ideal_are_rates(write, names, metrics) -> None:
    text = measured_beside_ideals(dict(zip(names, (RATES, IDEALS), strict=True)))

    reading = read(write, text)
    rows = previewed(reading.scans.measurements(), {})

    assert {row.metric for row in rows} == metrics
    assert [(row.better, row.is_direction_assumed) for row in rows] == [
        ("higher", False)
    ]


def test_ideal_of_a_time_makes_its_column_one(write) -> None:
    times, ideals = (90, 24, 15, 9), (90, 22.5, 12.9, 6.4)

    series = only(
        read(write, measured_beside_ideals({"Actual": times, "Ideal": ideals}))
    )

    assert (series.metric, series.unit) == ("time", "s")


def test_columns_of_machines_are_values_though_whole(write) -> None:
    text = measured_beside_ideals({"Intel": RATES, "AMD": IDEALS[::-1]})

    assert [series.metric for series in read(write, text).series] == ["Intel", "AMD"]


def test_column_in_proportion_to_the_scale_is_no_value(write) -> None:
    text = measured_beside_ideals({"Units": [4 * p for p in SCALES], "FOM": RATES})

    assert [series.metric for series in read(write, text).series] == ["FOM"]
