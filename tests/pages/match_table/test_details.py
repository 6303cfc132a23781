"""Badges of the details of a match table say where a mismatch lies beyond the data."""

import re

from scalewatch.modelling import Mark
from scalewatch.services.commits.find import find_commit
from scalewatch.services.match_table.table import leaving, match_table
from scalewatch.services.selection.view import View
from scalewatch.services.series.scans import leaves_tolerance
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import sessions_of
from support.large_project import PROJECT


def test_badges_name_the_scale_of_mismatches_beyond_the_data(
    large_client, large_engine
):
    shown = large_client.get(f"/p/{PROJECT}?view=table").text
    with sessions_of(large_engine).reading() as session:
        table = match_table(session, View(PROJECT))
        beyond = leaving(session, table)
        project = projects.existing(session, PROJECT)
        now = CommitSnapshot.of(session, find_commit(session, project, None))
        scans = [
            scan
            for scan in now.scans(table.metric)
            if scan.standing.mark is Mark.MISMATCH and leaves_tolerance(scan)
        ]

    assert len(beyond) == len(scans) > 0
    assert len(re.findall(r"<span>beyond p ≈ [\d,.]+</span>", shown)) == len(beyond)
