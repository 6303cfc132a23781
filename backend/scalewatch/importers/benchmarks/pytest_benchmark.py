"""JSON of pytest-benchmark: rounds of tests, with the commit they belong to.

A file is one run: parameters that are varied over no scale stay in the names of tests,
as pytest writes them, unless their growth or a scan of one of them is asked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scalewatch.errors import UnreadableFile
from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.outcomes import judge_cell
from scalewatch.texts.scales import parameter_of, scale_of


def recognises(document: Document) -> bool:
    """Tell whether a document is pytest-benchmark's."""
    held = document.value if isinstance(document.value, dict) else {}
    return {"benchmarks", "machine_info"} <= held.keys()


def read(
    documents: Iterable[Document], scan: Sequence[str] | None = None
) -> Iterator[series.ImportedMeasurement]:
    """Yield the rounds of each test, or their median where they are not kept.

    Parameters
    ----------
    scan
        Parameters that are varied; a test without any keeps its parameters in its
        name. None: its growth is asked for, and they are its configuration.
    """
    for document in documents:
        provenance = _provenance(document)
        for test in document.part("benchmarks").elements():
            yield _measured(test, provenance, scan)


def _measured(
    test: Document, provenance: series.Provenance, scan: Sequence[str] | None
) -> series.ImportedMeasurement:
    parameters, configuration = _settings(test)
    name = test.part("fullname").name()
    region = name.partition("[")[0]
    cases = {"case", *(test.object().get("params") or {})}
    if scan is not None and not parameters and not {*scan} & configuration.keys():
        region = name
        configuration = {
            key: value for key, value in configuration.items() if key not in cases
        }
    stats = test.part("stats")
    samples = stats.object().get("data")
    if isinstance(samples, list) and samples and all(map(_is_number, samples)):
        values = [sample.number() for sample in stats.part("data").elements()]
    else:
        # Some plugins write a remark among the rounds; their statistics are there.
        known = stats.object()
        statistic = "mean" if "median" not in known and "mean" in known else "median"
        values = [stats.part(statistic).number()]
        configuration["statistic"] = statistic
    return series.measurement(
        region,
        "time",
        "s",
        values,
        parameters,
        configuration,
        test.origin,
        provenance,
        failed=_states_failure(test),
    )


def _is_number(sample: object) -> bool:
    return sample is None or (
        isinstance(sample, int | float) and not isinstance(sample, bool)
    )


def _states_failure(test: Document) -> bool:
    """Tell whether `extra_info` says, in a key for outcomes, anything but success."""
    return "extra_info" in test.object() and test.part("extra_info").has_failed


def _settings(test: Document) -> tuple[dict[str, float], dict[str, series.Setting]]:
    """Return what `params` and `extra_info` say, or the id of a test without them."""
    parameters: dict[str, float] = {}
    configuration: dict[str, series.Setting] = {}
    for place in ("params", "extra_info"):
        if not test.object().get(place):
            continue
        for name, part in test.part(place).parts():
            setting, parameter = (
                series.plain_setting(str(part.value)),
                parameter_of(name) or scale_of(name),
            )
            is_counted = isinstance(setting, int | float) and setting > 0
            if not parameter or not is_counted:
                is_fact = isinstance(part.value, str | bool)
                if place == "params" or (is_fact and not judge_cell(name, "")):
                    configuration[name] = setting
                continue
            if parameters.setdefault(parameter, float(str(setting))) != setting:
                raise UnreadableFile(
                    test.source,
                    f"{part.place} says {parameter}={setting}, and params says "
                    f"{parameter}={parameters[parameter]:g}",
                )
    case = test.part("fullname").name().partition("[")[2].removesuffix("]")
    if case and not test.object().get("params"):
        configuration["case"] = case
    return parameters, configuration


def _provenance(document: Document) -> series.Provenance:
    held = document.object()
    info = held.get("commit_info")
    commit = info if isinstance(info, dict) else {}
    machine = document.part("machine_info").object().get("node")
    facts = {
        "commit": commit.get("id"),
        "branch": commit.get("branch"),
        "committed_at": series.stated_moment(commit.get("time")),
        "machine": machine,
        "started_at": series.stated_moment(held.get("datetime")),
    }
    texts: dict[str, Any] = {
        key: fact for key, fact in facts.items() if isinstance(fact, str) and fact
    }
    return series.Provenance(**texts)
