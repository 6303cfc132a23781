"""Which hypotheses of several parameters compete, whatever was measured.

A structure says how parameters act together. With f(p) and g(n) these are

    1, f, g, f·g, f + g, f·g + f, f·g + g,

each with a constant and a coefficient per product, none of them negative. In general
every parameter occurs in at most one product, and one product may come with a part of
itself. A hypothesis is a structure with a growth for each of its parameters.

For two parameters there are besides sums of *common* terms, of any sign: n·p - n, (n -
1)·(p - 1), n²/p + n/√p, n³/p + n²·log p are no structure of one growth for each
parameter. Common are the powers and logarithms of which programs are usually made,
those of shared work among them. All of their products compete by themselves, without a
constant, and all sums of two, those of three of the most common ones, and products of a
sum of each parameter. Together they have the share of shapes, see `assumptions`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, chain, combinations, groupby, product
from math import prod
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.rules.evidence.model import (
    CUBE,
    LINEAR,
    LOG,
    ONE,
    ROOT,
    SQUARE,
    Powers,
    growth_with,
)

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
        for together in self.products:
            shape = [size if k in together else 1 for k, size in enumerate(self.sizes)]
            for place in np.ndindex(*shape):
                yield tuple(
                    number if k in together else -1 for k, number in enumerate(place)
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
        for at, together in enumerate(partition):
            yield (*partition[:at], together | {first}, *partition[at + 1 :])
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
    for together in structure:
        numbers = [choices[used.index(k)] for k in sorted(together)]
        shape = [sizes[k] for k in sorted(together)]
        columns.append(first[together] + np.ravel_multi_index(numbers, shape))
    return np.stack(columns, axis=1)


Growths = tuple[Growth, ...]

INVERSE: Final[Powers] = ("-1", 0)
MOST_COMMON: Final = (ONE, LOG, ROOT, LINEAR, SQUARE, CUBE, INVERSE, ("-1/2", 0))
COMMON: Final = (*MOST_COMMON, ("1", 1), ("3/2", 0))


@dataclass(frozen=True, slots=True)
class SignedSums:
    """Sums of K common terms, whose coefficients may be negative.

    Parameters
    ----------
    columns
        All that occur in them.
    places
        Which of these each has, shape (H, K).
    leads
        Which of its terms is the leading-order term, shape (H,).
    """

    columns: Indices
    places: Indices
    leads: Indices

    @property
    def terms(self) -> int:
        """K."""
        return int(self.places.shape[1])

    @property
    def leading(self) -> Indices:
        """The column of each that leads, shape (H,)."""
        return self.columns[self.places[np.arange(len(self)), self.leads]]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> Indices:
        return np.asarray(self.columns[self.places[number]])


@dataclass(frozen=True, slots=True)
class Competitors:
    """Hypotheses as products of growths, C of them, one column each.

    Parameters
    ----------
    columns
        The products.
    factors
        Which growth of each parameter a column has, -1 for none, shape
        (C, parameters).
    members
        Columns of the hypotheses of `structures` by their number of terms, from none
        on, shapes (H, K).
    sums
        Of one term without a constant, of two, of three, and of four.
    share
        Of each hypothesis before any measurement if sums have as much as structures,
        shape (H,).
    leading
        Column of its leading-order term, shape (H,); C if that is the constant.
    """

    columns: Growths
    factors: Indices
    members: tuple[Indices, ...]
    sums: tuple[SignedSums, ...]
    share: Reals
    leading: Indices

    def of(self, hypothesis: int) -> Indices:
        """Return the columns of a hypothesis."""
        together: tuple[Indices | SignedSums, ...] = (*self.members, *self.sums)
        for group in together:
            if hypothesis < len(group):
                return np.asarray(group[hypothesis])
            hypothesis -= len(group)
        raise IndexError(hypothesis)

    @property
    def structured(self) -> int:
        """How many hypotheses are no signed sums; they are the first ones."""
        return sum(map(len, self.members))


@lru_cache(maxsize=32)
def competitors(
    growths: tuple[Growths, ...],
    sizes: tuple[int, ...],
    points: int,
    *,
    has_sums: bool,
) -> Competitors:
    """Return what competes at so many points.

    Parameters
    ----------
    growths
        Of each parameter.
    sizes
        How many of them, the first ones, make structures.
    has_sums
        Whether sums of common terms compete, too.
    """
    known = catalogue(sizes)
    families = [each for each in known.families if len(each.structure) <= points - 3]
    numbers = {factors: column for column, factors in enumerate(known.factors())}
    added = _sums(growths, numbers, points) if has_sums else []
    columns = tuple(_product(growths, factors) for factors in numbers)
    competing = (*columns, CONSTANT)
    order = sorted(range(len(competing)), key=competing.__getitem__)
    rank = np.argsort(order)
    members = tuple(
        np.concatenate([each.members for each in same])
        for _, same in groupby(families, lambda family: len(family.structure))
    )
    sums = tuple(
        SignedSums(numbered, places, rank[numbered][places].argmax(axis=1))
        for numbered, places in added
    )
    sizes_of = [(len(each.members), len(families)) for each in families]
    sizes_of += [(len(each), len(sums)) for each in sums]
    together = np.concatenate(
        [
            *(_leading(each, rank) for each in members),
            *(each.leading for each in sums),
        ]
    )
    if CONSTANT in columns:
        together[together == columns.index(CONSTANT)] = len(columns)
    return Competitors(
        columns=columns,
        factors=np.array(list(numbers), dtype=np.intp).reshape(-1, len(growths)),
        members=members,
        sums=sums,
        share=np.concatenate([np.full(n, 1 / n / of) for n, of in sizes_of]),
        leading=together,
    )


def _sums(
    growths: tuple[Growths, ...], numbers: dict[tuple[int, ...], int], points: int
) -> list[tuple[Indices, Indices]]:
    """Return columns and places of the sums; new columns get a number."""
    usual = _columns(growths, COMMON, numbers)
    few = _columns(growths, MOST_COMMON, numbers)
    places = np.arange(usual.size).reshape(usual.shape)
    # (t + u)·(t' + u'), multiplied out.
    squares = [
        places[np.ix_(rows, columns)].ravel().tolist()
        for rows, columns in product(*(combinations(range(n), 2) for n in usual.shape))
    ]
    sums: list[tuple[Indices, Sequence[Sequence[int]]]] = [
        (usual, [(place,) for place in range(usual.size)]),
        (usual, list(combinations(range(usual.size), 2))),
        (few, list(combinations(range(few.size), 3))),
        (usual, squares),
    ]
    return [
        (columns.ravel(), np.array(places))
        for columns, places in sums
        if places and len(places[0]) <= points - 3
    ]


def _columns(
    growths: tuple[Growths, ...],
    powers: Sequence[Powers],
    numbers: dict[tuple[int, ...], int],
) -> Indices:
    """Return the columns of products of powers that there are, by parameter."""
    choices = []
    for of_parameter in growths:
        (parameter,) = of_parameter[0].parameters
        wanted = [growth_with(parameter, each) for each in powers]
        choices.append(
            [
                of_parameter.index(each) if each in of_parameter else -1
                for each in wanted
                if each in of_parameter or each == CONSTANT
            ]
        )
    columns = [numbers.setdefault(each, len(numbers)) for each in product(*choices)]
    return np.array(columns).reshape([len(each) for each in choices])


def _product(growths: tuple[Growths, ...], factors: tuple[int, ...]) -> Growth:
    chosen = (each[k] for each, k in zip(growths, factors, strict=True) if k >= 0)
    return reduce(Growth.__mul__, chosen, CONSTANT)


def _leading(members: Indices, rank: Indices) -> Indices:
    """Return the dominant column of each hypothesis beside a constant."""
    constant = len(rank) - 1
    members = np.hstack([members, np.full((len(members), 1), constant)])
    return np.asarray(members[np.arange(len(members)), rank[members].argmax(axis=1)])
