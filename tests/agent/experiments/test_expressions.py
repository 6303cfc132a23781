import pytest

from scalewatch_agent.errors import BadExpression
from scalewatch_agent.experiments.expressions import parse_expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * p + 1", 9),
        ("p ** 2 / 8", 2.0),
        ("-p // 3", -2),
        ("p % 3", 1),
        ("log2(p)", 2.0),
        ("max(p, 7) - min(p, 7)", 3),
        ("ceil(p / 3)", 2),
        ("'a' if p < 5 and not p == 3 else 'b'", "a"),
        ("1 < p <= 4", True),
        ("kind == 'fast'", True),
        ("1e3", 1000.0),
    ],
)
def test_expression_comes_to_what_python_says(text, value):
    found = parse_expression(text).value({"p": 4, "kind": "fast"})

    assert found == value
    assert type(found) is type(value)


def test_expression_names_the_parameters_it_uses():
    assert parse_expression("max(p, n) * sqrt(q)").names == {"p", "n", "q"}


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "p.real",
        "p[0]",
        "(lambda: 1)()",
        "[x for x in (1, 2)]",
        "open('/etc/passwd')",
        "f'{p}'",
        "p := 3",
        "import os",
        "max(p, key=abs)",
        "max(*p)",
        "b'1'",
        "1j",
        "...",
        "",
        "(" * 400,
        "1" * 600,
    ],
)
def test_what_is_no_arithmetic_is_refused_unevaluated(text):
    with pytest.raises(BadExpression):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "divides by zero"),
        ("9 ** 9 ** 9", "too large"),
        ("1e300 * 1e300", "inf"),
        ("(-1) ** 0.5", "no value"),
        ("'a' * 1000000000", "no value"),
        ("'a' < 1", "no value"),
        ("q + 1", "no parameter 'q'"),
        ("exp(1000)", "too large"),
    ],
)
def test_expression_without_a_value_says_why(text, reason):
    with pytest.raises(BadExpression, match=reason):
        parse_expression(text).value({"p": 4})


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "'4'", "1 < 2"])
def test_count_is_a_whole_number_from_one(text):
    with pytest.raises(BadExpression):
        parse_expression(text).count({})
