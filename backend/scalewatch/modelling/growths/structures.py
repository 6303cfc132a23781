"""Which sums and products of single-parameter terms compete for several parameters.

A structure says how parameters act together. With f(p) and g(n) these are

    1, f, g, f·g, f + g, f·g + f, f·g + g,

each with a constant and a coefficient per product. In general every parameter occurs
in at most one product, and one product may come with a part of itself. A hypothesis
is a structure with a growth for each of its parameters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, combinations
from math import prod

import numpy as np

from scalewatch.modelling.arrays import Indices

Product = frozenset[int]
"""Numbers of the parameters that are multiplied."""

Structure = tuple[Product, ...]
"""Products that are added up."""


@dataclass(frozen=True, slots=True)
class StructureHypotheses:
    """All hypotheses of one structure.

    Parameters
    ----------
    structure
        K products.
    members
        Columns of each hypothesis, shape (H, K), as `Catalogue` counts them.
    """

    structure: Structure
    members: Indices


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All hypotheses that can be made of so many growths per parameter.

    Parameters
    ----------
    sizes
        Number of growths of each parameter, the constant not counted.
    products
        Products of parameters; the columns of one follow those of the one before,
        growths of its last parameter varying fastest.
    families
        One per structure, the constant first.
    """

    sizes: tuple[int, ...]
    products: tuple[Product, ...]
    families: tuple[StructureHypotheses, ...]

    @property
    def hypotheses(self) -> int:
        """Number of all hypotheses."""
        return sum(len(family.members) for family in self.families)

    def factors(self) -> Iterator[tuple[int, ...]]:
        """Yield for each column the number of its growth per parameter, -1 if none."""
        for product in self.products:
            shape = [size if k in product else 1 for k, size in enumerate(self.sizes)]
            for place in np.ndindex(*shape):
                yield tuple(
                    number if k in product else -1 for k, number in enumerate(place)
                )


def count(sizes: Sequence[int]) -> int:
    """Return how many hypotheses a catalogue of these sizes has."""
    return sum(
        prod(sizes[k] for k in frozenset[int]().union(*structure))
        for structure in structures(len(sizes))
    )


@lru_cache(maxsize=32)
def catalogue(sizes: tuple[int, ...]) -> Catalogue:
    """Return all hypotheses for so many growths per parameter."""
    products = tuple(_parts(range(len(sizes))))
    widths = (prod(sizes[k] for k in product) for product in products)
    first = dict(zip(products, accumulate(widths, initial=0), strict=False))
    return Catalogue(
        sizes=sizes,
        products=products,
        families=tuple(
            StructureHypotheses(structure, _members(structure, sizes, first))
            for structure in structures(len(sizes))
            if all(sizes[k] for product in structure for k in product)
        ),
    )


@lru_cache(maxsize=32)
def structures(parameters: int) -> tuple[Structure, ...]:
    """Return all structures of a number of parameters, the constant first."""
    read: list[Structure] = []
    for used in chain([frozenset[int]()], _parts(range(parameters))):
        for sum_of_products in _partitions(sorted(used)):
            read.append(sum_of_products)
            read += [
                (*sum_of_products, part)
                for product in sum_of_products
                for part in _parts(sorted(product))
                if part != product
            ]
    return tuple(sorted(read, key=len))


def _parts(things: Sequence[int]) -> Iterator[Product]:
    """Yield all subsets but the empty one, the small ones first."""
    for size in range(1, len(things) + 1):
        yield from map(frozenset, combinations(things, size))


def _partitions(things: Sequence[int]) -> Iterator[Structure]:
    """Yield all ways to divide things among products."""
    if not things:
        yield ()
        return
    first, *rest = things
    for partition in _partitions(rest):
        for at, product in enumerate(partition):
            yield (*partition[:at], product | {first}, *partition[at + 1 :])
        yield (frozenset({first}), *partition)


def _members(
    structure: Structure, sizes: Sequence[int], first: dict[Product, int]
) -> Indices:
    """Return the columns of all choices of growths for the parameters used."""
    used = sorted(frozenset[int]().union(*structure))
    if not used:
        return np.zeros((1, 0), dtype=np.intp)
    choices = np.indices([sizes[k] for k in used]).reshape(len(used), -1)
    columns = []
    for product in structure:
        numbers = [choices[used.index(k)] for k in sorted(product)]
        shape = [sizes[k] for k in sorted(product)]
        columns.append(first[product] + np.ravel_multi_index(numbers, shape))
    return np.stack(columns, axis=1)
