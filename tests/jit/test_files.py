"""Files of TorchScript: traces are written as PyTorch reads them; PyTorch's are read and, if all is known, run."""

import io
import zipfile

import numpy as np
import pytest

import tensh as torch
from tests.support.zoo import make_models

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
MODELS = {name: (model.eval(), inputs) for name, (model, inputs) in make_models(torch).items() if name != "VAE"}


def saved(module, torch=torch):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return file


def flatten(value):
    return [leaf for each in value for leaf in flatten(each)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", MODELS)
def test_a_trace_comes_back(name):
    model, inputs = MODELS[name]
    loaded = torch.jit.load(saved(torch.jit.trace(model, tuple(inputs), check_trace=False)))
    assert all(map(torch.equal, flatten(loaded(*inputs)), flatten(model(*inputs))))
    assert list(loaded.state_dict()) == list(model.state_dict())
    assert loaded.original_name == type(model).__name__ and loaded.code.startswith("def forward(self,")


@pytest.mark.parametrize("name", MODELS)
def test_pytorch_reads_what_is_written_and_the_other_way_round(oracle, name):
    model, inputs = MODELS[name]
    theirs = [oracle.from_numpy(np.array(each.numpy())) for each in inputs]
    loaded = oracle.jit.load(saved(torch.jit.trace(model, tuple(inputs), check_trace=False)))
    for a, b in zip(flatten(loaded(*theirs)), flatten(model(*inputs)), strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)
    other = make_models(oracle)[name][0].eval()
    for made in (
        oracle.jit.trace(other, tuple(theirs), check_trace=False),
        None if name == "encoder" else oracle.jit.script(other),
    ):
        if made is not None:
            read = torch.jit.load(saved(made, oracle))
            for a, b in zip(flatten(read(*inputs)), flatten(other(*theirs)), strict=True):
                np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)
            assert [name for name, _ in read.named_parameters()] == [name for name, _ in other.named_parameters()]


def test_decisions_loops_and_lists_of_scripted_code_run(oracle, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\nfrom typing import Dict, List, Optional\n\nclass Program(torch.nn.Module):\n"
        "    def forward(self, x, times: int = 3, names: Optional[List[str]] = None):\n"
        "        out: List[torch.Tensor] = []\n        for i in range(times):\n            if bool(x.sum() > i):\n                out.append(x * i)\n"
        "            else:\n                out.append(x - i)\n        while len(out) < 5:\n            out.append(torch.zeros_like(x))\n"
        "        if names is not None:\n            out.append(x + len(names))\n        total = torch.stack(out)\n        total[0] = 9.0\n"
        "        return total, {'size': x.size(0) // 2, 'rest': x.shape[0] % 2}\n"
    )
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    import linecache

    linecache.checkcache(str(path))
    program = names["Program"]()
    loaded = torch.jit.load(saved(oracle.jit.script(program), oracle))
    for args in (([1.0, 2.0, 3.0],), ([-1.0, 0.0, 1.0], 2), ([0.5, 1.0, 1.0], 4, ["a", "b"])):
        ours, theirs = loaded(torch.tensor(args[0]), *args[1:]), program(oracle.tensor(args[0]), *args[1:])
        assert ours[0].tolist() == theirs[0].tolist() and ours[1] == theirs[1]


def test_gradients_go_through_code_of_a_file():
    model, inputs = MODELS["pooling"]
    loaded = torch.jit.load(saved(torch.jit.trace(model, tuple(inputs))))
    model.zero_grad()
    loaded(*inputs).sum().backward()
    model(*inputs).sum().backward()
    assert torch.equal(loaded.query.grad, model.query.grad)


KEYWORDS = [
    lambda x, y: torch.div(x, y, rounding_mode="floor"), lambda x, y: torch.round(x, decimals=1), lambda x, y: torch.add(x, y, alpha=3),
    lambda x, y: torch.meshgrid(x, y, indexing="xy"), lambda x, y: torch.gradient(x, spacing=2.0), lambda x, y: x.var(0, correction=0),
    lambda x, y: x.scatter(0, torch.tensor([0, 1]), 2.0, reduce="multiply"), lambda x, y: torch.searchsorted(y, x, right=True),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:torch.tensor results")
@pytest.mark.parametrize("function", KEYWORDS)
def test_keywords_of_operators_count_in_code_of_a_file(function):
    x, y = torch.tensor([1.56, -2.78]), torch.tensor([1.0, 2.0])
    loaded = torch.jit.load(saved(torch.jit.trace(function, (x, y), check_trace=False)))
    assert list(map(torch.equal, flatten(loaded(x, y)), flatten(function(x, y)))) == [True] * len(
        flatten(function(x, y))
    )


def test_functions_constants_and_extra_files():
    shift = torch.tensor([1.0, 2.0])
    file = io.BytesIO()
    with pytest.warns(torch.jit.TracerWarning, match="constants in the trace"):
        traced = torch.jit.trace(lambda x: x * shift + torch.tensor(3.0), torch.ones(2))
    torch.jit.save(traced, file, _extra_files={"note": "for you"})
    file.seek(0)
    extra = {"note": ""}
    loaded = torch.jit.load(file, _extra_files=extra)
    assert loaded(torch.ones(2)).tolist() == [4, 5] and extra == {"note": b"for you"}


def test_what_cannot_be_written_is_refused():
    with pytest.raises(
        RuntimeError, match="TorchScript has no operator for svd_lowrank, which .*test_files.py:.* calls"
    ):
        saved(torch.jit.trace(lambda x: torch.svd_lowrank(x)[1], torch.ones(2, 2), check_trace=False))
    with pytest.raises(RuntimeError, match="expects what torch.jit.trace or torch.jit.script returns"):
        torch.jit.save(torch.nn.Linear(1, 1), io.BytesIO())


# ── hostile files ────────────────────────────────────────────────────────────
HEAD = "class Linear(Module):\n  __parameters__ = []\n  def forward(self: __torch__.Linear, x: Tensor) -> Tensor:\n"
CODES = {
    "import os": "no method forward",
    HEAD + "    import os\n    return x\n": "does not run Import",
    HEAD + "    return __import__('os').system('true')\n": "does not run|does not call",
    HEAD + "    return x.__class__.__mro__\n": "does not read __class__",
    HEAD + "    return self.__dict__\n": "no attribute __dict__",
    HEAD + "    return (lambda: x)()\n": "does not run Lambda",
    HEAD + "    return [y for y in x]\n": "does not run ListComp",
    HEAD + '    return torch.percentFormat("%999999999d", 1)\n': "formats no widths",
    HEAD + "    torch.set_grad_enabled(False)\n    return x\n": "does not run torch.set_grad_enabled",
    HEAD + "    return eval('1')\n": "does not run eval",
    HEAD + "    return torch.load('x')\n": "does not run torch.load",
    HEAD + "    return torch.from_file('x', True, 4)\n": "does not run torch.from_file",
    HEAD + "    return ops.aten.system(x)\n": "does not run ops.aten.system",
    HEAD + "    return x.backward()\n": "does not call Tensor.backward",
    HEAD + "    return f'{x}'\n": "does not run JoinedStr",
    HEAD + "    return getattr(x, '_base')\n": "does not read _base",
    HEAD + "    return self.forward(x)\n": "without end",
    HEAD + "    return unset\n": "before it is set",
    "((((" * 5000: "no method forward",
}


@pytest.mark.parametrize("number", range(len(CODES)))
def test_code_that_is_not_known_never_runs(number):
    code = list(CODES)[number]
    linear = type("Linear", (torch.nn.Linear,), {"__module__": "__main__"})(2, 1)  # in the first code file
    before, after = saved(torch.jit.trace(linear, torch.ones(1, 2))), io.BytesIO()
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w") as target:
        for name in source.namelist():
            target.writestr(name, code if name.endswith("code/__torch__.py") else source.read(name))
    after.seek(0)
    loaded = torch.jit.load(after)
    assert loaded.weight.shape == (1, 2)  # the tensors are there
    with pytest.raises((NotImplementedError, AttributeError, RuntimeError, RecursionError), match=CODES[code]):
        loaded(torch.ones(1, 2))


def test_other_files_are_no_torchscript(tmp_path):
    torch.save({"a": torch.ones(1)}, tmp_path / "state.pt")
    (tmp_path / "text.pt").write_bytes(b"text")
    for name in ("state.pt", "text.pt"):
        with pytest.raises(RuntimeError, match="not a TorchScript file"):
            torch.jit.load(tmp_path / name)


def make_called_twice(library):
    """Return a traced module with submodules that are called twice, within each other, with two results, and not at all."""
    nn = library.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.unused = nn.Linear(2, 2), nn.Linear(2, 2)
            self.inner = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh(), nn.Linear(2, 2)))
            self.cell, self.norm = nn.GRU(2, 2), nn.BatchNorm1d(2)
            self.shift = library.ones(2)

        def forward(self, x):
            y = self.first(self.inner(self.first(x))) + self.shift
            return self.cell(y.unsqueeze(0))[0], self.norm(y)

    library.manual_seed(0)
    return library.jit.trace(Model().eval(), library.ones(3, 2))


def test_submodules_of_traces_have_methods_in_files(oracle):
    file, traced = io.BytesIO(), make_called_twice(torch)
    torch.jit.save(traced, file)
    for library in (torch, oracle):
        file.seek(0)
        loaded = library.jit.load(file)
        for ours, theirs in zip(traced(torch.ones(3, 2)), loaded(library.ones(3, 2))):
            np.testing.assert_allclose(theirs.tolist(), ours.tolist(), atol=1e-5)
        assert "(self.first).forward1(" in loaded.code.replace("(first0)", "(self.first)")
        assert loaded.inner.original_name == "Sequential" and loaded.first.original_name == "Linear"
        expected = traced.first.weight.sum(1) + traced.first.bias
        for method in (loaded.first, loaded.first.forward1):
            np.testing.assert_allclose(method(library.ones(2)).tolist(), expected.tolist(), atol=1e-5)
        assert loaded.inner(library.ones(1, 2)).shape == (1, 2)
        with pytest.raises(AttributeError, match="'RecursiveScriptModule' object has no attribute 'forward'"):
            loaded.unused(library.ones(2))


def test_submodules_of_traces_cannot_be_called(oracle):
    for library in (torch, oracle):
        with pytest.raises(RuntimeError, match=r"^Trace submodules cannot be called\.$"):
            make_called_twice(library).first(library.ones(2))


def test_exceptions_of_files_are_pytorchs(oracle):
    def check(x, k: int):
        if k > 1:
            raise ValueError("too many")
        assert k > 0, "not one"
        return x

    for number, last in ((2, "builtins.ValueError: too many"), (0, "RuntimeError: AssertionError: not one")):
        for library in (torch, oracle):
            loaded = library.jit.load(saved(library.jit.script(check), library))
            with pytest.raises(library.jit.Error) as raised:
                loaded(library.ones(1), number)
            assert str(raised.value).strip().endswith(last)
