"""Build hook that trims plotly.js for wheels that no set-up checkout builds.

`HATCH_BUILD_HOOKS_ENABLE=1` enables it. Any other build, such as that of the agent on a
login node, needs neither plotly nor tree-sitter.
"""

import runpy
import sys
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TrimPlotly(BuildHookInterface[BuilderConfig]):
    """Runs `trim_plotly.py`; a plotly.js that it does not understand stays whole."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the trimmed script of the build environment's plotly."""
        sys.path.insert(0, f"{self.root}/backend")
        try:
            runpy.run_path(f"{self.root}/frontend/trim_plotly.py", run_name="__main__")
        except SystemExit as refused:
            self.app.display_warning(str(refused))
