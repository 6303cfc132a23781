"""Configuration from the environment, one SCALEWATCH_* variable per field."""

from functools import cache

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Deployment settings; every default suits a single user."""

    model_config = SettingsConfigDict(env_prefix="SCALEWATCH_", frozen=True)

    database_url: str = "sqlite:///scalewatch.db"


@cache
def get_settings() -> Settings:
    """Read the environment once per process."""
    return Settings()
