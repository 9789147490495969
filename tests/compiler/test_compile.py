"""torch.compile: the same as without it, in values, gradients of both orders, random numbers and errors."""

import copy
import pickle
import traceback
import warnings
from dataclasses import dataclass

import pytest

import tensh as torch
from tensh import nn
from tests.compiler.comparing import compare, make_arguments, run, tensors
from tests.compiler.programs import PROGRAMS
from tests.support.sampling import few_of
from tests.support.zoo import make_models


@pytest.mark.parametrize("case", few_of([(case,) for case in PROGRAMS]), ids=lambda case: case[0].__name__)
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


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(make_models(torch)))
@torch._dynamo.config.patch(allow_rnn=True)
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


@pytest.mark.filterwarnings("ignore:torch.compile runs")
def test_views_without_gradients_of_written_arguments_require_what_they_did():
    def function(x):
        x.detach().exp_()
        with torch.no_grad():
            return x.expand(2)

    compiled = torch.compile(function)
    for _ in range(3):
        x = torch.zeros((), requires_grad=True)
        assert compiled(x).requires_grad and function(x).requires_grad


def test_dataclasses_are_given():
    @dataclass
    class Output:
        value: object
        name: str = "y"

    f = torch.compile(lambda x: Output(x * 2), fullgraph=True)
    for size in (2, 2, 3):
        made = f(torch.ones(size))
        assert type(made) is Output and made.value.equal(torch.full((size,), 2.0)) and made.name == "y"


def test_errors_are_those_of_the_function_and_show_the_written_line():
    @torch.compile
    def f(x, index):
        return torch.gather(x * 2, 0, index)

    x = torch.ones(3)
    assert f(x, torch.tensor([0])).equal(torch.tensor([2.0]))
    with pytest.raises(RuntimeError, match="out of bounds") as failed:
        f(x, torch.tensor([5]))
    assert any("compiled" in frame.filename for frame in traceback.extract_tb(failed.tb))


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
    wrapped.rate = 3
    assert wrapped._orig_mod.rate == 3 and "rate" not in vars(wrapped) and wrapped.training is True
    wrapped.eval()
    assert wrapped.training is False and wrapped._orig_mod.training is False


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


def test_the_source_can_be_read():
    @torch.compile
    def f(x, w):
        return ((x * w + 1).exp() * (x * w + 1)).sum()

    f(torch.ones(3), torch.ones(3, requires_grad=True))
    program = f.compiled.graphs[0].program
    assert program.text.count("mul(x, w)") == 1  # a common part
    assert "def forward(x, w):" in program.text and "def backward(saved, g):" in program.text
    assert "x * w + 1" in program.text


@pytest.mark.filterwarnings("error::DeprecationWarning")
@pytest.mark.parametrize("size", [3, 100_000])
def test_extremes_are_written_into_memory_that_is_free(size):
    f = torch.compile(lambda x, y: torch.minimum(torch.maximum(x + 1, y) * 2, y))
    x, y = torch.randn(size), torch.randn(size)
    expected = f(x, y)
    assert "maximum(" in f.compiled.graphs[0].program.text and torch.equal(f(x, y), expected)


def tell_of_eager(torch):
    """What a function with the backend "eager" sees and may do."""
    compiling = torch.compiler.is_compiling

    def ask(x):
        return compiling()

    found = [ask(1), torch.compile(ask, backend="eager")(torch.ones(1)), compiling()]
    hidden = torch.compiler.disable(ask)
    found.append(torch.compile(lambda x: hidden(x), backend="eager")(torch.ones(1)))
    for function in (lambda x: torch._dynamo.graph_break() or x, hidden):
        try:
            torch.compile(lambda x, f=function: f(x) or x, backend="eager", fullgraph=True)(torch.ones(1))
        except Exception as error:
            found.append(type(error).__name__)
    called = torch.compile(lambda x: x + 1, backend="eager")
    for stance in ("fail_on_recompile", "default", "fail_on_recompile"):
        with torch.compiler.set_stance(stance):
            try:
                found.append(called(torch.ones(1)).tolist())
            except RuntimeError as error:
                found.append(str(error).partition(". ")[0])
    config = torch._dynamo.config
    for changes in (("cache_size_limit", 2), ({"cache_size_limit": 3},), ("none", 1)):
        try:
            with config.patch(*changes):
                found.append(config.cache_size_limit)
        except AttributeError as error:
            found.append(str(error))
    found.append(config.patch(cache_size_limit=4)(lambda: config.cache_size_limit)())
    found.append(config.cache_size_limit)
    try:
        torch.compile(ask, mode="nope")
    except RuntimeError as error:
        found.append(str(error))
    return found


def test_the_backend_eager_is_a_compiler_to_its_functions():
    refused = "Detected recompile when torch.compile stance is 'fail_on_recompile'"
    modes = "default, lite, reduce-overhead, max-autotune-no-cudagraphs, max-autotune"
    expected = [False, True, False, False, "Unsupported", "Unsupported", refused, [2.0], [2.0], 2, 3]
    expected += ["torch._dynamo.config.none does not exist", 4, 8]
    assert tell_of_eager(torch) == [*expected, f"Unrecognized mode=nope, should be one of: {modes}"]


def test_the_backend_eager_is_as_in_pytorch(oracle):
    oracle._dynamo.reset()
    assert tell_of_eager(torch) == tell_of_eager(oracle)


def write_through_a_part(x):
    first = x[0]
    first.add_(1)
    second = x.view(-1)[1:].mul_(2)
    return second, x.t(), first.unsqueeze(0)


def write_and_take_views(x):
    y = x.view(-1)
    y.add_(1)
    x.mul_(2)
    return y[1:], x.t(), y


@pytest.mark.parametrize("function", [write_through_a_part, write_and_take_views])
def test_views_of_arguments_that_are_written_share_their_memory(function):
    compiled, (x, y) = torch.compile(function, fullgraph=True), (torch.arange(4.0).view(2, 2) for _ in range(2))
    for _ in range(2):
        expected, found = function(x), compiled(y)
        for each in expected, found:
            each[0].mul_(7)
        assert torch.equal(x, y) and all(map(torch.equal, expected, found))


EYE, PAIR = torch.eye(2), torch.tensor([0, 1])


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        (torch.linalg.cholesky, EYE, -EYE),
        (torch.cholesky, EYE, -EYE),
        (torch.linalg.inv, EYE, EYE * 0),
        (lambda a: torch.linalg.solve(a, EYE), EYE, EYE * 0),
        (lambda a: torch.linalg.tensorinv(a, 1), EYE, EYE * 0),
        (torch.linalg.lu_factor, EYE, EYE * 0),
        (lambda a: torch.linalg.matrix_power(a, -2), EYE, EYE * 0),
        (lambda i: nn.functional.one_hot(i, 3), PAIR, PAIR * 3),
        (lambda i: nn.functional.one_hot(i, 3), PAIR, -PAIR),
        (lambda v: nn.functional.gaussian_nll_loss(EYE, EYE, v), EYE, -EYE),
        (lambda p: nn.functional.binary_cross_entropy(p, EYE), EYE, -EYE),
        (lambda w: torch.cov(EYE, fweights=w), PAIR + 1, PAIR * 0),
        (lambda w: torch.cov(EYE, fweights=w), PAIR + 1, PAIR - 1),
        (lambda a: torch.dropout(torch.linalg.inv(a), 0.5, True), EYE, EYE * 0),
    ],
)
@pytest.mark.filterwarnings("ignore:torch.cholesky", "ignore:cov", "ignore:An output", "ignore::UserWarning")
def test_a_graph_raises_for_elements_as_its_function_does(function, right, wrong):
    compiled = torch.compile(lambda x: function(x), fullgraph=True)
    for _ in range(2):
        compiled(right)
    with pytest.raises((RuntimeError, ValueError)) as eager:
        function(wrong)
    with pytest.raises((RuntimeError, ValueError)) as raised:
        compiled(wrong)
    assert (type(raised.value), str(raised.value)) == (type(eager.value), str(eager.value))
    assert len(compiled.compiled.graphs) == 1


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_sections_in_a_tensor_are_read_again():
    compiled = torch.compile(lambda x, i: torch.tensor_split(x, i)[0])
    assert [len(compiled(torch.arange(6), torch.tensor([n, 5]))) for n in (1, 1, 3)] == [1, 1, 3]


def test_a_failing_graph_names_the_line_of_the_function():
    @torch.compile
    def chosen(w, i):
        return w[i] * 2

    for _ in range(2):
        chosen(EYE, PAIR)
    with pytest.raises(IndexError) as raised:
        chosen(EYE, PAIR * 9)
    assert raised.value.__notes__[0].endswith(": w[i]") and ".chosen, line " in raised.value.__notes__[0]
