"""Graphs split between an accelerator and the CPU, rewritten assertions, and traces that know sizes, are PyTorch's."""

import contextlib
import importlib
import io

import pytest

import tensh
from tensh.fx.passes.splitter_base import FxNetSplitterInternalError


def load(torch, path):
    """Return a module of the library."""
    return importlib.import_module(f"{torch.__name__}.{path}")


def make_model(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

        def forward(self, x, y):
            b = torch.sigmoid(y)
            d = torch.add(torch.relu(self.first(x)), b)
            return self.second(torch.tanh(d)), torch.relu(b), d.size(0) * d

    return Model()


def split(torch, **settings):
    """Return a splitter and the code of its parts, with what it prints."""
    splitter = load(torch, "fx.passes.splitter_base")

    class Supported(load(torch, "fx.passes.operator_support").OperatorSupport):
        def is_node_supported(self, submodules, node):
            return node.op in ("call_module", "call_method") or node.target in (torch.relu, torch.add)

    made, inputs = torch.fx.symbolic_trace(make_model(torch)), (torch.ones(1, 2),) * 2
    load(torch, "fx.passes.shape_prop").ShapeProp(made).propagate(*inputs)
    found = splitter._SplitterBase(made, inputs, Supported(), splitter._SplitterSettingBase(**settings))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        whole = found()
        preview = found.node_support_preview()
    codes = [each.code for each in whole.modules() if hasattr(each, "code")]
    assert all(a.equal(b) for a, b in zip(whole(*inputs), made(*inputs), strict=True))
    lines = sorted(printed.getvalue().splitlines())  # PyTorch lists kinds in any order
    return found, [codes, lines, sorted(preview.splitlines())]


@pytest.mark.parametrize(
    "settings",
    [{"min_acc_module_size": n} for n in (1, 2, 3, 4)] + [{"min_acc_module_size": 1, "max_acc_splits": 5}],
    ids=str,
)
def test_parts_are_pytorchs(oracle, settings):
    assert split(tensh, **settings)[1] == split(oracle, **settings)[1]


def test_a_graph_is_split_once():
    splitter, _ = split(tensh)
    with pytest.raises(FxNetSplitterInternalError, match="already tagged"):
        splitter()
    splitter.split(remove_tag=True)
    assert splitter()(tensh.ones(1, 2), tensh.ones(1, 2))[0].shape == (1, 2)
    with pytest.raises(ValueError, match="max_acc_splits"):
        split(tensh, max_acc_splits=1)


def make_checked(torch):
    class Checked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)

        def forward(self, x, y: int = 3):
            z = x + y
            assert z.sum() > 0, "positive"
            assert z.mean() > 1
            return self.linear(z)

    return Checked()


def test_assertions_are_nodes(oracle):
    found = []
    for torch in tensh, oracle:
        globals()["torch"] = torch  # the rewritten function calls torch._assert
        tracer = load(torch, "fx.experimental.rewriter").RewritingTracer()
        graph = tracer.trace(make_checked(torch))
        made = torch.fx.GraphModule(tracer.root, graph)
        with pytest.raises(AssertionError, match="positive"):
            made(-10 * torch.ones(1, 2), 2)
        assert made(torch.ones(1, 2), 3).shape == (1, 2)
        found.append([str(graph), made.code, type(tracer.root).__name__])
    assert found[0] == found[1]


def test_traces_decide_on_sizes(oracle):
    def decide(x):
        y = x.relu() if x.shape[0] > 1 and x.dim() == 2 else x
        return (y + 1).view(y.size(1), -1) * y.shape[0]

    found = []
    for torch in tensh, oracle:
        made = load(torch, "fx.experimental.meta_tracer").symbolic_trace(
            decide, {"x": torch.empty(2, 3, device="meta")}
        )
        found.append([made.code, made(torch.ones(2, 3)).tolist()])
    assert found[0] == found[1]


def test_values_without_an_example_are_unknown():
    with pytest.warns(UserWarning, match="Could not compute metadata for call_method target sum"):
        made = tensh.fx.experimental.meta_tracer.symbolic_trace(lambda x: x.sum().size() if x is not None else x)
    assert "size()" in made.code
