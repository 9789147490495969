"""The folder of the project, and the environment of processes that tests start."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "recorded"
SHARED = Path(os.environ.get("TENSH_SHARED", ROOT.parent / "shared"))  # reference material beside the project


def plain_environment():
    """The environment without variables that colour, size or configure a program, and with this checkout importable."""
    foreign = "TENSH_", "FORCE_COLOR", "COLUMNS", "LINES"  # the workers of pytest-xdist set COLUMNS
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return kept | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "TENSH_SHARED": str(SHARED)}
