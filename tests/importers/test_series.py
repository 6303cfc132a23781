import pytest

from scalewatch.importers.series import ImportedMeasurement, Scans, SeriesIdentity


def subject(**fields) -> SeriesIdentity:
    defaults = {
        "region": "solve",
        "metric": "time",
        "unit": "s",
        "configuration": (),
        "parameters": ("p",),
        "origin": (),
    }
    return SeriesIdentity(**(defaults | fields))


def series_of(*measurements: ImportedMeasurement):
    return Scans(measurements).series()


def test_measurements_at_one_coordinate_are_repetitions() -> None:
    [series] = series_of(
        ImportedMeasurement(subject(), (8,), [2.0]),
        ImportedMeasurement(subject(), (4,), [1.0]),
        ImportedMeasurement(subject(), (8,), [2.5]),
        ImportedMeasurement(subject(), (4,), [1.5]),
    )

    assert series.settings.tolist() == [[4], [8]]
    assert series.values.tolist() == [[1.0, 1.5], [2.0, 2.5]]


def test_series_keep_the_order_of_appearance() -> None:
    series = series_of(
        ImportedMeasurement(subject(region="z"), (4,), [1.0]),
        ImportedMeasurement(subject(region="a"), (4,), [1.0]),
        ImportedMeasurement(subject(region="z"), (8,), [1.0]),
    )

    assert [one.region for one in series] == ["z", "a"]


@pytest.mark.parametrize(
    ("coordinates", "parameters", "configuration"),
    [
        ([(1, 4), (2, 4)], ("n",), {"p": 4}),
        ([(1, 4), (1, 8)], ("p",), {"n": 1}),
        ([(1, 4), (2, 8)], ("p",), {}),
        ([(1, 4), (1, 8), (2, 4)], ("p", "n"), {}),
        ([(1, 4)], ("p",), {"n": 1}),
        ([(3, 4), (1, 8), (2, 16)], ("p", "n"), {}),
        ([(4, 1), (2, 2), (1, 4)], ("p",), {}),
    ],
    ids=[
        "p is held",
        "n is held",
        "weak scaling: n follows p",
        "both vary",
        "a single point",
        "both differ everywhere, in no order",
        "n falls as p rises",
    ],
)
def test_parameters_are_those_that_vary(coordinates, parameters, configuration) -> None:
    of_both = subject(parameters=("n", "p"))

    [series] = series_of(
        *(ImportedMeasurement(of_both, coordinate, [1.0]) for coordinate in coordinates)
    )

    assert series.parameters == parameters
    assert series.configuration == configuration
    assert series.settings.shape == (len(coordinates), len(parameters))


def test_origin_is_told_where_it_differs() -> None:
    series = series_of(
        ImportedMeasurement(
            subject(origin=(("commit", "a"), ("machine", "m"))), (4,), [1.0]
        ),
        ImportedMeasurement(
            subject(origin=(("commit", "b"), ("machine", "m"))), (4,), [1.0]
        ),
    )

    assert [one.configuration for one in series] == [{"commit": "a"}, {"commit": "b"}]
