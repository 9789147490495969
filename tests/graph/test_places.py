"""The places of calls: the user's instruction, which is never in the script by which tensh was started."""

import os
import subprocess
import sys

from tests.support.project import ROOT


def test_the_script_of_the_command_is_no_place(tmp_path):
    script = tmp_path / "tensh"
    script.write_text(
        "import tensh as torch\nfrom tensh.engine.dispatch.capture.places import find_place\nprint(find_place(1)[0])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    assert made.stdout == "None\n", made.stderr
