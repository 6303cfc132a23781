from scalewatch.modelling import Mark
from scalewatch.pages.wording.marks import verdict


def test_thousands_of_verdicts_are_written_as_in_sentences():
    assert "13,718 match" in verdict(Mark.MATCH, 13718).striptags()
