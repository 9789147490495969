"""Backward passes of compiled functions: saved values, later writes, and gradients of any form."""

import pytest

import tensh as torch


def test_arguments_that_are_written_before_a_second_derivative_are_noticed():
    f, x = torch.compile(lambda x, w: (x * x * w).sum()), torch.ones(2, requires_grad=True)
    for _ in range(2):
        w = torch.ones(2)
        y = f(x, w)
        w.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(y, x, create_graph=True)


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


@pytest.mark.parametrize(
    "backend", ["inductor", "eager", lambda graph, examples: graph.forward], ids=["inductor", "eager", "own"]
)
def test_hooks_of_arguments_run_once(backend):
    weight, seen = torch.ones(2, requires_grad=True), []
    weight.register_hook(lambda g: seen.append(g.sum().item()) or g * 2)
    compiled = torch.compile(lambda x: (x * weight * 3).sum(), backend=backend)
    for count in range(1, 4):
        weight.grad = None
        compiled(torch.ones(2)).backward()
        assert weight.grad.tolist() == [6, 6] and seen == [6] * count


LOSSES = {
    "mean of squares": lambda x, y: (x - y).square().mean(),
    "mean of products": lambda x, y: (x * y).mean() * 3,
    "two sums": lambda x, y: (z := x * y).sum() + (z / 3).mean(),
    "sums of rows": lambda x, y: ((x * y).mean(1) / 2 - 1).square().sum(),
    "rows and all": lambda x, y: (z := x * y).sum(1, keepdim=True).square().mean() + z.mean(),
    "a gradient of one number": lambda x, y: x.mean() / 7,
    "exponentials": lambda x, y: (x.exp() * y).mean().exp(),
    "spread numbers": lambda x, y: ((x.mean() / 3).exp().expand(x.shape) * y).sum(),
}


@pytest.mark.parametrize("shape", [(5, 3), (64, 50), (300, 200)], ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_numbers_that_are_spread_over_elements_give_the_same_gradients(name, shape):
    leaves = [torch.randn(shape, requires_grad=True) for _ in range(2)]
    compiled = torch.compile(LOSSES[name])
    for _ in range(3):
        expected, found = [torch.autograd.grad(f(*leaves), leaves, allow_unused=True) for f in (LOSSES[name], compiled)]
        for one, other in zip(expected, found, strict=True):
            assert (one is None) == (other is None) and (one is None or torch.equal(one, other))
            assert one is None or one.stride() == other.stride()


def test_a_mean_sends_back_one_number():
    compiled = torch.compile(LOSSES["mean of squares"])
    x, y = (torch.randn(5, 3, requires_grad=True) for _ in range(2))
    compiled(x, y)
    assert "expand(" not in compiled.compiled.graphs[0].program.text


def test_written_random_numbers_stay_what_they_are_in_derivatives_of_higher_order():
    def noisy(x, s):
        noise = torch.rand_like(x)
        noise += 0.5
        return (x * noise).prod() * s * s + noise.sum(), noise

    compiled = torch.compile(noisy)
    for seed in range(3):
        found = []
        for function in (noisy, compiled):
            torch.manual_seed(seed)
            x, s = torch.tensor([0.0, 2.0, 3.0], requires_grad=True), torch.tensor(2.0, requires_grad=True)
            result, noise = function(x, s)
            slopes = torch.autograd.grad(result, (x, s), create_graph=True)
            found.append([result, *slopes, *torch.autograd.grad(slopes[0].sum(), s), noise])
        assert all(torch.allclose(ours, theirs) for ours, theirs in zip(*found, strict=True))
        assert found[0][-1].equal(found[1][-1])


APART = {
    "a factor": (lambda x, y: (x * y, x + 1), lambda x, y, made: y.add_(1)),
    "a factor within": (lambda x, y: (x.sin(), (x * y).exp()), lambda x, y, made: y.add_(1)),
    "one of three": (lambda x, y: (x * y, x.exp() * y, x * 3), lambda x, y, made: y.mul_(2)),
    "a condition": (lambda x, y: (torch.where(y > 1, x, x * 2), (y * x).sum()), lambda x, y, made: y.zero_()),
    "a matrix": (lambda x, y: (x @ y, (x * x).sum(), x.softmax(0)), lambda x, y, made: y.zero_()),
    "an argument": (lambda x, y: (x.exp(), x * x), lambda x, y, made: x.detach().zero_()),
    "a result": (lambda x, y: (x * y, x.exp()), lambda x, y, made: made[1].detach().add_(1)),
    "both": (lambda x, y: (x * y, x.exp()), lambda x, y, made: (y.add_(1), made[1].detach().add_(1))),
}
"""Functions of which only some results have saved what is written later, and the writes."""


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("function, write", APART.values(), ids=APART)
def test_writes_matter_to_those_results_whose_operators_have_saved_them(function, write, place):
    def answer(call):
        x, y = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
        made = call(x, y)
        write(x, y, made)
        try:
            return torch.autograd.grad(made[place].sum(), x)[0].tolist()
        except RuntimeError as error:
            return str(error).partition(":")[0]  # the rest names the first operator that complains

    compiled = torch.compile(function)
    answer(compiled)
    assert answer(compiled) == answer(function)
