"""Sentences of pages and answers that tests look for, each written once.

A sentence that is worded anew is changed here; what is said where, and when, is
asserted by the tests of the page. Whole pages are in
`tests/pages/wording/test_said.py`.
"""

SINCE_LAST_VISIT = "Since your last visit"
NEW_SINCE_TWO_DAYS = "Since your last visit 2 days ago: 1 new commit."
NEW_SINCE_THREE_DAYS = "Since your last visit 3 days ago: 1 new commit."
NOTHING_NEW = "Since your last visit 2 days ago: nothing was measured."
NO_RUN_ARRIVED = "No run has arrived yet."
NO_RUN_OF_NEW = "No run of new has arrived yet"
TWO_COMMITS_NEEDED = "Changes need two measured commits"
NO_SURE_CHANGE = "no change is sure"
ONLY_SERIES_UNDECIDED = "The only series is undecided."
NO_RUN_OF_HYDRO = "No run of <bdi>hydro</bdi> has arrived yet"
OPEN_TO_ALL = "No token is needed"
SEARCH_WITHIN = "Search <bdi>openmpi</bdi>"
ASKS_FOR_A_ROLE = "asks for a token with the role"

NOTHING_DRAWN = "no positive values to draw"
ON_ITS_WAY = "model on its way"
IS_ON_ITS_WAY = "model is on its way"
MEMORY_UNJUDGED = "No verdicts yet: nothing is expected of the memory of 4 regions"
BARRIER_MISMATCH = "mismatch, O(p) instead of O(log p)"
REDUCE_APPROXIMATE = "approximate, O(√p) instead of O(log p)"
LINEAR_FOR_TREE = "O(p) instead of O(log p)"
LITMUS_CLEARS = (
    "Likely the library: find scales worse than expected on 9 machines, where the "
    "litmus test litmus acquits the network."
)
LITMUS_ACCUSES = "Likely this machine: on slow the litmus test litmus grows"
SUSPICIONS = {
    (
        *((region, "odd", False) for region in "abc"),
        *((region, "fine", True) for region in "abc"),
    ): (
        "Likely this machine: a, b and c scale worse than expected on odd, "
        "and as expected elsewhere."
    ),
    (("find", "x", False), ("find", "y", False)): (
        "Likely the code: find scales worse than expected on x and y: check its "
        "algorithm, its implementation or the expectation O(log p)."
    ),
    (("find", "x", False), ("find", "y", True)): (
        "Likely this machine: find scales worse than expected on x, "
        "and as expected elsewhere."
    ),
    (
        ("find", "w", False),
        ("find", "x", False),
        ("find", "y", True),
        ("find", "z", True),
    ): (
        "Code or machine (undecidable): find scales worse than expected on w "
        "and x, and as expected on others."
    ),
}
EXPLAINS_FIND = "It would explain find."
CROWDED_CHANGES = (
    "No change detected; 2 series are undecided; processes shared cores or others "
    "took processors of the job in 2."
)
SIXTEEN_LEFT_OUT = "p = 16 left out: processes shared cores there."
SIXTEEN_LEFT_OUT_OF = "p = 16 left out: processes shared cores there"
MEASURE_ON_MORE = "six cores or more"
HOME_UNJUDGED = "1 of 1 series cannot be judged"
TABLE_UNJUDGED = "2 of 2 series cannot be judged"
COMPOSED_LIKE_THREADS = "measured/composed like threads"

WORSE_THAN_EXPECTED = "scales worse than expected"
PERHAPS_WORSE = "scales worse than expected: perhaps"
FARTHEST_FORECAST = "At p = 1,024, 16× the largest run"
HOW_MUCH_IS_UNKNOWN = "how much at p = 64 is not known"
IS_FORECAST = "is forecast to be"
WORK_FORECAST = "the work is forecast to be 523,776."
HELD_AT_LARGEST = "All of them at n = 8,000"
INDEPENDENT_OF_P = "this formula reproduces every count; it is independent of p"
WORK_GROWS_LIKE = "the <bdi>work</bdi> of <bdi>sweep › loop 2</bdi> grows like"
NOT_AT_NEWEST = "the newest commit, did not measure this region"
ADDRESS_UNREADABLE = "The address cannot be read"
ONE_WOULD_CHANGE = "1 match at the newest commit; 2 of 2 verdicts shown would change."
NEW_VERSION = "Save a new version"
PREVIEWED_VERDICTS = "Verdicts under this growth"
FITS_NO_GROWTH = "fits no growth of the space; whether it scales like"
NOTHING_FORECAST = "No forecast: no growth fits the measurements."
FITS_NO_GROWTH_UNEXPECTED = "fits no growth of the space; nothing is"
LIKE_NO_GROWTH = "grows like no growth"
NOT_ENOUGH_EVIDENCE = "is undecided, as evidence is not enough: "
COMPOSED_RANGE = "measured/composed 1.20 to 1.20 (median 1.20) at 8 settings"
SHARED_AT_SIXTEEN = "shared cores at threads = 16"
LEFT_OUT_FOR_SHARED_CORES = "Left out, for shared cores"
COMPOSED_AT_TARGET = "At threads = 8, N = 4000000: composed"
NO_LONGER_AS_COMPOSED = (
    "measured/composed grows like threads instead of 1: no longer as composed"
)
BROKEN_HAS_NO_RESULT = "solve grows like O(p) on fine; on broken it has no result: "
RATIOS_OF_SOME = "Ratios are of the 2 of 3 regions that lie most apart."
COMMITS_AFTER_SCALE = "Together, the commits that follow scale like O(p); the runs of"

TIME_GROWS_SINCE = (
    "The time grows like O(p) since 0000000000 (14 Mar 2026), like "
    "O(log p) before: 5.0× slower"
)
ONE_WORSE_OF_SIXTEEN = "1 of 1 region changed in 16 commits: 1 got worse."
ONE_WORSE_OF_TWO = "1 of 1 region changed in 2 commits: 1 got worse."
NONE_CHANGED = "0 of 1 region changed in 2 commits."
COUNTS_ARE_EXACT = "Counts are exact, so that one commit tells a change"
TOO_FEW_COMMITS = "Too few commits for changes: 1 commit of at least 9."
NONE_CHANGED_OF_ONE = "0 of 1 region changed"
NO_REGRESSION_IN_STATE = "No regressions in this state"
GATE_COMMAND = "scalewatch gate --project mpich"
AT_NEWEST_OF_TWO = "at the newest of 2 commits"
DOTS_ARE_TIMES = "Each dot: time at p = 64 at one commit"
DOTS_ARE_EXPONENTS = "Each dot: the measured exponent"
TWO_MODES = "two modes, × 1.2 apart; 40\u202f% of the commits are"
POSTED_LATE = "posted after newer ones"
UNIT_CHANGED = "is recorded in 'J', not in 'MB'"
ANOTHER_METRIC = "another unit needs another metric"
SERVE_COMMAND = "scalewatch-agent serve --machine jureca"
WORSE_GROWTH_OPEN = "MPI_Bcast, worse growth (open)"

COST_AT_TARGET = "At p = 1,024, 16× the largest run, 9"
NOT_TOLD_TO_TARGET = (
    "Shares end before p = 1,024: beyond p = 64 there is no forecast of"
)
NO_SCALE = "has a result over the number of processes"
OVER_N_ALONE = "Measured over n alone."
NO_SIZES = "No problem sizes recorded"
STRONG_EFFICIENCY = "scaling efficiency of MPI_Bcast"
WEAK_EFFICIENCY = "Weak scaling efficiency of MPI_Bcast"
SIZES_NEEDED = "weak scaling needs problem sizes"
SAME_WORK = "all with the same work: β = "
MADE_FOR_WEAK = "The runs are made for weak scaling: "
WORK_ASSUMED = "is expected, which does not fall with p; the work per process"
TWENTY_OF_TWENTY_TWO = "The newest 20 of 22 measured commits."
NIGHTS_CORRELATED = "machine are correlated, 0.6; usual spread 2.1\u202f%."
BAD_NIGHTS = "Taken for bad nights: <bdi>c2</bdi>."
NIGHTS_INDEPENDENT = "Nights of this machine are independent"
SLOW_SINCE = "Machine slow since c3, × 1.12."
ALARMING_SHARE = "3.1 % alarm; at most 4.0 % by chance"
ONE_JOB_FAILED = "No job waits. 1 job failed."
JOB_ENVIRONMENT = "Environment of the job"
ONE_DISTURBED = "<strong>Disturbed</strong>: 1 result."
WAITED_A_FOURTH = "Here they waited 23 %."
ONE_OVERSUBSCRIBED = "<strong>Oversubscribed</strong>: 1 result."
NOT_LINEAR = "is not linear in p"
LINEAR = "grows like a line over p"
USABLE = "The extrapolation may be used"
FIRST_SETTINGS = "first S numbers of processes"
NO_TIMES_AT = "No times measured at"
RUN_COMMAND = "scalewatch-agent run EXPERIMENT.yaml"
ONLY_MESSAGES = "no time was measured at v5.0.2, only messages"
NO_TIME_MEASURED = "no time is measured"
NO_PROFILE = "no run has a profile"
NO_CONFIRMING_RUNS = "No confirming runs requested."

FASTER_COUNT = "grows like p^2 instead of p, 12*p*(p-1) instead of 24*p"
MORE_WORK = "7 % more work at the same growth, 107*p instead of 100*p"
TWO_SETTINGS_MORE = "3 of 5 settings: p = 16 and 256 would show its growth"
SETTINGS_WOULD_TELL = "p = 16 and 256 would show its growth"
NO_VERDICT_UNDECLARED = "save one to get a verdict"
NOT_AS_EXPECTED = "grows like p: not as expected (log p), seen in a single job only"
HELD_BEFORE = "which held before, seen in a single job only"
BREAKS_GUIDELINE = "breaks the guideline solve ⪯ setup"
NOTHING_BEFORE = "nothing was measured before it to compare it with"
ANALYSIS_UNFINISHED = "the analysis is not finished"
RERUN = "rerun on jureca at p = 4, 8, 16, 32, 64 (≈ "
NO_LONGER_AS_EXPECTED = "grows like p instead of log p: no longer as expected"
SINGLE_JOB = "seen in a single job only"
THROUGHOUT_SINGLE_JOB = "throughout, seen in a single job only"
ONE_OF_TWO_WORSE = "1 of 2 series is worse than"
TIMES_AS_MUCH = "times as much as before (1."
OTHER_NIGHT = "rerun on jureca on another night"
GATHER_MISSING = "1 series (MPI_Gather) of the baseline missing"
ONE_NOT_MEASURED = "1 series was not measured"
NONE_AT_BOTH = "no series was measured at both commits"
NONE_WORSE = "none of 1 series is worse than "
ONE_INCOMPARABLE = "; 1 of 2 series cannot be compared"
NONE_AT_BOTH_COMMITS = (
    "No series was measured at both commits; 2 series were not measured"
)
NAME_THE_SIZE = "post runs whose coordinates name n"
BODY_TOO_LARGE = "the body holds more than"
READER_LIMIT = (
    "reading the file takes more than 0 MiB for its runs; split it, or "
    "run `scalewatch import` where it lies, which has no such limit"
)
EXPONENT_LIMIT = "exponents of at most 100"
