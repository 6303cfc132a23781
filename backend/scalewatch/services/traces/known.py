"""Whether a project has traces."""

from sqlalchemy.orm import Session

from scalewatch.storage.runs import traces


def has_traces(session: Session, project: str) -> bool:
    """Tell whether any program of a project was traced."""
    return traces.is_traced(session, project)
