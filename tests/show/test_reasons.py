"""`%why`: the one reason for a gradient that is absent, changed or not finite, in small programs."""

import io

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment

BEGIN = "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
NONE = "w.grad is None: "
TAKEN = f"{NONE}no named tensor with a history was computed from w; the part of loss that comes from w has no history: "
FUNCTION = """class Lost(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return None
loss = Lost.apply(w).sum(); loss.backward()"""
REASONS = {
    "loss = (w.detach() * v).sum(); loss.backward()": f"{TAKEN}`w.detach()` on line 4: detach() cuts the history",
    "loss = (w.data * v).sum(); loss.backward()": f"{TAKEN}`w.data` on line 4: .data has no history",
    "loss = v[w.argmax(0)]; loss.backward()": f"{TAKEN}`w.argmax(0)` on line 4 returns int64, which has no derivative",
    "loss = (w.int() * v).sum(); loss.backward()": f"{TAKEN}`w.int()` on line 4 returns int32, which has no derivative",
    "s = w.sum().item()\nloss = (s * v).sum()\nloss.backward()": f"{TAKEN}`w.sum().item()` on line 4 is a Python number",
    "loss = (v ** 2).sum(); loss.backward()": f"{NONE}no named tensor was computed from w\n",
    FUNCTION: f"{NONE}LostBackward returns None for w\n",
    "w.register_hook(lambda g: 0 * g)\nloss = (w ** 2).sum(); loss.backward()": "[0, 0]: a hook on w changes the gradient",
    "h = 2 * w\nh.register_hook(lambda g: 0 * g)\nloss = h.sum(); loss.backward()": "a hook on h changes the gradient",
    "w.register_hook(print)\nfor _ in range(3):\n    loss = (w ** 2).sum(); loss.backward()": "the sum of all backward passes",
    "loss = (w ** 2).sum(); loss.backward()\ntorch.nn.utils.clip_grad_norm_([w], 1.0)": "`torch.nn.utils.clip_grad_norm_([w], 1.0)` changed it afterwards",
    "loss = (w ** 2).sum(); loss.backward()\nw.grad *= 10": "[20, 40]: `w.grad *= 10` changed it afterwards",
    "loss = (0 * w).sqrt().sum(); loss.backward()": "g * 0                      [nan, nan]",
    "loss = (0 * w).sqrt().sum(); loss.backward()  # its result": "g / (2 * (0 * w).sqrt())",
    "loss = w.sub(1).sqrt().sum(); loss.backward()": "# not checked: the gradient is not finite",
    "m = torch.tensor([True, False])\nh = w.masked_fill(m, 0.0)\nloss = h.sum(); loss.backward()": "g * [not m]",
    "loss = torch.nn.functional.batch_norm(torch.stack([w, v]), None, None, training=True).sum(); loss.backward()": "2 entries agree with central differences",
}  # fmt: skip
OF_LOSS = {
    "torch.set_grad_enabled(False)\nloss = w.sum()\ntorch.set_grad_enabled(True)": "loss was computed while gradients were off: torch.set_grad_enabled(False) (line 4)",
    "u = torch.ones(2)\nloss = u.sum()\nu.requires_grad_()": "loss was computed before u required grad: u.requires_grad_() is on line 6",
}  # fmt: skip


def ask(path, code, name):
    """What `%why` says of a gradient after a program."""
    path.write_text(f"{BEGIN}{code}\n%why {name}\n", encoding="utf-8")
    streams = [io.StringIO() for _ in range(3)]
    assert main(["run", str(path)], Environment(*streams, variables={})) == 0, streams[2].getvalue()
    return streams[1].getvalue()


@pytest.mark.parametrize(("code", "reason"), REASONS.items(), ids=map(str, range(len(REASONS))))
def test_the_reason_for_a_gradient_is_the_true_one(tmp_path, code, reason):
    assert reason in ask(tmp_path / "a.tsh", code, "w.grad")


@pytest.mark.parametrize(("code", "reason"), OF_LOSS.items(), ids=map(str, range(len(OF_LOSS))))
def test_the_reason_for_a_result_without_history_is_the_true_one(tmp_path, code, reason):
    assert reason in ask(tmp_path / "a.tsh", code, "loss")


LOOP = "h = {start}\nfor i in range(300):\n    h = {step}\nloss = h.sum(); loss.backward()"
OF_MANY_STEPS = {
    LOOP.format(start="w", step="h * 1.0"): ["along 1 path", "  ... 201 more ..."],
    LOOP.format(start="w", step="h + w * h"): [
        "along more than 10^18 paths",
        "          ... 202 more ...",
        "use 302   ",
    ],
    LOOP.format(start="w.sum()", step="h * 1.0"): ["along 1 path", "  ... 202 more ..."],
}


@pytest.mark.parametrize(("code", "shown"), OF_MANY_STEPS.items(), ids=map(str, range(len(OF_MANY_STEPS))))
def test_of_a_long_path_the_first_and_the_last_steps_are_shown(tmp_path, code, shown):
    text = ask(tmp_path / "a.tsh", code, "w.grad")
    assert all(each in text for each in shown), text
    assert len(text.splitlines()) < 120


def test_the_product_of_a_long_path_is_its_value(tmp_path):
    code = "b = torch.tensor(2.0, requires_grad=True)\n" + LOOP.format(start="b", step="h * 1.01")
    text = ask(tmp_path / "a.tsh", code, "b.grad")
    assert "product = 19.79" in text
    assert max(map(len, text.splitlines())) < 250
