"""The server that runs are posted to, and the token that permits it."""

import os
from pathlib import Path

import click

from scalewatch_agent.cli.options.parameters import url
from scalewatch_agent.cli.options.together import together

TOKEN = "SCALEWATCH_TOKEN"  # noqa: S105 - the name of a variable


def token_from(
    ctx: click.Context,  # noqa: ARG001 - click's
    parameter: click.Parameter,  # noqa: ARG001
    path: Path | None,
) -> str | None:
    """Return the token in the file at `path`, else that of the environment."""
    if path is None:
        text, where = os.environ.get(TOKEN, ""), TOKEN
    else:
        try:
            text, where = path.read_text(), str(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise click.BadParameter(f"{path} cannot be read: {reason}.") from None
    token = text.strip()
    if path is not None and not token:
        raise click.BadParameter(f"{path} is empty.")
    if not token.isprintable() or not token.isascii() or " " in token:
        raise click.BadParameter(f"{where} holds no token: it is not one word.")
    return token or None


token_option = click.option(
    "--token-file",
    "token",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=token_from,
    metavar="FILE",
    help=f"File with the token that lets you post; {TOKEN} unless given.",
)

server_option = click.option(
    "--server",
    callback=url,
    metavar="URL",
    default="http://127.0.0.1:8000",
    envvar="SCALEWATCH_SERVER",
    show_default=True,
    show_envvar=True,
    help="Where the runs are posted.",
)


server_options = together(server_option, token_option)
"""Where and by whose right a command posts."""
