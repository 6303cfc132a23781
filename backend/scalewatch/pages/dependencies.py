"""What a page may ask for."""

from scalewatch.web.sessions import AdminDep, WritingDep
from scalewatch.web.sessions import ReadingDep as SessionDep
from scalewatch.web.views import ViewDep

__all__ = ["AdminDep", "SessionDep", "ViewDep", "WritingDep"]
