"""torch.fx.passes, and rewriting of the kind that PyTorch's tutorials show."""

import importlib
import sys
import types

import pytest

import tensh as torch
from tensh import fx, nn
from tensh.fx.passes.infra.pass_base import PassBase, PassResult
from tensh.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper, this_before_that_pass_constraint
from tensh.fx.passes.shape_prop import ShapeProp
from tensh.fx.passes.split_module import split_module


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.param, self.linear = nn.Parameter(torch.ones(3, 4)), nn.Linear(4, 5)

    def forward(self, x, y):
        z = self.linear(x + self.param).clamp(min=0.0, max=1.0)
        return z + self.linear(y).clamp(min=0.0, max=1.0)


def by_turns(count):
    numbers = iter(range(1000))
    return lambda node: next(numbers) % count


def test_parts_of_a_module_compute_the_same():
    model, inputs = Model(), (torch.randn(3, 4), torch.randn(3, 4))
    parts = split_module(
        fx.symbolic_trace(model), model, lambda node: "first" if node.name in ("add", "linear") else "last"
    )
    parts.graph.lint()
    assert [name for name, _ in parts.named_children()] == ["submod_first", "submod_last"]
    assert torch.equal(parts(*inputs), model(*inputs))
    assert parts.param is model.param and parts.submod_first.linear.weight is model.linear.weight


def test_parts_are_pytorchs(oracle):
    def code(torch, fx, split_module):
        class Twin(torch.nn.Module):
            forward = Model.forward

            def __init__(self):
                super().__init__()
                self.param, self.linear = torch.nn.Parameter(torch.ones(3, 4)), torch.nn.Linear(4, 5)

        model = Twin()
        made = split_module(fx.symbolic_trace(model), model, by_turns(3))
        return [made.code, *(each.code for _, each in made.named_children())]

    theirs = importlib.import_module("torch.fx.passes.split_module").split_module
    assert code(torch, fx, split_module) == code(oracle, oracle.fx, theirs)


def test_parts_that_need_each_other_are_refused():
    gm = fx.symbolic_trace(lambda x: torch.relu(torch.neg(torch.relu(x))))
    with pytest.raises(RuntimeError, match="cycle exists between partitions!$"):
        split_module(gm, gm, lambda node: int(node.name == "neg"))


class Replace(PassBase):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def call(self, graph_module):
        found = graph_module.graph.find_nodes(op="call_function", target=self.old)
        for node in found:
            node.target = self.new
        return PassResult(graph_module, bool(found))


def test_passes_run_in_an_order_and_until_nothing_changes():
    first, second = Replace(torch.relu, torch.sigmoid), Replace(torch.sigmoid, torch.tanh)
    manager = PassManager([second, first], [this_before_that_pass_constraint(first, second)], steps=5)
    gm = fx.symbolic_trace(lambda x: torch.relu(x))
    result = manager(gm)
    assert result.modified and manager.passes == [first, second]
    assert torch.equal(result.graph_module(torch.ones(2)), torch.ones(2).tanh())
    with pytest.raises(RuntimeError, match="Circular dependency"):
        PassManager(
            [first, second], [this_before_that_pass_constraint(*pair) for pair in ((first, second), (second, first))]
        )(gm)
    with pytest.raises(Exception, match="An error occurred when running the"):
        PassManager([lambda module: None])(gm)
    assert PassManager([pass_result_wrapper(lambda module: None)])(gm).modified


class Observer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.tensor(float("inf")))
        self.register_buffer("high", torch.tensor(float("-inf")))

    def forward(self, x):
        self.low = torch.minimum(self.low, x.detach().min())
        self.high = torch.maximum(self.high, x.detach().max())
        return x


class Rounded(nn.Module):
    """Values on 256 levels between those that were observed."""

    def __init__(self, observer):
        super().__init__()
        self.low, self.scale = float(observer.low), float((observer.high - observer.low) / 255)

    def forward(self, x):
        return torch.round((x - self.low) / self.scale).clamp(0, 255) * self.scale + self.low


def test_observers_are_put_in_and_replaced_as_for_quantisation():
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(64, 4)
    gm = fx.symbolic_trace(model)
    for node in list(gm.graph.nodes):
        if node.op in ("placeholder", "call_module"):
            gm.add_submodule(f"observe_{node.name}", Observer())
            with gm.graph.inserting_after(node):
                seen = gm.graph.call_module(f"observe_{node.name}", (node,))
            node.replace_all_uses_with(seen)
            seen.update_arg(0, node)
    gm.graph.lint()
    gm.recompile()
    assert torch.equal(gm(x), model(x))
    for node in gm.graph.nodes:
        if node.op == "call_module" and node.target.startswith("observe_"):
            gm.add_submodule(f"rounded_{node.name}", Rounded(gm.get_submodule(node.target)))
            node.target = f"rounded_{node.name}"
    gm.delete_all_unused_submodules()
    gm.recompile()
    error = (gm(x) - model(x)).abs().max()
    assert 0 < error < 0.05 and not any(isinstance(each, Observer) for each in gm.modules())


# ── constants and common parts ───────────────────────────────────────────────
def make_folding(torch, case):
    """A module with parts that depend only on its parameters."""

    class Folding(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.full((2,), 3.0))
            self.register_buffer("c", torch.arange(2.0))

        def forward(self, x):
            return case(torch, self, x)

    return Folding()


FOLDINGS = [
    lambda torch, m, x: x * (m.w + m.b) + m.w,
    lambda torch, m, x: torch.relu(x + m.w.exp()) * (m.b - m.c).sin() + m.c * 2,
    lambda torch, m, x: x + m.w,
    lambda torch, m, x: (m.c * 2).sum() + x,
]
COMMON = [
    lambda torch, x: (x + 1) * (x + 1),
    lambda torch, x: torch.cat([x.sin(), x.sin()]) + torch.cat([x.sin(), x.sin()]),
    lambda torch, x: x.clone().add_(1) + x.clone().add_(1),
    lambda torch, x: x[0] + x[0] * x[:1] + x[:1],
    lambda torch, x: (x * 1) + (x * 1.0) + (x * True),
    lambda torch, x: torch.nn.functional.dropout(x) + torch.nn.functional.dropout(x),
    lambda torch, x: x + 2,
]


@pytest.mark.parametrize("case", FOLDINGS)
def test_constants_are_folded_as_in_pytorch(case, oracle):
    from tensh.fx.experimental.const_fold import split_const_subgraphs

    def look(torch, split):
        module = make_folding(torch, case)
        folded = split(module)
        x = torch.ones(2)
        before = [node.name for node in folded.graph.nodes], folded.const_subgraph_module is None
        return (
            *before,
            folded(x).tolist(),
            module(x).tolist(),
            [name for name, _ in folded.named_parameters() if "." not in name],
        )

    ours = look(torch, split_const_subgraphs)
    theirs = look(oracle, importlib.import_module("torch.fx.experimental.const_fold").split_const_subgraphs)
    assert ours[2] == ours[3]
    assert ours[1:4] == theirs[1:4] and sorted(ours[0]) == sorted(theirs[0])


@pytest.mark.parametrize("case", COMMON)
def test_common_parts_are_computed_once(case):
    from tensh.fx.passes.dialect.common.cse_pass import CSEPass

    traced, x = fx.symbolic_trace(lambda x: case(torch, x)), torch.rand(2, 2)
    before = len(traced.graph.nodes)
    result = CSEPass()(traced)
    result.graph_module.graph.lint()
    assert result.modified == (len(result.graph_module.graph.nodes) < before) == (COMMON.index(case) in (0, 1, 3))
    torch.manual_seed(0)
    expected = traced(x)
    torch.manual_seed(0)
    assert torch.equal(result.graph_module(x), expected)


def test_graphs_are_drawn_by_way_of_pydot(monkeypatch):
    from tensh.fx.passes.graph_drawer import FxGraphDrawer

    class Dot(list):
        def __init__(self, name, rankdir):
            super().__init__()

        add_node = add_edge = list.append

    pydot = types.ModuleType("pydot")
    pydot.Dot, pydot.Node, pydot.Edge = Dot, lambda name, label, **more: (name, label), lambda *pair: pair
    module = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Flatten(0)))
    monkeypatch.setitem(sys.modules, "pydot", None)
    with pytest.raises(RuntimeError, match="pydot"):
        FxGraphDrawer(module, "net")
    monkeypatch.setitem(sys.modules, "pydot", pydot)
    ShapeProp(module).propagate(torch.ones(1, 2))
    drawn = dict(FxGraphDrawer(module, "net").get_dot_graph())
    assert drawn["0.weight"] == "_0" and drawn["_0"] == "_1" and drawn["_1"] == "output"
    short = FxGraphDrawer(module, "net", ignore_parameters_and_buffers=True).get_all_dot_graphs()["net"]
    assert [name for name, _ in short] == ["input_1", "_0", "_1", "output", "input_1", "_0", "_1"]
    assert short[1][1].startswith("{name=%_0|op_code=call_module\\n\\ntorch.nn.modules.linear.Linear\\n|in_features=2")
    assert short[1][1].endswith("|dtype=torch.float32\\n|shape=(1, 3)\\n|requires_grad=True\\n|stride=(3, 1)\\n}")


FUSED = {
    "in_the_middle": lambda x, y: (((x + y).relu() * (x + y) + 1).sin() * ((x + y).relu() * (x + y) + 1), x + y),
    "chain": lambda x, y: (x + y) * 2 + x,
    "side_by_side": lambda x, y: (x + y).relu() * (x * y).relu() + (x + y).relu(),
    "apart": lambda x, y: ((x + 1).sin() + 1).sin() + 1,
    "parts_of_a_result": lambda x, y: (x + y).chunk(2)[0] * (x * y).chunk(2)[1] + 1,
    "nothing": lambda x, y: x.sin(),
}


def tell_partitions(torch, infra, support, name, **options):
    """The partitions of a function by arithmetic, and the code of the resulting modules."""
    taken = support.create_op_support(lambda modules, node: "_operator." in str(support.get_node_target(modules, node)))
    known = support.create_op_support(lambda modules, node: node.op.startswith("call"))
    graph = torch.fx.symbolic_trace(FUSED[name])
    partitioner = infra.CapabilityBasedPartitioner(graph, support.chain(known, taken), **options)
    parts = partitioner.propose_partitions()
    found = [[(part.id, {node.name: order for node, order in part.nodes.items()}) for part in parts]]
    made = partitioner.fuse_partitions(parts)
    x, y = torch.arange(4.0), torch.arange(4.0) * 2 - 3
    found += [made.code, *((each, part.code) for each, part in made.named_children())]
    return found, made(x, y), FUSED[name](x, y)


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("options", [{}, {"allows_single_node_partition": True}, {"skip_horizontal_fusion": True}])
def test_partitions_are_pytorchs(oracle, name, options):
    def of(torch, place):
        parts = [
            importlib.import_module(f"{place}.fx.passes.{each}") for each in ("infra.partitioner", "operator_support")
        ]
        return tell_partitions(torch, *parts, name, **options)

    (ours, got, wanted), (theirs, _, _) = of(torch, "tensh"), of(oracle, "torch")
    assert ours == theirs
    torch.testing.assert_close(got, wanted)


def test_a_table_says_which_dtypes_an_operator_takes():
    from tensh.fx.passes.operator_support import OperatorSupport

    graph = fx.symbolic_trace(lambda x, y: torch.add(x, y).relu())
    ShapeProp(graph).propagate(torch.ones(2), torch.ones(2))
    add, relu = list(graph.graph.nodes)[2:4]
    for kinds, wanted in (([torch.float32], True), ([torch.int64], False)):
        assert OperatorSupport({"torch.add": ((kinds, kinds), {})}).is_node_supported({}, add) is wanted
    assert not OperatorSupport({"torch.add": None}).is_node_supported({}, relu)


def make_shifted(library):
    class Shifted(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.shift = library.nn.Linear(2, 2), library.nn.Parameter(library.ones(2))

        def forward(self, x):
            y = self.linear(x).relu()
            return y.abs(), (y + self.shift) * 2, y.view(-1)

    return library.fx.symbolic_trace(Shifted())


def test_sorted_modules_have_new_code(oracle):
    codes = []
    for library in (torch, oracle):
        tools = importlib.import_module(f"{library.__name__}.fx.passes.tools_common")
        codes.append(tools.legalize_graph(make_shifted(library)).code)
    assert codes[0] == codes[1] and codes[0].index("shift") < codes[0].index("linear")
