"""What a route may ask for; `scalewatch.web.sessions` says what each is."""

from scalewatch.web.sessions import AdminDep, DoorDep, ReadingDep, WritingDep

__all__ = ["AdminDep", "DoorDep", "ReadingDep", "WritingDep"]
