"""Deletions of runs, commits, machines and projects, with all that hangs on them.

Rows go before those that they refer to. A database that looks for references without
an index reads the whole table once for each row that goes: the largest tables get one
for that time, in the same transaction.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, exists, or_, select, text, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from scalewatch.storage import tables
from scalewatch.storage.commits.commits import TIME
from scalewatch.storage.database.lists import among

Condition = ColumnElement[bool]
Pair = tuple[int, int]
"""Commit and machine."""

OF_RUN: Final = (
    tables.Payload,
    tables.Samples,
    tables.Procedure,
    tables.Profile,
    tables.SourceLocations,
    tables.Point,
    tables.ImportedRun,
)
OF_SERIES_AT_COMMIT: Final = (
    tables.ExpectedLevel,
    tables.Verdict,
    tables.Model,
    tables.Location,
)
OF_MACHINE_AT_COMMIT: Final = (
    tables.Probabilities,
    tables.Assumption,
    tables.Noise,
    tables.Edition,
)
OF_PROJECT: Final = (
    tables.Expectation,
    tables.Guidelines,
    tables.GateRules,
    tables.Alias,
    tables.Detection,
    tables.Overview,
    tables.Policy,
    tables.Token,
    tables.Webhook,
    tables.Job,
)


class Removal:
    """The deletions of a transaction, counted by table."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rows: Counter[str] = Counter()

    def runs(self, condition: Condition) -> None:
        """Delete runs with their points, repetitions and payloads."""
        ids = select(tables.Run.id).where(condition)
        for table in OF_RUN:
            self._delete(table, table.run_id.in_(ids))
        self._delete(tables.Run, condition)

    def findings(self, commits: Collection[int], machines: Collection[int]) -> None:
        """Delete what was modelled and judged of some machines at some commits."""
        series = select(tables.Series.id).where(
            among(tables.Series.machine_id, machines)
        )
        for table in OF_SERIES_AT_COMMIT:
            self._delete(
                table, among(table.commit_id, commits), table.series_id.in_(series)
            )
        for of_machine in OF_MACHINE_AT_COMMIT:
            self._delete(
                of_machine,
                among(of_machine.commit_id, commits),
                among(of_machine.machine_id, machines),
            )

    def noise(self, commit_id: int, machine_id: int) -> None:
        """Forget what was learned of a machine's noise at a commit."""
        row = tables.Noise
        self._delete(row, row.commit_id == commit_id, row.machine_id == machine_id)

    def series(self, ids: Collection[int]) -> None:
        """Delete series that have no points any more."""
        if ids:
            self._delete(tables.Shift, among(tables.Shift.series_id, ids))
            with self._indexed(tables.Point.series_id, tables.Model.series_id):
                self._delete(tables.Series, among(tables.Series.id, ids))

    def regressions(
        self, project_id: int, ids: Collection[int], commits: Collection[int]
    ) -> None:
        """Delete regressions, and what others say of commits that are removed."""
        row, shift = tables.Regression, tables.Shift
        for table in (shift, tables.RegressionEvent):
            self._delete(table, among(table.regression_id, ids))
        self._delete(row, among(row.id, ids))
        self._delete(shift, _lies_at(shift, commits))
        # Whether they are fixed is for the next detection to say.
        self.session.execute(
            update(row)
            .where(row.project_id == project_id, among(row.fixed_commit_id, commits))
            .values(fixed_commit_id=None, state="open"),
            execution_options={"synchronize_session": False},
        )

    def commits(self, ids: Collection[int]) -> None:
        """Delete commits of which nothing is measured any more."""
        if ids:
            confirmation = tables.Confirmation
            self._delete(confirmation, among(confirmation.commit_id, ids))
            with self._indexed(tables.Location.commit_id):
                self._delete(tables.Commit, among(tables.Commit.id, ids))

    def states(self, machines: Collection[int]) -> None:
        """Delete the fingerprints of machines that no run refers to."""
        row, run = tables.Fingerprint, tables.Run
        used = select(run.fingerprint_id).where(among(run.machine_id, machines))
        state = select(row.state_id).where(row.id.in_(used), row.state_id.is_not(None))
        # Of a state the first fingerprint stays as long as one alike is in use.
        unused = select(row.id).where(
            among(row.machine_id, machines), row.id.not_in(used), row.id.not_in(state)
        )
        if ids := self.session.scalars(unused).all():
            with self._indexed(run.fingerprint_id, tables.Location.fingerprint_id):
                self._delete(row, among(row.id, ids))

    def machines(self, ids: Collection[int]) -> None:
        """Delete machines that have measured nothing any more."""
        if ids:
            confirmation = tables.Confirmation
            self._delete(confirmation, among(confirmation.machine_id, ids))
            self._delete(tables.Machine, among(tables.Machine.id, ids))

    def configurations(self, project_id: int) -> None:
        """Delete the configurations of a project that no run refers to."""
        row, run, series = tables.Configuration, tables.Run, tables.Series
        of_commits = run.commit_id == tables.Commit.id
        of_project = tables.Commit.project_id == project_id
        used = select(run.configuration_id).where(of_commits, of_project)
        unused = select(row.id).where(
            row.project_id == project_id,
            row.id.not_in(used),
            row.id.not_in(select(series.configuration_id)),
        )
        if ids := self.session.scalars(unused).all():
            with self._indexed(run.configuration_id, series.configuration_id):
                self._delete(row, among(row.id, ids))

    def files(self, project_id: int) -> None:
        """Delete posted files of a project that no run is left of."""
        row = tables.ImportedFile
        with_runs = select(tables.ImportedRun.file_id)
        self._delete(row, row.project_id == project_id, row.id.not_in(with_runs))

    def jobs(self, kind: str, subjects: Collection[str]) -> None:
        """Delete the jobs of a kind for subjects, be they done, open or failed."""
        row = tables.Job
        self._delete(row, row.kind == kind, among(row.subject, subjects))

    def project(self, project_id: int) -> None:
        """Delete a project of which nothing is measured any more."""
        confirmation = tables.Confirmation
        self._delete(confirmation, confirmation.project_id == project_id)
        with self._indexed(tables.Verdict.expectation_id):
            for table in OF_PROJECT:
                self._delete(table, table.project_id == project_id)
        self._delete(tables.Project, tables.Project.id == project_id)

    def _delete(self, table: type[tables.Table], *conditions: Any) -> None:
        relation = table.metadata.tables[table.__tablename__]
        done = self.session.connection().execute(delete(relation).where(*conditions))
        if done.rowcount:
            self.rows[table.__tablename__] += done.rowcount

    @contextmanager
    def _indexed(self, *columns: InstrumentedAttribute[Any]) -> Iterator[None]:
        """Index columns inside the block; an error ends the transaction anyway."""
        named = {
            f"removing_{column.class_.__tablename__}_{column.key}": column
            for column in columns
        }
        for name, column in named.items():
            place = f"{column.class_.__tablename__} ({column.key})"
            self.session.execute(text(f"CREATE INDEX {name} ON {place}"))
        yield
        for name in named:
            self.session.execute(text(f"DROP INDEX {name}"))


def measured_by(session: Session, condition: Condition) -> set[Pair]:
    """Return the commits and machines of runs."""
    pairs = select(tables.Run.commit_id, tables.Run.machine_id).where(condition)
    rows = session.execute(pairs.distinct())
    return {(commit_id, machine_id) for commit_id, machine_id in rows}


def series_of(session: Session, condition: Condition) -> set[int]:
    """Return the ids of the series that runs brought points to."""
    brought = select(tables.Point.series_id).join(
        tables.Run, tables.Run.id == tables.Point.run_id
    )
    return set(session.scalars(brought.where(condition).distinct()))


def series_on(session: Session, machines: Collection[int]) -> set[int]:
    """Return the ids of all series of machines."""
    row = tables.Series
    return set(session.scalars(select(row.id).where(among(row.machine_id, machines))))


def measured_after(
    session: Session, commit: tables.Commit, machine_id: int, limit: int
) -> Sequence[int]:
    """Return the ids of later commits that a machine measured, oldest first."""
    is_measured = exists().where(
        tables.Run.commit_id == tables.Commit.id, tables.Run.machine_id == machine_id
    )
    time, made = TIME, commit.committed_at or commit.first_run_at
    return session.scalars(
        select(tables.Commit.id)
        .where(tables.Commit.project_id == commit.project_id, is_measured)
        .where(or_(time > made, and_(time == made, tables.Commit.id > commit.id)))
        .order_by(TIME, tables.Commit.id)
        .limit(limit)
    ).all()


def ids_of(
    session: Session, table: type[tables.Commit | tables.Machine], project_id: int
) -> set[int]:
    """Return the ids of a project's commits or machines."""
    return set(session.scalars(select(table.id).where(table.project_id == project_id)))


def regressions_of(
    session: Session, project_id: int, commits: Collection[int], series: Collection[int]
) -> Sequence[int]:
    """Return regressions that commits began or ended, or that have only some series."""
    row, shift = tables.Regression, tables.Shift
    remains = exists().where(
        shift.regression_id == row.id,
        ~_lies_at(shift, commits),
        ~among(shift.series_id, series),
    )
    return session.scalars(
        select(row.id).where(
            row.project_id == project_id,
            or_(_lies_at(row, commits), and_(row.finding.is_(None), ~remains)),
        )
    ).all()


def deliveries_of(
    session: Session, regressions: Collection[int]
) -> Sequence[tuple[int, int]]:
    """Return the events of regressions with the webhooks that may be told of them."""
    event, row, webhook = tables.RegressionEvent, tables.Regression, tables.Webhook
    pairs = session.execute(
        select(webhook.id, event.id)
        .join_from(event, row, row.id == event.regression_id)
        .join(webhook, webhook.project_id == row.project_id)
        .where(among(row.id, regressions))
    )
    return [(webhook_id, event_id) for webhook_id, event_id in pairs]


def _lies_at(
    table: type[tables.Regression | tables.Shift], commits: Collection[int]
) -> Condition:
    return or_(
        among(table.first_commit_id, commits), among(table.last_commit_id, commits)
    )
