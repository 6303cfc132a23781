import numpy as np
import pytest

from scalewatch.modelling.rules.several_parameters.competitors import (
    catalogue,
    count,
    structures,
)


def written(structure, names="pnt"):
    """Write a structure as a sum of products."""
    return " + ".join("·".join(names[k] for k in sorted(each)) for each in structure)


def test_two_parameters_act_together_in_seven_ways():
    assert {written(each) for each in structures(2)} == {
        "",
        "p",
        "n",
        "p·n",
        "p + n",
        "p·n + p",
        "p·n + n",
    }


def test_one_parameter_acts_or_does_not():
    assert [written(each) for each in structures(1)] == ["", "p"]


def test_three_parameters_occur_in_one_product_each_and_one_product_brings_a_part():
    found = {written(each) for each in structures(3)}

    assert {"p·n·t", "p + n + t", "p·n + t", "p·n·t + p·n", "n + p·t + t"} <= found
    assert not {"p·n + n·t", "p·n + p·t", "p·n·t + p + n"} & found
    assert len(found) == len(structures(3))


@pytest.mark.parametrize("parameters", [1, 2, 3, 4])
def test_the_constant_comes_first_and_no_structure_twice(parameters):
    found = structures(parameters)

    assert found[0] == ()
    assert len({frozenset(each) for each in found}) == len(found)
    assert [len(each) for each in found] == sorted(len(each) for each in found)


def test_the_usual_space_has_7141_hypotheses_in_two_parameters():
    assert count((42, 42)) == catalogue((42, 42)).hypotheses == 7141


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (2, 1, 3)])
def test_the_members_of_a_structure_share_the_growth_of_each_parameter(sizes):
    known = catalogue(sizes)
    factors = list(known.factors())

    assert known.hypotheses == count(sizes)
    for family in known.families:
        for members in family.members.tolist():
            growth = {}
            for product, column in zip(family.structure, members, strict=True):
                numbers = factors[column]
                assert {k for k, number in enumerate(numbers) if number >= 0} == product
                for k in product:
                    assert growth.setdefault(k, numbers[k]) == numbers[k]


@pytest.mark.parametrize("sizes", [(2, 3), (2, 1, 3)])
def test_no_hypothesis_occurs_twice(sizes):
    known = catalogue(sizes)
    hypotheses = [
        tuple(sorted(members))
        for family in known.families
        for members in family.members.tolist()
    ]

    assert len(set(hypotheses)) == len(hypotheses)


def test_a_parameter_without_growths_takes_no_part():
    known = catalogue((2, 0))

    assert known.hypotheses == 3
    assert list(known.factors()) == [(0, -1), (1, -1)]
    assert np.concatenate([each.members for each in known.families[1:]]).shape == (2, 1)
