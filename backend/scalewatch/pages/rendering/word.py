"""A word of the product and what it means."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word and what it means."""

    word: str
    meaning: str

    @property
    def anchor(self) -> str:
        """Where on the glossary's page it is explained."""
        return self.word.replace(" ", "-").replace("R̄²", "adjusted-R2")
