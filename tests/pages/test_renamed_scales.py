"""A project by nodes, GPUs or threads is the same project as by p, but for the word.

What follows from the meaning of a scale differs, and is named here: what a run costs,
and the questions about that.
"""

import csv
import json
import re
import shutil
from html import unescape
from math import log2
from uuid import NAMESPACE_OID, uuid5

import numpy as np
import pytest

from scalewatch.app import create_app
from scalewatch.storage.database.session import connect, sessions_of
from scalewatch.wire import RunReport
from support.addresses import page_addresses
from support.builders import result, run
from support.odd_projects import commit
from support.recorded import failed_result, record

SCALES = ("nodes", "gpus", "threads")
SIZES = (2, 4, 8, 16, 32)
SEED = 11
PROJECT = "renamed"

WORDS = {
    "p": r"[Pp]rocesses p[₁₂]?|[Pp]rocess(?:es)?|p",
    "nodes": r"[Nn]odes?",
    "gpus": r"gpus|GPUs?",
    "threads": r"[Tt]hreads?",
}
"""Words of each scale, its name among them."""

STATIC = (
    r'<a class="word"[^>]*?title="[^"]*"',  # explanations of words
    r'<body data-live-events="[^"]*"',
    r'aria-label="Colours of growth classes">.*?</ul>',
    r"[^\n]*(?:χ|\\chi)[^\n]*",  # p of statistical tests, of hotspots
    r"Uncertain clocks:.*?</dd>",  # of MPI processes
    r"threads=1\b",  # an example of a level
    r"[Cc]orrected p\b|1 − p\b|p-values?\b",
    r"(?:just now|[\d.]+ (?:s|seconds?|minutes?|min) ago)",
    r"2026-11-\d\dT[\d:.]+Z?|\b\d\d:\d\d(?::\d\d)?\b",
    r"[\d.,]+ [kM]B|\b\d{5,7}(?= bytes|,\"path)",
)
"""What says nothing about the scale of a project: prose for all of them, and clocks."""

COSTS = re.compile(r"[\d.e-]+ (?:core|node|GPU)-hours|(?:core|node|GPU)-hours")
MEANING = {"hours", "hours_unit", "plan", "questions", "next", "sentence", "next_step"}
"""Keys of what follows from the meaning of a scale: costs, and questions about them."""

FLAGGED = {"caveats": ["clock"]}
"""A procedure whose flags name the setting at which they were raised."""

OF_EFFICIENCY = re.compile(r"^(?:\w+ )?/p/\w+/scaling(?:/serial)?(?:\?|$)")
"""Pages with a column of costs, which not all scales have."""

OF_ALL = re.compile(r"^/(?:start|login|settings|status|glossary)|/settings|/traces")
"""Pages about no project, of prose, and of MPI processes."""


def growths(seed):
    """Draw how the time of regions changes with the scale, one of them at a commit."""
    rng = np.random.default_rng(seed)
    power, offset, break_at = rng.uniform(0.3, 1.6), rng.uniform(0.01, 0.5), 3
    return {
        "solve": lambda x, v: offset + 40 / x * (1.5 if v >= break_at else 1),
        "exchange": lambda x, v: (1 + log2(x)) * (x**0.5 if v >= break_at else 1),
        "gather": lambda x, _: 1e-3 * x,
        "halo": lambda x, _: offset + 2e-2 * x**power,
    }


def reports_of(scale, seed):
    """Return the runs of four commits on two machines, and a grid of sizes."""
    rng = np.random.default_rng(seed)
    common = {"project": PROJECT, "suite": "own"}
    for version in (1, 2, 3, 4):
        for machine, factor in (("fast", 1.0), ("slow", 1.7)):
            for layout in ("a", "b") if version == 4 else ("a",):
                for size in SIZES:
                    results = [
                        failed_result(region)
                        if (region, size, machine) == ("gather", 8, "slow")
                        else result(
                            region=region,
                            procedure=FLAGGED
                            if (region, size) == ("halo", 4)
                            else None,
                            values=(
                                factor
                                * growth(size, version)
                                * (1.3 if layout == "b" else 1)
                                * rng.lognormal(0, 0.01, 5)
                            ).tolist(),
                        )
                        for region, growth in growths(seed).items()
                    ]
                    memory = [float(int(1e6 + 2e4 * size))]
                    results.append(
                        result(region="solve", metric="memory", unit="B", values=memory)
                    )
                    key = f"{version} {machine} {layout} {size}"
                    yield run(
                        **common,
                        id=str(uuid5(NAMESPACE_OID, key)),
                        commit=commit(version),
                        machine={"name": machine, "fingerprint": {"cores": 64}},
                        coordinate={scale: size},
                        configuration={"layout": layout},
                        results=results,
                    )
    for size in SIZES:
        for n in (1000, 4000, 16000, 64000):
            seconds = (1e-5 * n / size + 1e-2 * log2(size)) * rng.lognormal(0, 0.01, 5)
            yield run(
                **common,
                id=str(uuid5(NAMESPACE_OID, f"grid {size} {n}")),
                commit=commit(4),
                machine={"name": "fast", "fingerprint": {"cores": 64}},
                coordinate={scale: size, "n": n},
                configuration={},
                results=[result(region="sweep", values=seconds.tolist())],
            )


def normal(text, scale):
    """Return a text without the words of its scale, and numbers of ten digits."""
    text = text.replace("\\u003c", "<").replace("\\u003e", ">")
    for pattern in STATIC:
        text = re.sub(pattern, "", text, flags=re.DOTALL)
    text = re.sub(r"</?p(?=[ >])", "<paragraph", text).replace("/p/", "/project/")
    text = text.replace("<br>", " ").replace(r"\ensuremath{_{2}}", "₂")
    text = re.sub(r"\\mathit\{(\w+)\}", r"\1", text)
    text = COSTS.sub("hours", text)
    text = re.sub(rf"(?<![\w-])(?:{WORDS[scale]})(?![\w-])", "@", text)
    return re.sub(
        r"-?\d+\.\d{7,}(?:e-?\d+)?", lambda found: f"{float(found[0]):.10g}", text
    )


def uncosted(address, text):
    """Return a page or an export of efficiencies without what a run costs."""
    form = address.partition(" ")[0]
    if form == "csv":
        return _uncosted_rows([*csv.reader(text.splitlines())])
    if form == "md":
        text = re.sub(r"\|(?: ?-+:? ?\|)+", "", text)
        lines = text.splitlines()
        return _uncosted_rows([[*map(str.strip, line.split("|"))] for line in lines])
    if form == "tex":
        tables = text.split(r"\begin{longtable}")
        rows = [[line.split("&") for line in each.split(r"\\")] for each in tables]
        return "&".join(
            cell for each in rows for row in _uncosted_rows(each) for cell in row
        )
    text = re.sub(
        r'<section[^>]*aria-labelledby="plan">.*?</section>', "", text, flags=re.DOTALL
    )
    text = re.sub(r'<p class="notice notice--warning">.*?</p>', "", text)
    text = re.sub(r", [^,<>]{1,24}-hours,|^\n", "", text, flags=re.MULTILINE)
    return re.sub(r"<table.*?</table>", _uncosted_table, text, flags=re.DOTALL)


def cells_of(latex):
    """Return the cells of tables in LaTeX: where they break depends on their widths."""
    layout = r"\\(?:begin|end|setlength)\{.*|\{>.*|^[{}%].*"
    latex = re.sub(layout, "", latex, flags=re.MULTILINE)
    latex = re.sub(r"\\(?:\w+rule|end\w+|bigskip|footnotesize)\b", "", latex)
    return sorted({" ".join(cell.split()) for cell in re.split(r"&|\\\\|\n", latex)})


def _uncosted_table(table):
    cell = re.compile(r"<(t[hd])\b[^>]*>.*?</\1>", re.DOTALL)
    lines = re.findall(r"<tr.*?</tr>", table[0], re.DOTALL)
    return str(
        _uncosted_rows([[each[0] for each in cell.finditer(line)] for line in lines])
    )


def _uncosted_rows(rows):
    """Return rows of cells without the column of hours, where there is one."""
    costs = {
        at
        for row in rows
        for at, cell in enumerate(row)
        if re.search(r"\bhours\b", re.sub(r"<[^>]*>", "", cell), re.IGNORECASE)
    }
    return [[c for at, c in enumerate(row) if at not in costs] for row in rows]


def content(text, scale):
    """Return the JSON of an answer by meaning: no costs, factors in no order."""
    return _plain(json.loads(text), scale)


def _plain(value, scale):
    match value:
        case dict():
            return {
                normal(key, scale): _plain(kept, scale)
                for key, kept in value.items()
                if key not in MEANING
            }
        case list() if not all(isinstance(each, str | dict) for each in value):
            return [_plain(each, scale) for each in value]
        case list():
            plain = [_plain(each, scale) for each in value]
            # Factors of a growth, and names, stand in the order of the alphabet.
            is_named = all(isinstance(each, str) or "exp2" in each for each in value)
            return sorted(plain, key=repr) if is_named else plain
        case str():
            return normal(value, scale)
        case float():
            return float(f"{value:.10g}")
    return value


def pages_of(client, sample):
    """Yield an address and its answer, of each page, its data and its figures."""
    sha = commit(4)["sha"]
    examples = {
        "project": PROJECT,
        "region": "solve",
        "machine": "fast",
        "subjects": "fast...slow",
        "figure": "scaling",
        "number": "1",
        "sha": sha,
        "commit": sha,
        "reference": sha,
        "run": sample,
    }
    of_regions = {
        name: tuple(f"?region={region}" for region in ("exchange", "gather", "sweep"))
        for name in ("scaling", "scaling-errors", "configurations", "history")
    }
    variants = of_regions | {
        "cost": ("?machine=fast&target=65536",),
        "preview": ("?machine=fast&growth=1",),
        "region": ("?machine=fast&target=65536",),
        "report": ("?metric=memory", "?view=table"),
    }
    needed = {"embed": "?region=solve&machine=fast"}
    for address in page_addresses(examples, needed, variants):
        if OF_ALL.search(address):
            continue
        page = client.get(address)
        yield address, page
        mark = "&" if "?" in address else "?"
        for form in ("json", "csv", "md", "tex"):
            yield f"{form} {address}", client.get(f"{address}{mark}format={form}")
        for figure in re.findall(r'data-figure="([^"]+)"', page.text):
            yield f"json {unescape(figure)}", client.get(unescape(figure))
    for subject in (
        *("report", "models", "guidelines", "expectations", "regressions"),
        *("history?region=solve", "history?region=exchange", "compare?a=fast&b=slow"),
        *("scaling-error?region=solve", "scaling-error?region=sweep"),
        *("efficiency?region=solve", "cost?machine=fast", f"gate?commit={sha}"),
    ):
        yield (
            f"json {subject}",
            client.get(f"/api/v1/projects/{PROJECT}/{subject}"),
        )


def _shown(address, text, scale):
    """Return a page or an export in plain words, of efficiencies without costs."""
    text = text.replace(r"\allowbreak{}", "")
    if OF_EFFICIENCY.search(address):
        text = str(uncosted(address, text))
    shown = normal(text, scale)
    return cells_of(shown) if address.startswith("tex ") else shown


@pytest.fixture(scope="module")
def answers(tmp_path_factory, empty_sqlite, client_of):
    """All answers by scale, each in words that are the same of all scales."""

    def of(scale):
        path = tmp_path_factory.mktemp("renamed") / f"{scale}.db"
        shutil.copy(empty_sqlite, path)
        engine = connect(f"sqlite:///{path}")
        runs = list(reports_of(scale, SEED))
        reports = [RunReport.model_validate(each, strict=False) for each in runs]
        sessions = sessions_of(engine)
        record(sessions, reports)
        client = client_of(create_app(engine, embedded_worker=False))
        base = f"/api/v1/projects/{PROJECT}"
        promised = {"exchange": f"log {scale}", "gather": scale, "solve": f"1/{scale}"}
        declared = [
            {"region": region, "metric": "time", "growth": growth}
            for region, growth in promised.items()
        ]
        said = {"author": "ada", "expectations": declared}
        assert client.put(f"{base}/expectations", json=said).status_code == 200
        rules = {"author": "ada", "guidelines": ["gather <= halo"]}
        assert client.put(f"{base}/guidelines", json=rules).status_code == 200
        record(sessions, [])  # analyses anew
        return {
            normal(address, scale): (
                answer.status_code,
                content(answer.text, scale)
                if answer.headers["content-type"] == "application/json"
                else _shown(address, answer.text, scale),
            )
            for address, answer in pages_of(client, runs[-1]["id"])
        }

    known = {}

    def kept(scale):
        if scale not in known:
            known[scale] = of(scale)
        return known[scale]

    return kept


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_of_another_name_gives_the_same_answers(answers, scale):
    by_p, renamed = answers("p"), answers(scale)

    assert by_p.keys() == renamed.keys()
    assert len(by_p) > 150
    assert [a for a in by_p if by_p[a] != renamed[a]] == []
