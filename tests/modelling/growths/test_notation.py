import pytest

from scalewatch.modelling import CONSTANT, Growth

LOG = Growth.of("p", log=1)


@pytest.mark.parametrize(
    ("growth", "plain", "people", "latex"),
    [
        (CONSTANT, "1", "1", "1"),
        (LOG, "log p", "log p", r"\log p"),
        (
            Growth.of("p", power="1/2", log=1),
            "p^(1/2) log p",
            "√p · log p",
            r"p^{1/2} \, \log p",
        ),
        (
            Growth.of("p", power="1/2", log=-1),
            "p^(1/2) / log p",
            "√p / log p",
            r"\frac{p^{1/2}}{\log p}",
        ),
        (CONSTANT / LOG, "1 / log p", "1 / log p", r"\frac{1}{\log p}"),
        (
            Growth.of("k", power=3, exp2=1),
            "k^3 2^k",
            "k³ · 2^k",
            r"k^{3} \, 2^{k}",
        ),
        (Growth.of("k", exp2="3/2"), "2^(3k/2)", "2^(3k/2)", "2^{3k/2}"),
        (Growth.of("n", power="2.8074"), "n^2.8074", "n^2.8074", "n^{2.8074}"),
        (Growth.of("p", power="2/3"), "p^(2/3)", "p^(2/3)", "p^{2/3}"),
        (Growth.of("p", log=2), "log^2 p", "log² p", r"\log^{2} p"),
        (
            Growth.of("block_size", power=1),
            "block_size",
            "block_size",
            r"\mathit{block\_size}",
        ),
        (
            Growth.of("p", power=-1, log=-1),
            "1 / (p log p)",
            "1 / (p · log p)",
            r"\frac{1}{p \, \log p}",
        ),
    ],
    ids=str,
)
def test_a_growth_is_written_for_programs_people_and_latex(
    growth, plain, people, latex
):
    assert str(growth) == plain
    assert growth.unicode() == people
    assert growth.latex() == latex
