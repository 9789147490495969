"""torch.export: programs give the results of the modules, describe their inputs, and leave modules unchanged."""

import copy

import pytest

import tensh as torch
from tensh._library.custom_ops import OPERATORS
from tensh.export.values import DamagedFile
from tests.export.programs import MODELS, Model, make_counting, same, saved


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_compute_the_same_and_come_back(name):
    model, inputs = MODELS[name]
    program = torch.export.export(model, tuple(inputs))
    other = [each.flip(0) for each in inputs]
    assert same(program.module()(*other), model(*other))
    assert same(torch.export.load(saved(program)).module()(*other), model(*other))
    assert set(program.state_dict) == set(model.state_dict())


def test_the_signature_is_pytorchs(oracle):

    class Theirs(oracle.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = oracle.nn.Linear(3, 4)
            self.register_buffer("shift", oracle.zeros(4))
            self.scale = oracle.ones(4)

        def forward(self, x, y=None):
            z = (self.linear(x) + self.shift) * self.scale + oracle.tensor([1.0, 2.0, 3.0, 4.0])
            return {"z": z.view(x.shape[0] * 2, 2), "n": 3}

    theirs = oracle.export.export(Theirs(), (oracle.randn(5, 3),))
    ours = torch.export.export(Model(), (torch.randn(5, 3),))
    assert str(ours.graph_signature) == str(theirs.graph_signature)
    assert list(ours.state_dict) == list(theirs.state_dict) and list(ours.constants) == list(theirs.constants)
    assert str(ours.graph) == str(theirs.graph)


def tell_of_counting(torch):
    """What an export leaves, what the program is, what its calls give, and what they refuse."""
    torch.manual_seed(0)
    model, x = make_counting(torch), torch.arange(6.0).view(3, 2)
    program = torch.export.export(model, (x, 3), {"name": "b", "more": (2, None)})
    left = [x.tolist(), {name: value.tolist() for name, value in model.state_dict().items()}, torch.rand(1).tolist()]
    signature, known = program.graph_signature, [list(program.state_dict), list(program.constants)]
    known += [signature.user_inputs, [name for name, _ in program.named_buffers()], str(signature)]
    module, answers = program.module(), []
    for args, kwargs in (
        ((x, 3), {"more": (2, None), "name": "b"}),
        ((x, 3), {"name": "b", "more": (2, None)}),
        ((x, 4), {"name": "b", "more": (2, None)}),
        ((x, 3.0), {"name": "b", "more": (2, None)}),
        ((x, 3), {"name": "c", "more": (2, None)}),
        ((x, 3), {"name": "b", "more": (2, 5)}),
        ((x, 3), {"name": "b"}),
        ((x, 3, "b"), {"more": (2, None)}),
        ((x, 3), {"name": "b", "more": [2, None]}),
        ((x, (3,)), {"name": "b", "more": (2, None)}),
        ((x[:2], 3), {"name": "b", "more": (2, None)}),
    ):
        torch.manual_seed(1)
        try:
            result, largest = module(*args, **kwargs)
            answers.append(
                ([[round(each, 4) for each in row] for row in result.tolist()], type(largest).__name__, x.tolist())
            )
        except (AssertionError, ValueError) as error:
            answers.append(f"{type(error).__name__}: {error}")
    return left, known, answers


def test_exports_leave_modules_as_they_were_and_guard_all_arguments_as_pytorch_does(oracle):
    for ours, theirs in zip(tell_of_counting(torch), tell_of_counting(oracle), strict=True):
        assert ours == theirs


class Deciding(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Fixing(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.size(0) > 3 else x


def test_what_cannot_be_exported_says_which_line():
    with pytest.raises(
        RuntimeError, match=r"Could not guard on data-dependent expression(.|\n)*return x if x.sum\(\) > 0 else -x"
    ):
        torch.export.export(Deciding(), (torch.ones(2),))
    with pytest.raises(RuntimeError, match=r"2 <= .* and .* <= 3\nSuggested fixes:\n  n = Dim\(.n., max=3\)"):
        torch.export.export(Fixing(), (torch.ones(2, 3),), dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    with pytest.raises(RuntimeError, match="its top-level keys must be the arg names"):
        torch.export.export(Model(), (torch.ones(2, 3),), dynamic_shapes={"z": {0: torch.export.Dim("n")}})
    with pytest.raises(RuntimeError, match="1 not in range \\[2, 4\\]"):
        torch.export.export(
            Model(), (torch.ones(1, 3),), dynamic_shapes={"x": {0: torch.export.Dim("n", min=2, max=4)}}
        )
    with pytest.raises(ValueError, match="to be an instance of `torch.nn.Module`"):
        torch.export.export(lambda x: x, (torch.ones(1),))
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        torch.export.export(Model(), (torch.ones(2, 3),))(torch.ones(2, 3))


def test_gradients_reach_the_parameters_of_the_module():
    model = Model()
    torch.export.export(model, (torch.ones(2, 3),)).module()(torch.ones(2, 3))["z"].sum().backward()
    assert model.linear.weight.grad.tolist() == [[2.0] * 3] * 4


def test_the_module_of_a_program_is_a_graph_that_can_be_read_and_changed():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(2, 2)
            self.register_buffer("scale", torch.full((2,), 3.0))

        def forward(self, x, *rest, k=None):
            return {"y": self.lin(x["a"]) * self.scale + rest[0], "k": k}

    module = Scaled()
    program = torch.export.export(module, ({"a": torch.ones(1, 2)}, torch.zeros(2)), {"k": torch.ones(1)})
    made, arguments = program.module(), ({"a": torch.full((1, 2), 2.0)}, torch.ones(2))
    assert isinstance(made, torch.fx.GraphModule) and list(made.state_dict()) == list(module.state_dict())
    assert made.code.split("\n")[3:6] == [
        "def forward(self, x, rest_0, k):",
        "    x_a, rest_0, k, = fx_pytree.tree_flatten_spec(([x, rest_0], {'k':k}), self._in_spec)",
        "    lin_weight = self.lin.weight",
    ]
    named = {"k": torch.ones(1)}
    assert same(made(*arguments, **named), module(*arguments, **named))
    for node in made.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
        node.target = torch.ops.aten.sub.Tensor
    made.recompile()
    assert made(*arguments, **named)["y"].equal(module.lin(arguments[0]["a"]) - 3 + 1)
    assert copy.deepcopy(made)(*arguments, **named)["y"].equal(made(*arguments, **named)["y"])
    with pytest.raises(NotImplementedError, match="eval"):
        made.eval()


class Guarded(torch.nn.Module):
    """A part under ``no_grad``, with a buffer that is written, and a part under autocast."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        with torch.no_grad():
            weight = self.linear(x).softmax(-1)
            self.total.add_(x.mean(0))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.linear(x)
        return y.float() * weight + self.total, weight * 2


@pytest.mark.parametrize("strict", [True, False])
def test_gradients_stop_and_casts_happen_as_in_the_program(strict):
    module, x = Guarded(), torch.randn(2, 3, requires_grad=True)
    exported = torch.export.export(copy.deepcopy(module), (x.detach(),), strict=strict).module()
    answers = []
    for each in (module, exported):
        first, second = each(x)
        slopes = torch.autograd.grad(first.sum() + second.sum(), [x, *each.parameters()])
        answers.append((first, second, *slopes))
        assert first.requires_grad and not second.requires_grad
    assert all(map(torch.equal, *answers))


def test_nodes_know_the_modules_that_were_called(oracle):
    def make(library):
        class Inner(library.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = library.nn.Linear(2, 3)

            def forward(self, x):
                return self.linear(x).relu()

        class Outer(library.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.layers = Inner(), library.nn.ModuleList([library.nn.Linear(3, 3)])

            def forward(self, x):
                a, b = self.inner(x).split(1)
                return self.layers[0](a + b * 2).sum()

        return Outer()

    stacks = []
    for library in torch, oracle:
        program = library.export.export(make(library), (library.ones(2, 2),))
        stacks.append([(n.name, n.meta.get("nn_module_stack")) for n in program.graph.nodes])
    assert stacks[0] == stacks[1]
    unflattened = torch.export.unflatten(torch.export.export(make(torch), (torch.ones(2, 2),)))
    assert [name for name, _ in unflattened.named_modules()][:3] == ["", "inner", "inner.linear"]


def make_own_operators(torch, space):
    """Return a model that calls operators of the program, whose functions compute with NumPy."""

    @torch.library.custom_op(f"{space}::scaled", mutates_args=())
    def scaled(x: torch.Tensor, factor: float, shift: float = 0.0) -> torch.Tensor:
        return torch.from_numpy(x.numpy() * factor + shift)

    @scaled.register_fake
    def _(x, factor, shift=0.0):
        return torch.empty_like(x)

    @torch.library.custom_op(f"{space}::fill_sevens", mutates_args=("x",))
    def fill_sevens(x: torch.Tensor) -> None:
        x.numpy()[...] = 7

    class Own(torch.nn.Module):
        def forward(self, x):
            y = scaled(x, 3.0) + scaled(x, 2.0, 1.0)
            z = x.clone()
            fill_sevens(z)
            return y * z

    return Own()


def tell_of_own_operators(torch, space):
    model = make_own_operators(torch, space)
    found = []
    for shapes in None, ({0: torch.export.Dim.AUTO},):
        program = torch.export.export(model, (torch.ones(2),), dynamic_shapes=shapes)
        code = [line.strip() for line in str(program).split("\n") if "torch.ops" in line]
        found.append(code)
        for size in (2, 5) if shapes else (2,):
            x = torch.arange(float(size))
            assert torch.equal(program.module()(x), model(x))
    return found


def test_operators_of_the_program_are_nodes(oracle):
    assert tell_of_own_operators(torch, "own_in_export") == tell_of_own_operators(oracle, "own_in_export")


def test_programs_call_operators_of_the_program():
    (fixed, free) = tell_of_own_operators(torch, "called_in_export")
    assert len(fixed) == len(free) == 6 and "torch.ops.called_in_export.scaled.default(x, 3.0)" in fixed[0]
    program = torch.export.export(make_own_operators(torch, "saved_in_export"), (torch.ones(2),))
    file = saved(program)
    assert str(torch.export.load(file)) == str(program)
    del OPERATORS["saved_in_export::scaled"]
    with pytest.raises(DamagedFile, match="'saved_in_export::scaled', an operator that this program has not defined"):
        torch.export.load(file)


def test_notes_of_values_pass_for_fake_tensors(oracle):
    found = []
    for library in (torch, oracle):
        module, shapes = library.nn.Linear(3, 2), ({0: library.export.Dim("b")},)
        program = library.export.export(module, (library.ones(4, 3),), dynamic_shapes=shapes)
        values = [node.meta["val"] for node in program.graph.nodes if isinstance(node.meta.get("val"), library.Tensor)]
        found.append(
            [
                (str(each.shape), str(each.numel()), each.dim(), each.is_contiguous(), each.element_size())
                for each in values
            ]
        )
        assert isinstance(values[0].shape, library.Size) and values[0].nbytes == 24
        with pytest.raises(RuntimeError, match=r"Cannot call numel\(\) on tensor with symbolic sizes/strides"):
            _ = values[2].nbytes
    assert found[0] == found[1] and len(found[0]) == 4
