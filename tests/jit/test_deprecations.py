"""torch.jit's warnings that it is deprecated."""

import pytest

from tests.support.command_line import Done


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "default::DeprecationWarning:__main__")  # as Python does
def test_deprecations_are_shown_on_request_only(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import torch, warnings\n"
        "def use():\n"
        "    made = torch.jit.script(torch.nn.ReLU())\n"
        "    torch.jit.save(made, 'made.pt')\n"
        "    torch.jit.load('made.pt')\n"
        "    torch.jit.trace(torch.nn.ReLU(), torch.ones(1))\n"
        "    torch.jit.trace_module(torch.nn.ReLU(), {'forward': torch.ones(1)})\n"
        "    torch.jit.optimize_for_inference(made.eval())\n"
        "    torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(1)))\n"
        "use()\n"
        "warnings.simplefilter('always')\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    use()\n"
        "print(*(str(each.message).split('`')[1].split('.')[-1] for each in said))\n".replace(
            "made.pt", str(tmp_path / "made.pt")
        )
    )
    names = "script save load trace trace_method optimize_for_inference freeze fork wait\n"
    assert Done("run", program) == (0, names, "")
