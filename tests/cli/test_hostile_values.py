"""Values that no option and no scalewatch.toml is meant for: one line, no traceback."""

import click
import pytest
from click.testing import CliRunner

from scalewatch.cli import COMMANDS, main

DEEP = 100_000

NUMBERS = ("9" * 5_000, "1e400", "nan", "p=1e400", f"p={'9' * 5_000}", "p=9**9**9**9")
NESTED = ("(" * DEEP, f"O({'(' * 3_000}p{')' * 3_000})", "p^" * 5_000 + "p", "-" * DEEP)
TEXTS = ("\udc80", "", "=", "{**}" * 500, "a<=" * 1_000)

WITHOUT_OPTIONS = {"serve", "worker", "demo", "search", "status", "migrate", "replay"}
"""They wait, measure, or take no value but those that other commands take."""

TOMLS = {
    "list": f"guidelines = {'[' * DEEP}{']' * DEEP}",
    "table": f"[expectations]\nx = {'{a=' * DEEP}1{'}' * DEEP}",
    "keys": f"[{'.'.join(['gate'] * 5_000)}]",
    "digits": f"[expectations]\nx = {'9' * 5_000}",
    "integer": f"[target]\np = {'9' * 400}",
    "infinity": "[expectations]\nx = { growth = 'O(p)', metric = inf }",
    "no number": "[expectations]\nx = { growth = nan }",
    "date": "[expectations]\nx = { growth = 1979-05-27 }",
    "time": "[gate.regions.solve]\nconstant = 07:32:00",
    "bytes": "\udc80",
}


def commands():
    return [each for each in COMMANDS if each.name not in WITHOUT_OPTIONS]


@pytest.mark.parametrize("command", commands(), ids=lambda each: each.name)
def test_no_value_of_an_option_ends_a_command_with_a_traceback(
    command, tmp_path, environment_variables, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    environment_variables.setenv("SCALEWATCH_HOME", str(tmp_path / "home"))
    measured = tmp_path / "measured.csv"
    measured.write_text("p,time\n" + "".join(f"{2**n},{n}\n" for n in range(1, 8)))
    arguments = {
        "model": [str(measured)],
        "gate": [str(measured), "--since", str(measured)],
        "import": [str(measured), "--project", "x", "--dry-run"],
        "expectations": ["push"],
        "remove": ["project", "x", "--yes"],
        "store": ["check"],
        "token": ["create", "x"],
    }.get(command.name, [])
    loaded = command.load()
    if isinstance(loaded, click.Group):
        loaded = loaded.commands[arguments[0]]
    options = [
        option.opts[0]
        for option in loaded.params
        if isinstance(option, click.Option) and not option.is_flag
    ]

    for option in options:
        for value in (*NUMBERS, *NESTED, *TEXTS):
            ended = CliRunner().invoke(main, [command.name, *arguments, option, value])
            assert isinstance(ended.exception, SystemExit | None), (option, value[:20])


@pytest.mark.parametrize("stated", TOMLS.values(), ids=TOMLS)
def test_no_value_of_a_file_ends_a_push_with_a_traceback(stated, tmp_path):
    file = tmp_path / "scalewatch.toml"
    file.write_bytes(f'project = "mpich"\n{stated}\n'.encode(errors="surrogateescape"))
    where = ["--server", "http://127.0.0.1:1", "--author", "ada"]

    ended = CliRunner().invoke(main, ["expectations", "push", str(file), *where])

    assert isinstance(ended.exception, SystemExit)
    assert ended.exit_code == 2
    *_, complaint = ended.stderr.splitlines()
    assert complaint.startswith(f"Error: {file}: ")
