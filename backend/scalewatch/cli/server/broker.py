"""The broker that wakes distant workers, as commands speak of it.

A single user has none, and need not wait until Celery is loaded.
"""

import click

from scalewatch.settings import Settings


def check_broker(settings: Settings) -> None:
    """End in one line where no broker can be at the URL that is set."""
    if settings.broker_url is None:
        return
    from scalewatch.jobs.broker import fault_of  # noqa: PLC0415

    if fault := fault_of(settings.broker_url):
        raise click.ClickException(
            f"SCALEWATCH_BROKER_URL: {fault}; write redis://HOST:6379/0"
        )


def shown_broker(url: str) -> str:
    """Return the URL of a broker without its password."""
    from kombu.utils.url import sanitize_url  # noqa: PLC0415

    return str(sanitize_url(url))
