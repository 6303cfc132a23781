"""Foreign measurements as runs, so that they can be posted like any others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from pydantic import ValidationError

from scalewatch.errors import NotARun
from scalewatch.importers import Series
from scalewatch.storage.digests import canonical
from scalewatch.wire import UNITS, RunReport, faults

SUITE: Final = "imported"

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """What foreign files do not say: whose measurements they hold.

    Parameters
    ----------
    commit
        Fields of the commit, as an agent would post them.
    """

    project: str
    machine: str
    commit: Mapping[str, Any]
    suite: str = SUITE


def runs_of(series: Iterable[Series], origin: Origin) -> list[RunReport]:
    """Return one run per coordinate and configuration, in the order of appearance.

    The id of a run follows from its content: importing a file twice changes nothing.

    Raises
    ------
    NotARun
        If what was measured at a coordinate cannot be posted as a run.
    """
    results: dict[tuple[Settings, Settings], list[dict[str, Any]]] = defaultdict(list)
    for one in series:
        configuration = tuple(sorted(one.configuration.items()))
        for setting, values in zip(one.settings, one.values, strict=True):
            coordinate = tuple(
                (name, _plain(value))
                for name, value in zip(one.parameters, setting.tolist(), strict=True)
            )
            results[coordinate, configuration].append(_result(one, values.tolist()))
    return [
        _run(dict(coordinate), dict(configuration), measured, origin)
        for (coordinate, configuration), measured in results.items()
    ]


def _run(
    coordinate: Mapping[str, Any],
    configuration: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    origin: Origin,
) -> RunReport:
    content = {
        "schema": 1,
        "project": origin.project,
        "suite": origin.suite,
        "commit": origin.commit,
        "machine": {"name": origin.machine},
        "coordinate": coordinate,
        "configuration": configuration,
        "results": results,
    }
    number = uuid5(NAMESPACE_URL, canonical(content).decode())
    try:
        return RunReport.model_validate({**content, "id": number}, strict=False)
    except ValidationError as error:
        fault = faults(error)[0]
        raise NotARun(coordinate, fault.field, fault.message) from None


def _result(series: Series, values: Sequence[float]) -> dict[str, Any]:
    units = UNITS.get(series.metric)
    return {
        "region": series.region,
        "metric": series.metric,
        "unit": series.unit or (next(iter(units)) if units else ""),
        "values": [value for value in values if not np.isnan(value)],
    }


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value
