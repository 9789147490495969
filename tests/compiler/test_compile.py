"""torch.compile: the same as without it, in values, gradients of both orders, random numbers and errors."""

import copy
import pickle
import traceback
import types
import warnings
from dataclasses import dataclass

import pytest

import tensh as torch
from tensh import nn
from tensh.compiler import watching
from tests.compiler.programs import PROGRAMS
from tests.support.zoo import make_models


def tensors(structure):
    if isinstance(structure, torch.Tensor):
        return [structure]
    parts = (
        structure.values() if isinstance(structure, dict) else structure if isinstance(structure, (tuple, list)) else ()
    )
    return [each for part in parts for each in tensors(part)]


def make_arguments(shapes, more, dtype, seed):
    torch.manual_seed(seed)
    return [*(torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes), *copy.deepcopy(more)]


def run(function, arguments, kwargs, create_graph):
    """Everything that a call gives: results, gradients once and twice, and the next random number."""
    results = function(*arguments, **kwargs)
    outs = tensors(results)
    wanted = [each for each in outs if each.requires_grad]
    leaves = [each for each in tensors(arguments) if each.requires_grad]
    loss = sum((each.abs() if each.is_complex() else each * each.detach() + each).sum() for each in wanted)
    grads = (
        list(torch.autograd.grad(loss, leaves, create_graph=create_graph, allow_unused=True, retain_graph=True))
        if wanted
        else []
    )
    again = [each for each in grads if each is not None and each.requires_grad]
    if again:
        total = sum((each * each.conj()).real.sum() for each in again)
        grads += torch.autograd.grad(total, leaves, allow_unused=True)
    elif wanted and not create_graph:
        grads += torch.autograd.grad(loss, leaves, allow_unused=True)
    return [*outs, torch.rand(1)], grads, results


def compare(ours, expected, exactly=True):
    assert len(ours) == len(expected)
    for a, b in zip(ours, expected, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert (a.shape, a.dtype, a.requires_grad) == (b.shape, b.dtype, b.requires_grad)
            assert torch.equal(a, b) if exactly else torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_programs_are_what_they_are_without(case):
    function, shapes, more, kwargs, dtype, reason = case
    compiled = torch.compile(function)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for seed in range(4):
            for create_graph in (False, True):
                ours, our_grads, results = run(
                    compiled, make_arguments(shapes, more, dtype, seed), kwargs, create_graph
                )
                expected, grads, plain = run(function, make_arguments(shapes, more, dtype, seed), kwargs, create_graph)
                compare(ours, expected)
                compare(our_grads, grads, exactly=False)  # shares of a gradient may be added in another order
                assert type(results) is type(plain)
    notes = [str(each.message) for each in notes if "torch.compile" in str(each.message)]
    assert len(notes) == (reason is not None)
    assert reason is None or reason in notes[0]
    assert bool(compiled.compiled.graphs) == (reason is None)


@pytest.mark.parametrize("name", list(make_models(torch)))
def test_models_train_as_without(name):
    module, inputs = make_models(torch)[name]
    other = copy.deepcopy(module)
    compiled = torch.compile(module, fullgraph=True)
    for seed in range(3):
        answers = []
        for each in (compiled, other):
            torch.manual_seed(seed)
            outs = tensors(each(*inputs))
            if any(out.requires_grad for out in outs):
                sum(out.square().mean() for out in outs if out.requires_grad).backward()
            answers.append(outs)
        compare(*answers)
        compare([p.grad for p in module.parameters()], [p.grad for p in other.parameters()])
        compare(list(module.state_dict().values()), list(other.state_dict().values()))
    assert len(compiled.compiled.graphs) == 1


def test_guards():
    @torch.compile
    def f(x, scale=1.0, names=("a",)):
        return dict.fromkeys(names, x * scale)

    x = torch.ones(3)
    for count, call in enumerate(
        [lambda: f(x), lambda: f(x, 2.0), lambda: f(torch.ones(4)), lambda: f(x.double()), lambda: f(x, names=("a", "b")),
         lambda: f(x.requires_grad_())], 1,
    ):  # fmt: skip
        for _ in range(2):
            assert list(call()) == ["a", "b"][: 1 + (count == 5)]
        assert len(f.compiled.graphs) == count
    with torch.no_grad():
        assert not f(x)["a"].requires_grad
    assert f(x)["a"].requires_grad


def test_what_a_function_reads_is_guarded():
    settings, module = {"factor": 2.0}, nn.Linear(2, 2)
    module.extra, module.mask = 1.0, torch.ones(2)

    @torch.compile
    def f(x):
        return module(x) * settings["factor"] * module.extra * module.mask

    def plain():
        return module(x) * settings["factor"] * module.extra * module.mask

    x = torch.ones(2)

    def check():
        for _ in range(2):
            assert f(x).equal(plain())

    check()
    settings["factor"] = 3.0
    check()
    module.extra = 2.0
    check()
    module.mask = torch.zeros(2)
    check()
    module.weight = nn.Parameter(torch.ones(2, 2))
    check()
    with torch.no_grad():
        module.bias.fill_(7.0)
    check()
    assert f.compiled.reason is None


def test_what_installed_libraries_read_is_guarded(tmp_path, monkeypatch):
    """Packages are installed in a folder below that of the standard library, in virtual environments, too."""
    place = tmp_path / "site-packages"
    place.mkdir()
    (place / "scaling_library.py").write_text("FACTOR = 2\ndef scale(x): return x * FACTOR\n")
    monkeypatch.setattr(watching, "STANDARD", (*watching.STANDARD, str(tmp_path)))
    monkeypatch.syspath_prepend(str(place))
    import scaling_library

    compiled = torch.compile(lambda x: scaling_library.scale(x) + 1)
    x = torch.ones(2)
    assert [compiled(x).tolist() for _ in range(3)] == [[3.0, 3.0]] * 3
    scaling_library.FACTOR = 5
    assert compiled(x).tolist() == [6.0, 6.0]


def test_attributes_of_classes_are_guarded():
    class Scaled:
        factor, offset = 1.0, 2.0

        def scale(this, x):
            return x * this.factor

        def run(this, x):
            return this.scale(x) + this.offset

    scaled, x = Scaled(), torch.ones(2)
    f = torch.compile(scaled.run)
    for factor, offset in ((1.0, 2.0), (1.0, 2.0), (3.0, 2.0), (3.0, 4.0)):
        Scaled.factor, Scaled.offset = factor, offset
        assert f(x).tolist() == [factor + offset] * 2
    assert len(f.compiled.graphs) == 3


def test_arguments_that_are_written_before_a_second_derivative_are_noticed():
    f, x = torch.compile(lambda x, w: (x * x * w).sum()), torch.ones(2, requires_grad=True)
    for _ in range(2):
        w = torch.ones(2)
        y = f(x, w)
        w.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(y, x, create_graph=True)


def test_views_of_arguments_are_views():
    f = torch.compile(lambda x: (x.view(-1), x[0], x * 2))
    for _ in range(3):
        x = torch.ones(2, 3)
        flat, row, _ = f(x)
        flat[1] = 7.0
        assert x[0, 1] == row[1] == 7 and flat._base is x and row._base is x
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(2):
        flat, row, double = f(x)
        assert flat.grad_fn.name() == "ViewBackward0"
        flat.sum().backward()


def test_dataclasses_are_given():
    @dataclass
    class Output:
        value: object
        name: str = "y"

    f = torch.compile(lambda x: Output(x * 2), fullgraph=True)
    for size in (2, 2, 3):
        made = f(torch.ones(size))
        assert type(made) is Output and made.value.equal(torch.full((size,), 2.0)) and made.name == "y"


def test_train_and_eval_and_autocast():
    module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    compiled, x = torch.compile(module), torch.randn(4, 3)
    for mode in (True, False, True):
        compiled.train(mode)
        other = copy.deepcopy(module)
        for seed in range(2):
            torch.manual_seed(seed)
            ours = compiled(x)
            torch.manual_seed(seed)
            assert ours.equal(other(x))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert compiled(x).dtype == compiled(x).dtype == module(x).dtype
    assert compiled.compiled.reason is None


def test_only_differences_of_kind_make_new_graphs_and_too_many_are_given_up():
    @torch.compile
    def f(x):
        return x * 2

    with pytest.warns(UserWarning, match="8 graphs were made"):
        for dims in range(1, 12):
            assert f(torch.ones([2] * dims)).sum() == 2 * 2**dims
    torch.compiler.reset()
    assert not f.compiled.graphs and not f.compiled.off


def test_fullgraph_raises_with_the_line():
    @torch.compile(fullgraph=True)
    def f(x):
        y = x + 1
        print(end="")
        return y

    with pytest.raises(RuntimeError, match=r"print is called, .*test_compile.py, line \d+"):
        f(torch.ones(2))


def test_errors_are_those_of_the_function_and_show_the_written_line():
    @torch.compile
    def f(x, index):
        return torch.gather(x * 2, 0, index)

    x = torch.ones(3)
    assert f(x, torch.tensor([0])).equal(torch.tensor([2.0]))
    with pytest.raises(RuntimeError, match="out of bounds") as failed:
        f(x, torch.tensor([5]))
    assert any("compiled" in frame.filename for frame in traceback.extract_tb(failed.tb))


def test_gradients_of_backward_passes():
    x = torch.ones(3, requires_grad=True)
    f = torch.compile(lambda x: (x * x).sum())
    f(x)
    y = f(x)
    assert y.grad_fn.name() == "CompiledFunctionBackward"
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0] * 3
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    z = f(f(x) * x)  # a graph whose argument was computed by the same graph
    z.backward()
    other = torch.ones(3, requires_grad=True)
    ((other * other).sum() * other).square().sum().backward()
    assert (x.grad - 4).allclose(other.grad)


@pytest.mark.parametrize("join", [torch.column_stack, torch.cartesian_prod, lambda t: torch.stack(t).t().reshape(-1)])
def test_gradients_may_lie_in_memory_in_any_way(join):
    def function(a, b):
        return join((a, b)) if join is not torch.cartesian_prod else join(a, b)

    compiled = torch.compile(function)
    for weigh in (torch.ones_like, lambda r: torch.ones(()).expand_as(r), lambda r: torch.ones(r.shape[::-1]).t()) * 2:
        leaves = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
        result = compiled(*leaves)
        weight = weigh(result.detach()) if result.dim() == 2 else torch.ones(()).expand_as(result)
        expected = torch.autograd.grad(function(*leaves), leaves, weight)
        assert all(map(torch.equal, torch.autograd.grad(result, leaves, weight), expected))


def test_saved_tensors_that_are_written_are_noticed():
    f = torch.compile(lambda x, w: (x * w).sum())
    w = torch.ones(3, requires_grad=True)
    for _ in range(2):
        x = torch.ones(3)
        y = f(x, w)
        x.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


def test_tensors_of_other_kinds_run_as_they_are():
    f = torch.compile(lambda x: x * 2)
    assert torch.vmap(f)(torch.ones(2, 3)).equal(torch.full((2, 3), 2.0))
    assert torch.func.grad(lambda x: f(x).sum())(torch.ones(2)).equal(torch.full((2,), 2.0))
    with pytest.warns(UserWarning, match="no dense array"):
        assert f(torch.ones(2, device="meta")).device.type == "meta"


def test_modules_compiled_in_place_and_copies():
    module = nn.Linear(3, 2)
    keys = list(module.state_dict())
    module.compile()
    x = torch.ones(1, 3)
    assert module(x).equal(module(x)) and module.forward.compiled.graphs
    assert list(module.state_dict()) == keys
    other = copy.deepcopy(module)
    with torch.no_grad():
        module.weight.zero_()
    assert not other(x).equal(module(x)) and other.forward.module is other
    wrapped = torch.compile(nn.Linear(3, 2))
    assert list(wrapped.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
    assert wrapped.weight is wrapped._orig_mod.weight and wrapped.in_features == 3
    again = pickle.loads(pickle.dumps(wrapped))
    assert again(x).equal(wrapped(x))


def test_disable_and_is_compiling():
    seen = []

    @torch.compiler.disable(reason="too early")
    def inner(x):
        return x * 2

    @torch.compile
    def f(x):
        return inner(x) + 1

    with pytest.warns(UserWarning, match="inner is excluded from compilation"):
        f(torch.ones(1))

    @torch.compile
    def g(x):
        return x * (2 if torch.compiler.is_compiling() else 2)

    assert g(torch.ones(1)).item() == 2 and not torch.compiler.is_compiling() and not seen
    with pytest.raises(RuntimeError, match="Invalid backend"):
        torch.compile(f, backend="none")


def test_back_ends_of_the_user_get_a_graph():
    seen = []

    def backend(module, inputs):
        assert str(module).startswith("GraphModule(")
        seen.append(([node.op for node in module.graph.nodes], [tuple(each.shape) for each in inputs]))
        return module.forward

    f = torch.compile(lambda x: x.relu() + 1, backend=backend)
    for size in (2, 2, 3):
        assert f(torch.ones(size)).equal(torch.full((size,), 2.0))
    operations = ["placeholder", "call_method", "call_function", "output"]
    assert seen == [(operations, [(2,)]), (operations, [(3,)])]
    model = torch.compile(nn.Linear(2, 2), backend=backend)
    assert model(torch.ones(1, 2)).equal(model._orig_mod(torch.ones(1, 2)))
    shown = []

    def show(module, inputs):
        shown.append([node.name for node in module.graph.nodes if node.op != "output"])
        return module

    def decide(x, y, scale=2):
        product = x * y
        if product.sum() > 0:
            return product * scale
        return -product

    with pytest.warns(UserWarning, match=r"splits .*decide into several graphs"):
        f = torch.compile(decide, backend=show)
        assert f(torch.ones(1), torch.ones(1)).item() == 2
    assert f(torch.ones(1), -torch.ones(1)).item() == 1
    assert shown[0] == ["l_x_", "l_y_", "product"]


def test_graphs_for_a_back_end_are_guarded():
    counts = torch._dynamo.testing.CompileCounter()
    settings, holder, w = {"a": 1}, types.SimpleNamespace(v=2), torch.ones(2, requires_grad=True)

    @torch.compile(backend=counts)
    def f(x, flag=False, more=None, **named):
        y = x * holder.v + settings["a"] + w
        y = y if more is None else y * more["z"]
        return {"y": -y if flag else y, "rows": x.shape[0] + named.get("n", 0)}

    def values(*args, **named):
        return f(*args, **named)["y"].tolist(), f(*args, **named)["rows"], counts.frame_count

    x = torch.ones(2)
    assert values(x) == values(x) == ([4, 4], 2, 1)
    settings["a"] = 5
    assert values(x) == ([8, 8], 2, 2)
    holder.v = 3
    assert values(x) == ([9, 9], 2, 3)
    assert values(x, True, {"z": 2}) == ([-18, -18], 2, 4)
    assert values(x, more={"z": torch.full((2,), 3.0)}, n=1) == ([27, 27], 3, 5)
    w = torch.zeros(2, requires_grad=True)
    f(x)["y"].sum().backward()
    assert values(x)[0] == [8, 8] and w.grad.tolist() == [1, 1]


def test_what_a_back_end_makes_runs_once_in_the_first_call_as_well():
    calls = []

    def backend(module, inputs):
        return lambda *args: calls.append(1) or module(*args)

    torch.manual_seed(0)
    layer = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    twin = copy.deepcopy(layer)
    compiled, x = torch.compile(layer, backend=backend), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    for number in range(3):
        torch.manual_seed(number)
        expected = twin(x)
        torch.manual_seed(number)
        assert compiled(x).equal(expected) and len(calls) == number + 1
    assert all(a.equal(b) for a, b in zip(layer.state_dict().values(), twin.state_dict().values(), strict=True))


def test_regions_without_gradients_are_calls_of_a_graph():
    graphs = []

    @torch.compile(backend=lambda module, inputs: graphs.append(module) or module)
    def halt(x):
        with torch.no_grad():
            y = x * 2
        return y, x + 1

    x = torch.ones(1, requires_grad=True)
    assert all([each.requires_grad for each in halt(x)] == [False, True] for _ in range(2)) and len(graphs) == 1
    assert graphs[0].code.count("torch._C._set_grad_enabled(") == 2


def test_random_numbers_in_a_graph_for_a_back_end_are_new_in_each_call():
    noisy = torch.compile(lambda x: x + torch.rand(2), backend=lambda module, inputs: module.forward)
    torch.manual_seed(0)
    found = [noisy(torch.zeros(2)) for _ in range(2)]
    torch.manual_seed(0)
    assert all(each.equal(torch.rand(2)) for each in found)


def test_back_ends_are_found_by_name():
    torch._dynamo.register_backend(lambda module, inputs: module, name="handed_back")
    assert "handed_back" in torch.compiler.list_backends()
    assert torch.compile(lambda x: x + 1, backend="handed_back")(torch.ones(1)).item() == 2

    def fail(module, inputs):
        raise ValueError("no")

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="backend='fail' raised:\nValueError: no"):
        torch.compile(lambda x: x + 1, backend=fail)(torch.ones(1))


def test_the_source_can_be_read():
    @torch.compile
    def f(x, w):
        return ((x * w + 1).exp() * (x * w + 1)).sum()

    f(torch.ones(3), torch.ones(3, requires_grad=True))
    program = f.compiled.graphs[0].program
    assert program.text.count("mul(x, w)") == 1  # a common part
    assert "def forward(x, w):" in program.text and "def backward(saved, g):" in program.text
    assert "x * w + 1" in program.text


# ── functions in parts ───────────────────────────────────────────────────────
class Odd(nn.Module):
    def forward(self, x):
        rows = x.tolist()
        if len(rows) > 100:
            x = x + 1
        return x * len(rows) + 2 * x


class Looping(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rest = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), Odd(), nn.Linear(4, 2))

    def forward(self, x):
        y = self.first(x).relu()
        for _ in range(3):
            y = y + self.first(y)
            if y.abs().max().item() > 1e9:
                return y
            y = y * 0.5
        return self.rest(y) + 1


def read_in_the_middle(x, w=2.0, *, more=1):
    """A text, which stays where it is."""
    y = (x @ x.t()).relu() * w
    scale = (y * 2 + more).sum().item()
    z = y * scale
    return z.sin() + y


def leave_early(x):
    y = x * 2 + 1
    if float(y.detach().sum()) > 0:
        z = y.exp() * 3
        if z.shape[0] > 2:
            return z + y, "early"
        y = z + 1
    else:
        y = y.cos() - y
    return y * 3 + x, "late"


def write_and_read(x):
    y = x.clone() * 2
    view = y[0]
    view.mul_(3)
    size = len(y.tolist())
    view.add_(size)
    return y * view + x


def call_another(x):
    y = x * 2 + 1
    y = read_in_the_middle(y) + 1
    return (y * y).mean() + x.sum()


def count_until(x):
    times = 0
    while True:
        x = x * 0.5 + 0.1
        times += 1
        if x.abs().max().item() < 0.5:
            break
    return x * times + 1


def select(x):
    kept = x[x > 0]
    return (kept * 2 + 1).sum() + (x * 3).exp().sum()


@pytest.mark.parametrize(
    "function", [read_in_the_middle, leave_early, write_and_read, call_another, count_until, select, Looping()],
    ids=lambda each: getattr(each, "__name__", "module"),
)  # fmt: skip
def test_functions_that_read_elements_become_several_graphs(function):
    compiled, first = torch.compile(function), torch.randn(3, 4, requires_grad=True)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for seed in range(8):
            torch.manual_seed(seed)
            x = torch.randn(3, 4, requires_grad=True) + (seed % 3 - 1)
            answers = [each(x) for each in (compiled, function)]
            outs = [tensors(each) for each in answers]
            compare(*outs)
            compare(
                *[torch.autograd.grad(sum(each.sum() for each in out), x, retain_graph=True) for out in outs],
                exactly=False,
            )
        assert compiled(first) is not None
    assert ["several graphs" in str(each.message) for each in notes] == [True], [str(each.message) for each in notes]

    def list_graphs(part):
        return [*part.graphs, *(graph for member in part.members for graph in list_graphs(member))]

    assert compiled.compiled.parts is not None and list_graphs(compiled.compiled)
    with pytest.raises(RuntimeError, match="cannot be captured as one graph"):
        torch.compile(function, fullgraph=True)(first)


def test_a_training_step_is_compiled_around_backward():
    def step(model, optimizer, x):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean() + model.weight.square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach() * 1

    compiled, models = torch.compile(step), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in (compiled, step):
            torch.manual_seed(1)
            model = nn.Linear(4, 3)
            optimizer = torch.optim.Adam(model.parameters())
            models.append([each(model, optimizer, torch.ones(2, 4)) for _ in range(6)] + list(model.parameters()))
    compare(*models)
    assert any(member.graphs for part in compiled.compiled.members for member in part.members)


def test_outputs_without_a_gradient_count_for_nothing():
    def f(x, y):
        return x.sqrt(), x * 2, y * 3

    compiled = torch.compile(f)
    for _ in range(3):
        x, y = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
        _, double, _ = compiled(x, y)
        grads = torch.autograd.grad(double.sum(), (x, y), allow_unused=True)
        assert grads[0].tolist() == [2, 2] and grads[1] is None


def test_results_may_be_written_where_operators_have_not_saved_them():
    def f(x, y):
        return x / y

    compiled = torch.compile(f)
    for _ in range(3):
        x, y = torch.ones(2, requires_grad=True), torch.full((2,), 2.0, requires_grad=True)
        out = compiled(x, y)
        out.mul_(4)
        assert [each.tolist() for each in torch.autograd.grad(out.sum(), (x, y))] == [[2, 2], [-1, -1]]


def save_result(x, w):
    return x.cosh(), x.sigmoid() + w.sum()


def give_twice(x, w):
    return x.exp(), x.exp() * 2


def save_factor(x, w):
    return x * 1, x.sin() * w[0] + w[1:].sum()


def save_nothing_of_it(x, w):
    return x * 1, x * x + torch.where(w > 0, 1.0, 2.0) + w.exp().sum()


def write_what_was_read(x, w):
    total = w.sum()
    w.add_(1)
    return x * 1, x * x * total


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("written", ["first", "second", "w"])
@pytest.mark.parametrize(
    "function",
    [save_result, give_twice, save_factor, save_nothing_of_it, write_what_was_read],
    ids=lambda f: f.__name__,
)
def test_writes_after_a_graph_matter_where_they_do_to_its_operators(function, written, higher):
    def answer(call):
        x, w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
        first, second = call(x, w)
        {"first": first, "second": second, "w": w}[written].mul_(2)
        try:
            (found,) = torch.autograd.grad((first + second).sum(), x, create_graph=higher)
            return found.tolist(), w._version
        except RuntimeError as error:
            return str(error)

    compiled = torch.compile(function)
    answer(compiled)
    assert answer(compiled) == answer(function)
    assert len(compiled.compiled.graphs) == 1


def test_derivatives_that_decide_by_elements_decide_anew():
    compiled = torch.compile(lambda x: x.prod(-1))
    for rows in ([1.0, 2.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0], [3.0, 2.0]):
        x = torch.tensor(rows, requires_grad=True)
        (ours,), (theirs,) = (torch.autograd.grad(f(x), x) for f in (compiled, lambda x: x.prod(-1)))
        assert ours.equal(theirs)


def test_errors_in_parts_show_the_source():
    def f(x):
        y = x * 2 + 1
        n = y.sum().item()
        return y @ torch.ones(int(n)) + 1

    compiled = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            with pytest.raises(RuntimeError) as caught:
                compiled(torch.ones(2))
    assert any("torch.ones(int(n))" in (frame.line or "") for frame in traceback.extract_tb(caught.tb))


def test_every_size_gets_a_graph_and_other_kinds_have_a_limit():
    f, g = torch.compile(lambda x: x * 2 + 1), torch.compile(lambda x, n: x * n)
    fixed = torch.compile(lambda x: x * 2 + 1, dynamic=False)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for size in range(1, 13):
            for each in (f, fixed):
                assert each(torch.ones(size)).tolist() == [3] * size
            assert g(torch.ones(2), size).tolist() == [size] * 2
    assert len(f.compiled.graphs) == 12 and len(g.compiled.graphs) == len(fixed.compiled.graphs) == 8
    assert ["8 graphs were made" in str(each.message) for each in notes] == [True, True]
    assert torch.compile(lambda x: x, dynamic=True)(torch.ones(1)).item() == 1
    torch._dynamo.mark_dynamic(torch.ones(2, 3), 1)
    with pytest.raises(IndexError):
        torch._dynamo.mark_dynamic(torch.ones(2), 1)


def test_stances():
    calls = []
    f = torch.compile(lambda x: x * 2 + 1)
    x = torch.ones(2)
    with torch.compiler.set_stance("force_eager"):
        f(x)
    assert not f.compiled.graphs
    f(x)
    with torch.compiler.set_stance("fail_on_recompile"):
        f(x)
        with pytest.raises(RuntimeError, match="Detected recompile when torch.compile stance is 'fail_on_recompile'"):
            f(torch.ones(3))

    @torch.compiler.set_stance("eager_on_recompile")
    def call():
        calls.append(f(torch.ones(3)))

    call()
    assert len(calls) == len(f.compiled.graphs) == 1
    f(torch.ones(3))
    assert len(f.compiled.graphs) == 2
    with pytest.raises(ValueError, match="invalid torch.compile stance"):
        torch.compiler.set_stance("lazy")


def test_explain_tells_graphs_and_what_breaks_them():
    def f(x):
        y = x * 2 + 1
        torch._dynamo.graph_break()
        z = y.sin() * y
        if z.sum().item() > 1e9:
            return z
        return (z + 1).exp()

    found = torch._dynamo.explain(f)(torch.ones(3))
    assert (found.graph_count, found.graph_break_count, found.op_count) == (3, 2, 6)
    assert [each.reason for each in found.break_reasons] == [
        "graph_break is called",
        "item reads the elements of a tensor",
    ]
    assert [each.user_stack[0].line for each in found.break_reasons] == [
        "torch._dynamo.graph_break()",
        "if z.sum().item() > 1e9:",
    ]
    assert str(found).startswith(
        "Graph Count: 3\nGraph Break Count: 2\nOp Count: 6\nBreak Reasons:\n  Break Reason 1:\n"
    )


def test_the_number_of_classes_is_that_of_each_call():
    classes = torch.compile(nn.functional.one_hot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [tuple(classes(torch.tensor(each)).shape) for each in ([0, 1], [0, 1], [2, 3], [0, 0])] == [
            (2, 2), (2, 2), (2, 4), (2, 1)
        ]  # fmt: skip


def test_a_module_compiled_in_place_has_the_back_end_that_is_asked_for():
    counter, layer = torch._dynamo.testing.CompileCounter(), nn.Linear(2, 2)
    layer.compile(backend=counter)
    assert layer(torch.ones(1, 2)).shape == (1, 2) and (counter.frame_count, counter.op_count) == (1, 1)


def test_operators_are_operators_in_graphs_for_back_ends():
    graphs = []

    @torch.compile(backend=lambda module, inputs: graphs.append(module) or module)
    def f(x, i):
        x = x.clone()
        x[0] = 5
        x += 1
        return (
            1 / x,
            2**x,
            3 // x,
            3 % x,
            1 - x,
            x**2,
            x // 2,
            i & 1,
            1 | i,
            1 << i,
            8 >> i,
            x @ x,
            -x,
            ~i,
            x == 1,
            x[..., :1],
            x.T,
            x.max(0)[0],
        )

    def run(x, i):
        return [each.tolist() for each in f(x, i)]

    x, i = torch.tensor([1.0, 4.0]), torch.tensor([3])
    assert run(x, i) == [each.tolist() for each in f._torchdynamo_orig_callable(x, i)] == run(x, i)
    code = graphs[0].code
    written = "1 / x_1, 2 ** x_1, 3 // x_1, 3 % x_1, 1 - x_1, x_1 ** 2, x_1 // 2, l_i_ & 1, 1 | l_i_, 1 << l_i_, 8 >> l_i_, x_1 @ x_1, -x_1, ~l_i_, x_1 == 1, x_1.T"
    assert len(graphs) == 1 and all(f" = {each}" in code for each in written.split(", ")), code


def test_inputs_of_one_name_are_told_apart_in_graphs_for_back_ends():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    graphs = []
    f = torch.compile(lambda x: second(first(x)), backend=lambda module, inputs: graphs.append(module) or module)
    x = torch.ones(1, 2)
    assert f(x).equal(second(first(x))) and f(x).equal(second(first(x))) and len(graphs) == 1
    layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    layers.compile(backend=lambda module, inputs: graphs.append(module) or module)
    assert layers(x).shape == (1, 2)
    assert "L_self_modules_1_parameters_bias_" in graphs[1].code


def test_a_module_is_compiled_in_place_with_the_options_of_compile():
    module, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
    with pytest.raises(TypeError, match=r"compile\(\) got an unexpected keyword argument 'optimizer'"):
        module.compile(optimizer="adam")
    expected, seen = module(x), []
    module.compile(backend=lambda graph, inputs: seen.append(graph) or graph, dynamic=True)
    assert module(x).equal(expected) and len(seen) == 1
