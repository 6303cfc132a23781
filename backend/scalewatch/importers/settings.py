"""Where the settings of a measurement come from: one rule for all formats."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from scalewatch.errors import (
    BadDerivation,
    TooManyMeasurements,
    UnmatchedName,
    UnplacedSeries,
    UnreadableFile,
)
from scalewatch.importers import series
from scalewatch.importers.derivations import Derivation
from scalewatch.importers.formats import ASV, BENCHMARKS
from scalewatch.importers.lines import Program
from scalewatch.texts.patterns import PathPattern, Pattern, StatedSettings
from scalewatch.texts.scales import parameter_of

OPTION: Final = "option"
"""Place of what `--at` says of the measurements that say nothing themselves."""

MADE: Final = "committed_at"
NAMED_OTHERWISE: Final = {"rep": "repetition"}
"""Holes of patterns, and the fields of provenance that they fill."""

_TOKEN: Final = re.compile(
    r"(?:^|[\s/%,;])%?(?P<key>[A-Za-z_]\w*)[=:](?P<value>\d{1,3}(?:,\d{3})++(?!\w)|[\w.+-]++)"
    r"(?=$|[/;]|\s(?!\d{3}(?!\w))|%(?=\w)|,(?!\d))"
)
"""`key=value`, `%key=value` or `key:value` between separators."""


@dataclass(frozen=True, slots=True)
class SettingRules:
    """Sources of settings beside the content of files, as the user states them.

    Parameters
    ----------
    name, path
        Patterns of the names of regions, and of paths.
    at
        Settings that neither of them says.
    derive
        Settings that follow from others, in this order.
    scan
        Settings that are varied: parameters, and no configuration.
    trusts_launcher
        Whether the command of a launcher says p where nothing else does.
    skips_unmatched
        Whether what the patterns do not match is left out, and no error.
    across
        What the values of many processes become in a profile: max, sum or mean.
    programs
        Patterns of the lines of logs, as the user states them.
    skip_first
        Repetitions at the beginning of each setting that are left out, as warm-ups.
    for_growth
        Whether growths are asked for: then a benchmark without a parameter is an error,
        and no single setting, and parameters of usual names are varied unasked.
    """

    name: Pattern | None = None
    path: PathPattern | None = None
    at: Mapping[str, float] = field(default_factory=dict)
    derive: Sequence[Derivation] = ()
    scan: Sequence[str] = ()
    trusts_launcher: bool = False
    skips_unmatched: bool = False
    across: str = "max"
    programs: Sequence[Program] = ()
    skip_first: int = 0
    for_growth: bool = False

    @property
    def bring_parameters(self) -> bool:
        """Whether a file need not name a parameter."""
        said = (self.name, self.path, self.at, self.derive, self.scan)
        return any(said) or self.trusts_launcher


def bounded(
    measurements: Iterable[series.ImportedMeasurement], source: str, most: int | None
) -> Iterator[series.ImportedMeasurement]:
    """Yield what a file holds: finite numbers, and not too many.

    Raises
    ------
    UnreadableFile
        If a setting or a value is beyond all numbers, or there are more than `most`.
    """
    try:
        for number, measurement in enumerate(measurements, 1):
            if most is not None and number > most:
                raise TooManyMeasurements(source, most)
            if not all(map(math.isfinite, measurement.coordinate)):
                names = ", ".join(measurement.subject.parameters)
                region = measurement.subject.region
                fault = f"a setting of {region} ({names}) is not finite"
                raise UnreadableFile(source, fault)
            if any(map(math.isinf, measurement.values)):
                fault = f"a value of {measurement.subject.region} is not finite"
                raise UnreadableFile(source, fault)
            yield measurement
    except OverflowError:
        raise UnreadableFile(source, "it holds a number beyond 1e308") from None


def placed(
    measurement: series.ImportedMeasurement,
    rules: SettingRules,
    source: str,
    file_format: str = "",
) -> series.ImportedMeasurement:
    """Return a measurement with all its settings, each with where it comes from.

    What benchmarks measure without a parameter is measured at the one setting p = 1,
    unless growths are asked for.

    Raises
    ------
    UnreadableFile
        If two places contradict each other.
    UnplacedSeries
        If none says a parameter.
    UnmatchedName
        If a pattern does not match.
    """
    subject = measurement.subject
    has_words = file_format == ASV  # its names are Python's: `f(x=1)` states no setting
    has_one_setting = not rules.for_growth and (
        has_words or (file_format in BENCHMARKS and not rules.skips_unmatched)
    )
    is_alone = not (rules.name or rules.path or rules.at or rules.derive) and (
        has_words or not (rules.scan or _self_described(subject.region))
    )
    if is_alone and not rules.trusts_launcher:
        # Most results say everything themselves, and files hold thousands of them.
        held = tuple(name for name, _ in subject.configuration)
        if subject.parameters:
            sources = _from_content((*subject.parameters, *held))
            return measurement._replace(sources=sources)
        if has_one_setting:
            return measurement._replace(
                subject=subject._replace(parameters=("p",)),
                coordinate=(1.0,),
                sources=(*_from_content(held), ("p", "assumed")),
            )
    settings = _Settings(measurement, source)
    texts: dict[str, str] = {}
    for place, said in _places(measurement, rules, source, has_words=has_words):
        settings.add(place, said)
        texts = {**said.texts, **texts}
    settings.add(OPTION, StatedSettings(rules.at, {}, {}))
    if rules.trusts_launcher and measurement.launched and "p" not in settings.sources:
        settings.add("launcher", StatedSettings({"p": measurement.launched}, {}, {}))
    settings.derive(rules.derive)
    settings.scan(rules.scan)
    if not settings.parameters and has_one_setting:
        settings.add("assumed", StatedSettings({"p": 1.0}, {}, {}))
    if not settings.parameters:
        raise UnplacedSeries(source)
    region = texts.pop("region", subject.region)
    known: dict[str, Any] = {
        NAMED_OTHERWISE.get(key, key): text for key, text in texts.items()
    }
    if MADE in known:
        made = known[MADE] = series.stated_moment(texts[MADE])
        if made is None:
            raise UnreadableFile(
                source, f"{texts[MADE]!r} is no time in ISO 8601, as {{{MADE}}} says"
            )
    return measurement._replace(
        subject=subject._replace(
            region=region,
            configuration=tuple(settings.configuration.items()),
            parameters=tuple(settings.parameters),
        ),
        coordinate=tuple(settings.parameters.values()),
        provenance=measurement.provenance._replace(
            **{
                key: text
                for key, text in known.items()
                if getattr(measurement.provenance, key) is None
            }
        ),
        sources=tuple(settings.sources.items()),
    )


def _places(
    measurement: series.ImportedMeasurement,
    rules: SettingRules,
    source: str,
    *,
    has_words: bool,
) -> Iterator[tuple[str, StatedSettings]]:
    region = measurement.subject.region
    if rules.name is not None:
        said = rules.name.match(region)
        if said is None:
            raise UnmatchedName(source, region, rules.name.text)
        yield "name", said
    elif not has_words and (said := _self_described(region)) is not None:
        yield "name", said
    if rules.path is not None:
        said = rules.path.match_path(source)
        if said is None:
            raise UnmatchedName(source, source, rules.path.text)
        if region != series.WHOLE_PROGRAM:
            # What a path calls the program is no name of a region inside it.
            texts = {key: text for key, text in said.texts.items() if key != "region"}
            said = StatedSettings(said.settings, said.words, texts)
        yield "path", said


@lru_cache(maxsize=4096)
def _from_content(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(names, "content").items())


@lru_cache(maxsize=4096)
def _self_described(name: str) -> StatedSettings | None:
    """Return what the tokens of a name say that name their setting themselves."""
    numbers: dict[str, float] = {}
    words: dict[str, series.Setting] = {}
    for token in _TOKEN.finditer(name):
        parameter, value = (
            parameter_of(token["key"]),
            _stated_setting(token["value"]),
        )
        if parameter and isinstance(value, int | float):
            numbers[parameter] = float(value)
        else:
            words[token["key"]] = value
    if not numbers and not words:
        return None
    region = " ".join(_TOKEN.sub("", name).split()).strip(" /,;%")
    return StatedSettings(numbers, words, {"region": region or series.WHOLE_PROGRAM})


def _stated_setting(text: str) -> series.Setting:
    """Return the setting of a token: `size=2,500` is one number, and a whole one."""
    return series.plain_setting(text.replace(",", ""))


class _Settings:
    """Settings of one measurement while places add to them."""

    def __init__(self, measurement: series.ImportedMeasurement, source: str) -> None:
        subject = measurement.subject
        self.parameters = dict(
            zip(subject.parameters, measurement.coordinate, strict=True)
        )
        self.configuration = dict(subject.configuration)
        self.sources = dict.fromkeys([*self.parameters, *self.configuration], "content")
        self.source = source

    def add(self, place: str, said: StatedSettings) -> None:
        for key, value in said.settings.items():
            known = self.parameters.get(key, self.configuration.get(key))
            if self._is_new(key, known, value, place):
                self.parameters[key] = value
        for key, word in said.words.items():
            known = self.parameters.get(key, self.configuration.get(key))
            if self._is_new(key, known, word, place):
                self.configuration[key] = word

    def derive(self, derivations: Sequence[Derivation]) -> None:
        for derivation in derivations:
            numbers = {
                key: float(value)
                for key, value in {**self.configuration, **self.parameters}.items()
                if isinstance(value, int | float)
            }
            if missing := sorted(derivation.needs - numbers.keys()):
                if derivation.name in numbers:
                    continue
                fault = f"there is no setting {', '.join(missing)}"
                raise UnreadableFile(
                    self.source, str(BadDerivation(derivation.text, fault))
                )
            try:
                said = StatedSettings(
                    {derivation.name: derivation.value(numbers)}, {}, {}
                )
            except BadDerivation as error:
                raise UnreadableFile(self.source, str(error)) from None
            self.add("derived", said)

    def scan(self, names: Sequence[str]) -> None:
        for name in names:
            value = self.configuration.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.parameters[name] = float(value)
                del self.configuration[name]

    def _is_new(
        self, key: str, known: series.Setting, value: series.Setting, place: str
    ) -> bool:
        if key not in self.sources:
            self.sources[key] = place
            return True
        if known != value and place != OPTION:
            raise UnreadableFile(
                self.source,
                f"its {self.sources[key]} says {key}={_shown(known)}, "
                f"and its {place} says {key}={_shown(value)}",
            )
        return False


class Additions:
    """Settings of `--at` that some measurements of a file lack, and others contradict.

    A file where all say something else is contradicted; one where some say nothing is
    told the rest.
    """

    def __init__(self, at: Mapping[str, float]) -> None:
        self.at = at
        self.lacking: set[str] = set()
        self.contradicted: dict[str, tuple[str, series.Setting]] = {}

    def note(self, measurement: series.ImportedMeasurement) -> None:
        """Take account of a measurement with all its settings."""
        if not self.at:
            return
        sources = dict(measurement.sources)
        subject = measurement.subject
        held: dict[str, series.Setting] = dict(subject.configuration)
        held |= dict(zip(subject.parameters, measurement.coordinate, strict=True))
        for name, value in self.at.items():
            if sources.get(name) == OPTION:
                self.lacking.add(name)
            elif held.get(name) != value:
                place = sources.get(name, "content")
                self.contradicted[name] = place, held.get(name)

    def refuse_contradictions(self, source: str) -> None:
        """Refuse what all measurements of a file contradict.

        Raises
        ------
        UnreadableFile
            If there is such a setting.
        """
        for name, (place, known) in self.contradicted.items():
            if name not in self.lacking:
                raise UnreadableFile(
                    source,
                    f"its {place} says {name}={_shown(known)}, "
                    f"and its option says {name}={_shown(self.at[name])}",
                )


def _shown(value: series.Setting) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
