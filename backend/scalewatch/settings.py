"""Configuration from the environment, one SCALEWATCH_* variable per field."""

import os
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

ALARMING_SHARE: Final = 0.04
"""Share of histories of 200 commits that may alarm although nothing changed."""


def _data_home() -> Path:
    """Return where a single user's data lie, after the XDG base directories."""
    folder = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(folder) / "scalewatch"


def _embedded_database(fields: dict[str, Any]) -> str:
    home: Path = fields["home"]
    return f"sqlite:///{home.absolute()}/scalewatch.db"


class Settings(BaseSettings):
    """Deployment settings; every default suits a single user."""

    model_config = SettingsConfigDict(env_prefix="SCALEWATCH_", frozen=True)

    home: Path = Field(default_factory=_data_home)
    database_url: str = Field(default_factory=_embedded_database)
    database_wait_seconds: float = Field(default=15.0, ge=0)
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    broker_url: str | None = None
    embedded_worker: bool = True
    lease_seconds: float = Field(default=30.0, ge=1, le=300)
    job_seconds: float = Field(default=600.0, ge=1)
    thin_hours: float = Field(default=24.0, ge=0)
    open: bool = False
    read_only: bool = False
    plain_http: bool = False
    requests_per_minute: int = Field(default=12_000, ge=0)
    request_seconds: float = Field(default=90, ge=1)
    alarming_share: float = Field(default=ALARMING_SHARE, gt=0, le=0.5)
    readers: int = Field(default=2, ge=1, le=64)
    reader_seconds: int = Field(default=30, ge=1)
    reader_megabytes: int = Field(default=1024, ge=256)
    log_format: Literal["text", "json"] = "text"

    @property
    def key_file(self) -> Path:
        """The key of secrets: beside an SQLite file, below home for other databases."""
        address = urlsplit(self.database_url)
        beside = Path(address.path[1:]).parent
        folder = beside if address.scheme.startswith("sqlite") else self.home
        return folder / "secrets.key"

    @field_validator("broker_url", mode="before")
    @classmethod
    def _no_broker(cls, url: str | None) -> str | None:
        """Take an empty variable, as compositions write it, for none."""
        return url or None


@cache
def get_settings() -> Settings:
    """Read the environment once per process."""
    return Settings()
