"""Every script in scripts/ prints what PyTorch prints for the same code (recorded by record.py)."""

import pytest

from tests.recorded.scripts.record import SCRIPTS, output, recorded

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)


@each_script
def test_script_prints_what_pytorch_prints(script, tensh_command):
    done = tensh_command("run", script)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout == recorded(script).read_text(encoding="utf-8")


@each_script
def test_recorded_output_is_what_pytorch_prints_today(script, oracle):
    assert output(script) == recorded(script).read_text(encoding="utf-8")
