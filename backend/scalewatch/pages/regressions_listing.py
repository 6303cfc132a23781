"""Regressions as a table for programs."""

from collections.abc import Sequence

from scalewatch.exporters.listing import Listing
from scalewatch.pages.wording.formats import assignments
from scalewatch.services.regressions.regressions import Regression


def causes(found: Sequence[Regression]) -> Listing:
    """Return regressions with one line per series."""
    return Listing(
        (
            "regression",
            "state",
            "kind",
            "worse",
            "sure",
            "first",
            "last",
            "author",
            "region",
            "metric",
            "machine",
            "configuration",
            "growth_before",
            "growth_after",
            "factor",
            "factor_at_target",
            "q_value",
            "suspect",
            "owner",
        ),
        [
            (
                each.id,
                each.state,
                each.kind,
                each.is_worse,
                each.is_sure,
                each.first.label,
                each.last.label,
                each.last.author if each.first.sha == each.last.sha else None,
                member.region,
                member.metric,
                member.machine,
                assignments(member.configuration),
                member.details.growth_before,
                member.details.growth_after,
                member.details.largest_factor,
                member.details.at_target and member.details.at_target.value,
                member.details.q_value,
                each.suspect,
                each.owner,
            )
            for each in found
            for member in each.members
        ],
    )
