from scalewatch.modelling import Mark
from scalewatch.pages.wording.marks import change_mark, verdict
from scalewatch.services.commit_reports.pairs import ChangeKind


def test_thousands_of_verdicts_are_written_as_in_sentences():
    assert "13,718 match" in verdict(Mark.MATCH, 13718).striptags()


def test_several_changes_are_counted_in_the_plural():
    assert "1 improvement<" in change_mark(ChangeKind.BETTER, 1)
    assert "3 improvements<" in change_mark(ChangeKind.BETTER, 3)
    assert "2 scale worse<" in change_mark(ChangeKind.WORSE, 2)
