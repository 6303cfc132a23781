import re
from html import unescape

from scalewatch.modelling import Mark
from scalewatch.pages.rendering import vocabulary
from scalewatch.pages.wording.sentences import STATES, SYMBOLS
from scalewatch.resources import bundled
from scalewatch.services.analysis.analysis import RULE
from scalewatch.services.series.standing import State
from scalewatch.storage.runs.points import Flag
from support.shown_pages import words_of


def test_every_verdict_and_flag_is_explained():
    assert {*Mark, *Flag} <= vocabulary.MEANINGS.keys()


def test_every_verdict_has_a_symbol_and_every_state_a_word():
    assert SYMBOLS.keys() == set(Mark)
    assert STATES.keys() == set(State)


def test_rule_of_the_analysis_says_what_it_looks_at():
    assert RULE in vocabulary.RULES


def test_words_have_anchors_of_their_own():
    anchors = [word.anchor for word in vocabulary.MEANINGS.values()]

    assert len(set(anchors)) == len(anchors)


def test_words_in_templates_are_in_the_glossary():
    used = set()
    for template in (bundled("frontend") / "templates").rglob("*.html"):
        used |= set(re.findall(r'\bword\("([^"]+)"', template.read_text("utf-8")))
        used |= set(re.findall(r"\bwords\['([^']+)'\]", template.read_text("utf-8")))

    assert used
    assert used <= vocabulary.MEANINGS.keys()


MEASURED_SO = {
    "coordinate": ("runs/show.html", "coordinate"),
    "two modes": ("components/scan.html", "unlike_repetitions"),
    "warm-up": ("components/scan.html", "unlike_repetitions"),
    "growth probability": ("components/scan.html", 'word("growth probability"'),
    "round-time": ("runs/show.html", "result.synchronisation"),
    "misfit": ("components/scan.html", 'word("misfit"'),
    "exact counts": ("components/scan.html", 'word("exact counts"'),
    "composed model": ("components/scan.html", 'word("composed model"'),
}
"""Words of pages of certain measurements alone, and the template that has them."""

OF_OTHER_PROJECTS = frozenset({"configurations", "hotspots", "traces"})
"""Pages of which the large project has none; they have tests of their own."""


def test_glossary_leads_to_pages_on_which_its_words_are_seen(large_client):
    glossary = large_client.get("/glossary").text
    leads = re.findall(
        r'<a class="small" href="([^"]+)" aria-label="([^"]+) on a page"', glossary
    )
    pages = {path: large_client.get(unescape(path)) for path, _ in leads}
    texts = {path: words_of(page.text).casefold() for path, page in pages.items()}
    words = {vocabulary.MEANINGS[unescape(name)]: path for path, name in leads}

    assert [*words] == [*vocabulary.MEANINGS.values()]
    assert {page.status_code for page in pages.values()} == {200}
    unseen = {
        word.word
        for word, path in words.items()
        if word.word.casefold() not in texts[path]
        and f"glossary#{word.anchor}" not in pages[path].text
        and word.seen not in OF_OTHER_PROJECTS
    }
    assert unseen - {*Flag} <= MEASURED_SO.keys()


def test_words_of_certain_measurements_are_in_the_template_that_shows_them():
    folder = bundled("frontend") / "templates"

    for template, mark in MEASURED_SO.values():
        assert mark in (folder / template).read_text("utf-8").casefold()
