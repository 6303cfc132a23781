"""How honest rules are about what parallel programs count and take time by.

Beside the published curves of `accuracy`: functions of textbooks with lower-order terms
of either sign, exact and with noise. Families:

* textbook: what collectives, sorts, trees and decompositions count;
* held-out: other coefficients and combinations of the same terms;
* no dictionary: powers, quotients and kinks that no space has; honesty is asked of
  them, so that intervals hold and nothing wrong is said surely;
* unseen: three terms, blocks, steps, switches of protocol, saturation and falling sums
  at irregular settings, some from p = 1 on; nothing is chosen by it;
* four settings: the same where too little is measured for noise, but not for counts;
* two parameters: sums of p and n with falling and negative terms.

Exact counts are the same in each repetition; rounded ones are integers. A series that
is refused has no growth; "right or open" counts it, and what is said to be ambiguous or
none of the space, beside what is right. "Surely wrong" is a wrong growth that is said
to be exact or has a probability above 0.9, so rules without probabilities leave it
blank, as they do the 90 % intervals. Errors, and widths, log(high/low), are medians,
other numbers shares of all series; those of intervals are of all that are given. Growth
of several parameters is that which leads where all grow together, and 16 p_max stands
for 16 times each.

Beside the truth, an expectation is p times and 1/√p times it, which is never a match;
the share called mismatch is of those that truly are one by the default deviation limit.
The rules are those of the product, each with the space that it chooses; Extra-P is
`--rule smape`, and Extra-P itself for two parameters. The scoreboard shows the worst
family. Nothing may be tuned on the seeds.

The last table has one, three and five repetitions, under noise of 10 % and under noise
that the repetitions of a job share, of which each series knows nothing by itself.
"""

from benchmarks.textbook.tables import main

__all__ = ["main"]
