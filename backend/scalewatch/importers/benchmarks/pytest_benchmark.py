"""JSON of pytest-benchmark: rounds of tests, with the commit they belong to."""

from collections.abc import Iterable, Iterator

from scalewatch.errors import UnreadableFile
from scalewatch.importers.documents import Document
from scalewatch.importers.series import (
    ImportedMeasurement,
    Provenance,
    SeriesIdentity,
    Setting,
    plain_setting,
)
from scalewatch.importers.tables.columns import parameter_of


def recognises(document: Document) -> bool:
    """Tell whether a document is pytest-benchmark's."""
    held = document.value if isinstance(document.value, dict) else {}
    return {"benchmarks", "machine_info"} <= held.keys()


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield the rounds of each test, or their median where they are not kept."""
    for document in documents:
        provenance = _provenance(document)
        for test in document.part("benchmarks").elements():
            yield _measured(test, provenance)


def _measured(test: Document, provenance: Provenance) -> ImportedMeasurement:
    parameters, configuration = _settings(test)
    stats = test.part("stats")
    if stats.object().get("data"):
        values = [sample.number() for sample in stats.part("data").elements()]
    else:
        values = [stats.part("median").number()]
        configuration["statistic"] = "median"
    subject = SeriesIdentity(
        test.part("fullname").name().partition("[")[0],
        "time",
        "s",
        tuple(configuration.items()),
        tuple(parameters),
        test.origin,
    )
    return ImportedMeasurement(subject, tuple(parameters.values()), values, provenance)


def _settings(test: Document) -> tuple[dict[str, float], dict[str, Setting]]:
    """Return what `params` and `extra_info` say, or the id of a test without them."""
    parameters: dict[str, float] = {}
    configuration: dict[str, Setting] = {}
    for place in ("params", "extra_info"):
        if not test.object().get(place):
            continue
        for name, part in test.part(place).parts():
            setting, parameter = plain_setting(str(part.value)), parameter_of(name)
            if not parameter or not isinstance(setting, int | float):
                if place == "params":
                    configuration[name] = setting
                continue
            if parameters.setdefault(parameter, float(setting)) != setting:
                raise UnreadableFile(
                    test.source,
                    f"{part.place} says {parameter}={setting}, and params says "
                    f"{parameter}={parameters[parameter]:g}",
                )
    case = test.part("fullname").name().partition("[")[2].removesuffix("]")
    if case and not test.object().get("params"):
        configuration["case"] = case
    return parameters, configuration


def _provenance(document: Document) -> Provenance:
    held = document.object()
    info = held.get("commit_info")
    commit = info if isinstance(info, dict) else {}
    machine = document.part("machine_info").object().get("node")
    facts = {
        "commit": commit.get("id"),
        "branch": commit.get("branch"),
        "machine": machine,
    }
    return Provenance(
        **{key: fact for key, fact in facts.items() if isinstance(fact, str) and fact}
    )
