import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from scalewatch.cli import COMMANDS, Commands, main
from scalewatch.cli.deferred import Deferred
from scalewatch.errors import NotFound
from scalewatch.errors.operations import pip_install


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    modules = {
        "greet": "import click\n"
        "@click.command(context_settings={'show_default': True})\n"
        "@click.option('--loudly', is_flag=True)\n"
        "def command(loudly): click.echo('GOOD DAY' if loudly else 'good day')\n",
        "fetch": "import package_nobody_has\n",
    }
    folder = tmp_path / "commands_of_a_test"
    folder.mkdir()
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder.name


@pytest.fixture
def group(package: str) -> click.Group:
    deferred = [
        Deferred("fetch", "fetch", "Not here.", "server", package=package),
        Deferred("greet", "greet", "Greet.", package=package),
    ]
    return Commands(commands={str(command.name): command for command in deferred})


def failing_with(error: BaseException) -> click.Group:
    def fail() -> None:
        raise error

    return Commands(commands=[click.Command("fail", callback=fail)])


def test_help_lists_the_commands_in_their_order_without_loading_them(group) -> None:
    result = CliRunner().invoke(group, ["--help"])

    assert result.output.index("fetch") < result.output.index("greet")
    assert "commands_of_a_test.greet" not in sys.modules


def test_deferred_command_runs_with_its_own_options(group) -> None:
    result = CliRunner().invoke(group, ["greet", "--loudly"])

    assert result.output == "GOOD DAY\n"


def test_missing_extra_is_one_line_that_says_what_to_install(group) -> None:
    result = CliRunner().invoke(group, ["fetch"])

    assert result.exit_code == 1
    assert result.stderr.startswith(
        "Error: `scalewatch fetch` needs package_nobody_has"
    )
    assert result.stderr.endswith(f": {pip_install('server')}\n")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_each_example_on_a_line_of_its_own(command) -> None:
    result = CliRunner().invoke(main, [command.name, "--help"])

    assert "\\b" not in result.output
    lines = [line.strip() for line in result.output.splitlines()]
    heading = next(line for line in lines if line in {"Example:", "Examples:"})
    example = lines[lines.index(heading) + 1]
    assert example.count(f"scalewatch {command.name}") == 1


def test_demo_asks_for_the_extras_of_the_server_and_of_the_agent_it_starts() -> None:
    (demo,) = (command for command in COMMANDS if command.name == "demo")

    assert demo.extra == "server,agent"


def test_missing_package_of_the_base_install_is_not_blamed_on_an_extra(package) -> None:
    with pytest.raises(ModuleNotFoundError):
        Deferred("fetch", "fetch", "", package=package).load()


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["gret"], "'greet'"), (["greet", "--lodly"], "'--loudly'")],
    ids=["command", "option"],
)
def test_typo_is_answered_with_what_was_meant(group, arguments, meant) -> None:
    result = CliRunner().invoke(group, arguments)

    assert result.exit_code == 2
    assert f"Did you mean {meant}?" in result.stderr


def test_deliberate_error_is_one_line_and_exit_code_1() -> None:
    result = CliRunner().invoke(failing_with(NotFound("machine", "jureca")), ["fail"])

    assert result.exit_code == 1
    assert result.stderr == f"Error: {NotFound('machine', 'jureca')}\n"


def test_interrupt_exits_as_a_process_that_died_of_sigint() -> None:
    result = CliRunner().invoke(failing_with(KeyboardInterrupt()), ["fail"])

    assert (result.exit_code, result.stderr) == (130, "\nInterrupted.\n")


def test_version_is_printed() -> None:
    result = CliRunner().invoke(main, ["--version"])

    assert result.output.startswith("scalewatch, version ")


@pytest.mark.parametrize("deferred", COMMANDS, ids=lambda command: command.name)
def test_every_command_explains_itself_by_an_example(deferred) -> None:
    result = CliRunner().invoke(main, [deferred.name, "--help"])

    assert result.exit_code == 0
    assert f"scalewatch {deferred.name}" in result.output.split("\n\n", 1)[1]
