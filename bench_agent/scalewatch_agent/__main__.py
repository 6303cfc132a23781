"""`python -m scalewatch_agent`."""

from scalewatch_agent.cli import main

main(prog_name="scalewatch-agent")
