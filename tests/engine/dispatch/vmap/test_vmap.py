"""vmap: every operator gives the results of a loop over the samples, and programs give PyTorch's results.

The programs are data in tests/recorded/vmap, beside PyTorch's answers; the operators' samples are those of test_ops.py.
"""

import json

import numpy as np
import pytest

import tensh as torch
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.vocabulary import OPS
from tests.recorded.answers import read_answers
from tests.recorded.operators import families, resolve, tensor
from tests.recorded.operators.record import weights
from tests.recorded.vmap.drawing import MODES, RANDOM, random, random_nested
from tests.recorded.vmap.layers import LAYERS
from tests.recorded.vmap.programs import PROGRAMS
from tests.recorded.vmap.record import FILE, answer, answers
from tests.recorded.vmap.refusals import ERRORS
from tests.support.sampling import few_of

GOLDEN = read_answers(FILE)
BATCH = 3
SAMPLES = {name: calls for family in families() for name, calls in family.SAMPLES.items()}
SECOND = {"nn.functional.one_hot"}
"""Operators whose first call has results of another shape for other elements."""
REFUSED = {"nonzero", "argwhere", "unique_consecutive", "unique", "masked_select", "allclose", "equal", "Tensor.copy_"}
"""What PyTorch refuses for a batch, too."""
NO_DERIVATIVE = "derivative for "  # what the error of an operator that PyTorch cannot differentiate contains
LOOPED = 62  # no more operators than these have no rule; four are products of sparse matrices, which make no batch, and
# one is a product of groups, which PyTorch computes one by one, too
COMMON = """
    abs acos add addmm addmv all amax amin any argmax argmin argsort asin atan atan2 baddbmm bmm broadcast_to cat ceil
    chunk clamp clone complex conj cos cosh cross cummax cumprod cumsum det diag diagonal div dot einsum eq erf exp expm1
    flatten flip floor fmod gather ge gt index_select inverse isfinite isnan kron le lerp log log1p logaddexp logsumexp
    log_softmax lt matmul max maximum mean median min minimum mm movedim mul mv narrow ne neg norm outer permute pow prod
    reciprocal relu remainder reshape roll round rsqrt scatter scatter_add select sigmoid sign sin sinh softmax sort split sqrt
    square squeeze stack std sub sum tan tanh tensordot tile topk trace transpose tril triu trunc unbind unflatten unsqueeze
    var where xlogy linalg.inv linalg.ldl_factor linalg.ldl_solve linalg.norm
    fft.fft fft.rfft fft.irfft nn.functional.avg_pool2d nn.functional.batch_norm nn.functional.binary_cross_entropy
    nn.functional.conv1d nn.functional.conv2d nn.functional.cosine_similarity nn.functional.cross_entropy nn.functional.elu
    nn.functional.embedding nn.functional.gelu nn.functional.group_norm nn.functional.huber_loss nn.functional.interpolate
    nn.functional.layer_norm nn.functional.leaky_relu nn.functional.linear nn.functional.max_pool2d nn.functional.mse_loss
    nn.functional.nll_loss nn.functional.normalize nn.functional.one_hot nn.functional.pad nn.functional.silu
    nn.functional.scaled_dot_product_attention nn.functional.softplus nn.functional.unfold
""".split()


def same(one, other, tolerance=1e-6):
    """Two plain answers, numbers up to rounding."""
    if isinstance(one, float) and isinstance(other, (int, float)):
        return one == pytest.approx(other, rel=tolerance, abs=tolerance, nan_ok=True)
    if isinstance(one, (list, dict)):
        keys = one if isinstance(one, dict) else range(len(one))
        return (
            type(one) is type(other) and len(one) == len(other) and all(same(one[k], other[k], tolerance) for k in keys)
        )
    return one == other


def agrees(expected, program, *args, tolerance=1e-6):
    actual = json.loads(json.dumps(answer(torch, program, *args)))
    assert same(expected, actual, tolerance), f"{actual} instead of {expected}"


# ── against PyTorch ──────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_pytorch_gives(name):
    agrees(GOLDEN["programs"][name], PROGRAMS[name], tolerance=1e-4 if name in LAYERS else 1e-6)  # of float32


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_pytorchs(name):
    """PyTorch's type and text."""
    agrees(GOLDEN["errors"][name], ERRORS[name])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers(name, mode):
    """PyTorch's numbers, or its refusal."""
    agrees(GOLDEN["random"][f"{name}, {mode}"], random, RANDOM[name], mode)


@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("outer", MODES)
def test_random_numbers_nested(outer, inner):
    agrees(GOLDEN["random nested"][f"{outer}, {inner}"], random_nested, outer, inner)


def test_recorded_programs_are_what_pytorch_gives(oracle):
    """What is recorded is what PyTorch answers."""
    actual = json.loads(json.dumps(answers(oracle)))
    for kind, expected in GOLDEN.items():
        for name, each in expected.items():
            assert same(each, actual[kind][name], 1e-4), f"{kind}: {name}"


# ── every operator ───────────────────────────────────────────────────────────
def tensors_of(result):
    """The tensors in a result."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for each in result for t in tensors_of(each)] if isinstance(result, (list, tuple)) else []


def several(call, name):
    """For each tensor of a call ``BATCH`` tensors of other numbers."""
    return [
        [tensor(torch, argument.values(7 * n + place, dtype) if n else array, dtype) for n in range(BATCH)]
        for place, (argument, dtype, array) in enumerate(call.arrays(prefix=name))
    ]


def as_function(name, call):
    """The call as a function of its tensors, with tensors as results."""

    def function(*tensors):
        args, kwargs = call.filled(tensors)
        return tensors_of(resolve(torch, name)(*args, **kwargs))

    return function


def sample_of(name):
    """The call that stands for an operator."""
    return SAMPLES[name][name in SECOND]


def expected_of(function, made, varied):
    """The results of single calls, stacked."""
    rows = [
        function(*[each[n if v else 0].clone() for each, v in zip(made, varied, strict=True)]) for n in range(BATCH)
    ]
    assert rows[0] and len({tuple(t.shape for t in row) for row in rows}) == 1
    return [np.stack([t.detach().numpy() for t in column]) for column in zip(*rows, strict=True)]


def assert_equal(expected, actual, where):
    assert len(expected) == len(actual), where
    for one, other in zip(expected, actual, strict=True):
        assert one.dtype == other.numpy().dtype, where
        assert one.shape == tuple(other.shape), where
        kind = complex if one.dtype.kind == "c" else float
        assert np.allclose(one.astype(kind), other.numpy().astype(kind), 1e-6, 1e-6, equal_nan=True), where


def choices(count):
    """Sets of tensors that vary: each one, and all."""
    alone = [[place == only for place in range(count)] for only in range(count)]
    return alone if count == 1 else [*alone, [True] * count]


def stacked(made, varied):
    return [torch.stack(each) if v else each[0] for each, v in zip(made, varied, strict=True)]


@pytest.mark.parametrize("name", few_of([name for name in SAMPLES if name not in REFUSED], every=3))
def test_operators_of_a_batch_give_the_results_of_the_samples(name):
    """A batch of any of the tensors, and of all, gives the results of the samples; so do nested batches of the first."""
    call = sample_of(name)
    made, function = several(call, name), as_function(name, call)
    for varied in choices(len(made)) if made else ():
        expected = expected_of(function, made, varied)
        dims = tuple(0 if v else None for v in varied)
        batches = stacked(made, varied)
        with torch.random.fork_rng():
            actual = torch.vmap(function, dims, randomness="same")(*[t.clone() for t in batches])
        assert_equal(expected, actual, f"{name}, varied: {varied}")
        if varied[0] and sum(varied) == 1:
            twice = torch.stack([batches[0], batches[0].flip(0)])
            nested = torch.vmap(torch.vmap(function, dims, randomness="same"), dims, randomness="same")
            outer = nested(twice, *[t.clone() for t in batches[1:]])
            assert_equal([np.stack([e, e[::-1]]) for e in expected], outer, f"{name}, nested")


DIFFERENTIABLE = [
    name for name in SAMPLES if name not in REFUSED and not name.endswith("_") and "as_strided" not in name
]


@pytest.mark.parametrize("name", few_of(DIFFERENTIABLE, every=3))
def test_gradients_of_a_batch_are_those_of_the_samples(name):
    """A backward pass through the batch gives the gradients of the samples; what all share gets the sum."""
    call = sample_of(name)
    made, function = several(call, name), as_function(name, call)
    wanted = [place for place, (a, _, _) in enumerate(call.arrays(prefix=name)) if a.differentiable]
    for varied in choices(len(made))[-2:] if wanted else ():
        one = [t.detach().clone() for t in stacked(made, varied)]
        two = [t.clone() for t in one]
        for place in wanted:
            one[place].requires_grad_(), two[place].requires_grad_()
        with torch.random.fork_rng():
            alone = [function(*[t[n] if v else t for t, v in zip(one, varied, strict=True)])[0] for n in range(BATCH)]
        if not alone[0].requires_grad:
            return
        alone = torch.stack(alone)
        dims = tuple(0 if v else None for v in varied)
        together = torch.vmap(lambda *ts: function(*ts)[0], dims, randomness="same")(*two)
        try:
            expected = gradients_of(alone, [one[place] for place in wanted])
        except RuntimeError as refusal:  # as in PyTorch
            assert NO_DERIVATIVE in str(refusal)
            return
        actual = gradients_of(together, [two[place] for place in wanted])
        assert_equal([t.numpy() for t in expected], actual, f"{name}, varied: {varied}")


def gradients_of(out, leaves):
    """The gradients of the weighted result, zeros where it does not depend on a leaf."""
    found = torch.autograd.grad(out, leaves, weights(torch, out), retain_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves, strict=True)]


@pytest.mark.parametrize(
    "name", [n for n in SAMPLES if f"{n.removeprefix('Tensor.')}_" in METHODS and n not in REFUSED]
)
def test_a_write_gives_what_a_loop_gives(name):
    """The in-place form writes the same into every sample."""
    call, method = sample_of(name), f"{name.removeprefix('Tensor.')}_"
    made = several(call, name)

    def function(first, *others):
        first = first.clone()
        args, kwargs = call.filled((first, *others))
        assert getattr(args[0], method)(*args[1:], **kwargs) is args[0]
        return [first]

    if not call.in_place or not isinstance(call.filled(made)[0][0], list) or call.args[0] is None:
        return
    for varied in choices(len(made)):
        if varied[0]:
            dims, expected = tuple(0 if v else None for v in varied), expected_of(function, made, varied)
            assert_equal(expected, torch.vmap(function, dims)(*stacked(made, varied)), f"{name}, varied: {varied}")


@pytest.mark.parametrize("name", few_of(DIFFERENTIABLE, every=3))
def test_batched_weights(name):
    """A batch of weights, sent through the derivative at once, gives the gradients that it gives one by one."""
    call = sample_of(name)
    made = [each[0] for each in several(call, name)]
    leaves = [
        t.requires_grad_() for t, (a, _, _) in zip(made, call.arrays(prefix=name), strict=True) if a.differentiable
    ]
    out = next(iter(as_function(name, call)(*made)), None)
    if out is None or not out.requires_grad or not leaves:
        return
    batch = torch.stack([weights(torch, out) * n for n in (1, -2, 3)])

    def gradients(weight):
        found = torch.autograd.grad(out, leaves, weight, retain_graph=True, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves, strict=True)]

    try:
        rows = [gradients(weight) for weight in batch]
    except RuntimeError as refusal:  # as in PyTorch
        assert NO_DERIVATIVE in str(refusal)
        return
    assert_equal(
        [np.stack([t.numpy() for t in column]) for column in zip(*rows, strict=True)],
        torch.vmap(gradients)(batch),
        name,
    )


def test_gradcheck_of_batches():
    """A derivative that looks at its weight's elements passes only where weights come one by one."""

    class Looking(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * (2 if g.sum().item() < 1e9 else 1)

    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: x.sin() * x.sum(), (x,), check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: x.sin() * x.sum(), (x,), check_batched_grad=True)
    assert torch.autograd.gradcheck(Looking.apply, (x,))
    with pytest.raises(
        RuntimeError, match="While computing batched gradients, got: vmap: It looks like you're calling .item"
    ):
        torch.autograd.gradcheck(Looking.apply, (x,), check_batched_grad=True)


# ── what has a rule ──────────────────────────────────────────────────────────
def without_rules():
    """The operators that are called sample by sample."""
    from tensh.engine.dispatch.vmap.rules.table import OPERATORS

    bases = {name: name.removesuffix("_copied").removesuffix("_copy") for name in OPS}
    return [name for name, base in bases.items() if not {name, base} & OPERATORS.keys() and not OPS[name].pointwise]


def test_nearly_all_operators_have_rules():
    """Nearly all operators have rules, and all rules are those of operators."""
    from tensh.engine.dispatch.vmap.rules.table import OPERATORS

    assert not OPERATORS.keys() - OPS.keys() - {"*"}
    assert len(without_rules()) <= LOOPED, without_rules()


@pytest.mark.parametrize("name", COMMON)
def test_common_functions_do_not_loop(name, monkeypatch):
    """The first sample of each, all tensors batched, is computed for all samples at once."""
    from tensh.engine.dispatch.vmap import dispatch

    def refuse(fn, args, options):
        raise AssertionError(f"{fn.__name__} is called sample by sample")

    call = sample_of(name)
    made, function = several(call, name), as_function(name, call)
    if made:
        monkeypatch.setattr(dispatch, "call_by_samples", refuse)
        torch.vmap(function)(*stacked(made, [True] * len(made)))


# ── what a function sees ─────────────────────────────────────────────────────
def test_a_batched_tensor():
    """It knows the facts of one sample."""
    seen = []

    def look(a):
        seen.append((a.shape, a.ndim, len(a), a.numel(), a.dtype, a.stride(), a.requires_grad, [len(row) for row in a]))
        return a.sum()

    torch.vmap(look)(torch.zeros(2, 3, 4, requires_grad=True))
    assert seen == [(torch.Size([3, 4]), 2, 3, 12, torch.float32, (4, 1), False, [4, 4, 4])]


def test_a_batched_tensor_prints_its_values_and_batches():
    """It shows all there is, and where the batches are."""
    seen = []
    torch.vmap(torch.vmap(lambda a: (seen.append(repr(a)), a)[1]))(torch.zeros(1, 2, 1))
    assert seen[0] == (
        "BatchedTensor(lvl=2, bdim=0, value=\n"
        "    BatchedTensor(lvl=1, bdim=0, value=\n"
        "        tensor([[[0.],\n"
        "                 [0.]]])\n"
        "    )\n"
        ")"
    )


def test_printed_with_its_dimension():
    """A batched argument prints with the dimension that was mapped."""
    seen = []
    torch.vmap(torch.vmap(lambda a: (seen.append(repr(a)), a)[1]), 1)(torch.zeros(1, 2, requires_grad=True))
    assert seen[0] == (
        "BatchedTensor(lvl=2, bdim=0, value=\n"
        "    BatchedTensor(lvl=1, bdim=1, value=\n"
        "        tensor([[0., 0.]], requires_grad=True)\n"
        "    )\n"
        ")"
    )


def test_a_call_leaves_nothing_behind():
    """After an error everything is as before."""
    with pytest.raises(ZeroDivisionError):
        torch.vmap(lambda a: a / (1 // 0))(torch.ones(2))
    assert torch.rand(2).shape == (2,)
    assert torch.ones(2, requires_grad=True).sum().backward() is None
