"""A time that falls: first its gain, then where its model is least, then growth."""

from math import log2
from uuid import NAMESPACE_OID, uuid5

import pytest

from support.builders import result, run_report
from support.recorded import record
from support.shown_pages import page_of, words_of

SIZES = (2, 4, 8, 16, 32, 64)


def measure(sessions, growth, scale="nodes", machine="jureca", **coordinate):
    record(
        sessions,
        [
            run_report(
                id=str(uuid5(NAMESPACE_OID, f"{scale} {size} {machine}")),
                project="neko",
                suite="own",
                machine={"name": machine, "fingerprint": {"cores": 64}},
                coordinate={scale: size} | {k: v(size) for k, v in coordinate.items()},
                configuration={},
                results=[
                    result(
                        region="step",
                        values=[growth(size) * (1 + e) for e in (0, 0.002)],
                    )
                ],
            )
            for size in SIZES
        ],
    )


def sentence_of(client):
    """Return the words of the page of the region."""
    return " ".join(words_of(page_of(client, "/p/neko/r/step")).split())


@pytest.mark.parametrize(("scale", "many"), [("nodes", "nodes"), ("gpus", "GPUs")])
def test_the_gain_comes_before_the_least_of_the_model_and_its_growth(
    client, sessions, scale, many
):
    measure(sessions, lambda n: 100 / n + 0.2 * log2(n) + 0.1, scale)

    said = sentence_of(client)
    gained = said.index(f"On 64 {many} step runs 17.6 × as fast as on 2")
    least = said.index("By its model it is fastest on about")
    grown = said.index("the time of step grows like")
    assert gained < least < grown


def test_a_model_without_a_minimum_falls(client, sessions):
    measure(sessions, lambda n: 100 / n)

    said = sentence_of(client)
    assert (
        "On 64 nodes step runs 32.0 × as fast as on 2: parallel efficiency 100" in said
    )
    assert "it is fastest" not in said
    assert "the time of step falls like O(1 / nodes)" in said


@pytest.mark.parametrize(
    ("growth", "coordinate"),
    [
        (lambda n: 1 + 0.1 * log2(n), {}),
        (lambda n: 100 / n, {"n": lambda n: 1000 * n}),  # a problem that grows
    ],
)
def test_what_is_no_strong_scaling_gains_nothing(client, sessions, growth, coordinate):
    measure(sessions, growth, **coordinate)

    assert "× as fast as on 2" not in sentence_of(client)


def test_a_comparison_tells_first_what_each_side_gained(client, sessions):
    for machine, factor in (("fast", 1.0), ("slow", 2.0)):
        measure(sessions, lambda n, f=factor: f * 100 / n, machine=machine)

    page = " ".join(words_of(page_of(client, "/p/neko/compare/fast...slow")).split())
    gains = [
        page.index(f"On 64 nodes step runs {gain} × as fast as on 2 ({side})")
        for gain, side in (("32.0", "fast"), ("32.0", "slow"))
    ]
    assert max(gains) < page.index("step falls like O(1 / nodes) on fast")


def test_home_tells_first_what_was_gained_where_less_is_than_expected(client, sessions):
    strict = {"growth": "1/nodes^2", "deviation_limit": "nodes^(1/2)"}
    expected = [{"region": "step", "metric": "time", **strict}]
    measure(sessions, lambda n: 100 / n)
    said = {"author": "ada", "expectations": expected}
    client.put("/api/v1/projects/neko/expectations", json=said)
    record(sessions, [])

    page = " ".join(words_of(page_of(client, "/")).split())
    gained = page.index("On 64 nodes step runs 32.0 × as fast as on 2")
    assert gained < page.index("time falls like O(1 / nodes), worse than expected")
