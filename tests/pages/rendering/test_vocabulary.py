import re

from scalewatch.modelling import Mark
from scalewatch.pages.rendering import vocabulary
from scalewatch.pages.wording.sentences import STATES, SYMBOLS
from scalewatch.resources import bundled
from scalewatch.services.analysis.analysis import RULE
from scalewatch.services.series.standing import State
from scalewatch.storage.runs.points import Flag


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


def test_glossary_leads_to_pages_on_which_its_words_are_seen(large_client):
    glossary = large_client.get("/glossary").text

    seen = re.findall(r'<a href="(/p/hydro[^"]*)">See these words', glossary)

    assert len(seen) == len(vocabulary.TOPICS)
    assert {large_client.get(page).status_code for page in seen} == {200}
