"""A few eigenpairs of large symmetric matrices: PyTorch's, step by step, and their derivative."""

import numpy as np
import pytest

import tensh as torch

M = 21


def symmetric(seed, *batch):
    factor = np.random.default_rng(seed).standard_normal((*batch, M, M))
    return factor @ np.swapaxes(factor, -1, -2)


def positive(seed, *batch):
    return symmetric(seed, *batch) / M + np.eye(M)


def start(seed, n, *batch):
    return np.random.default_rng(seed).standard_normal((*batch, M, n))


ARGUMENTS = {
    "one pair": {},
    "three pairs": {"k": 3},
    "two of five": {"k": 2, "n": 5},
    "a generalized problem": {"k": 3, "B": positive(1)},
    "a beginning": {"X": start(2, 4)},
    "a beginning of more": {"k": 2, "X": start(2, 4)},
    "a preconditioner": {"k": 2, "iK": np.linalg.inv(symmetric(0) + np.eye(M))},
    "a tolerance": {"k": 2, "tol": 1e-3},
    "few steps": {"k": 2, "niter": 3},
    "dropping": {"k": 2, "ortho_bparams": {"ortho_use_drop": True}},
    "one pass": {"k": 2, "ortho_iparams": {"ortho_i_max": 1, "ortho_j_max": 1}, "ortho_fparams": {"ortho_tol": 1e-3}},
}


def run(module, A, dtype="float64", **arguments):
    """Return (eigenvalues, eigenvectors up to their signs, the iterations that a tracker sees)."""
    steps, dtype = [], getattr(module, dtype)

    def track(worker):
        errors = worker.tvars["rerr"].tolist()
        steps.append(
            (worker.ivars["istep"], worker.ivars["converged_count"], len(errors), worker.ivars["iterations_left"])
        )

    tensors = {k: module.tensor(v, dtype=dtype) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    module.manual_seed(0)
    E, X = module.lobpcg(module.tensor(A, dtype=dtype), tracker=track, **tensors)
    assert E.dtype is X.dtype is dtype
    return E.numpy(), X.numpy().__abs__(), steps


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("method", ["ortho", "basic"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_pairs_and_steps_are_those_of_pytorch(oracle, name, method, largest):
    arguments = {"method": method, "largest": largest, "niter": 150} | ARGUMENTS[name]
    (E, X, steps), (values, vectors, expected) = (run(module, symmetric(0), **arguments) for module in (torch, oracle))
    np.testing.assert_allclose(E, values, rtol=1e-5)
    np.testing.assert_allclose(X, vectors, atol=1e-5)
    if method == "ortho":
        assert steps == expected
    else:  # whose last steps depend on rounding
        assert abs(len(steps) - len(expected)) <= 2 and steps[:9] == expected[:9]


@pytest.mark.parametrize("batch", [(2,), (2, 3)])
@pytest.mark.parametrize("method", ["ortho", "basic"])
def test_lobpcg_of_batches_takes_pytorchs_steps(oracle, method, batch):
    arguments = {"k": 2, "B": positive(4, *batch), "method": method}
    (E, X, steps), (values, vectors, expected) = (
        run(module, symmetric(3, *batch), **arguments) for module in (torch, oracle)
    )
    assert E.shape == (*batch, 2) and X.shape == (*batch, M, 2)
    np.testing.assert_allclose(E, values)
    np.testing.assert_allclose(X, vectors, atol=1e-5)
    assert steps == expected


@pytest.mark.parametrize("k", [1, 3])
def test_single_precision(oracle, k):
    (E, X, _), (values, vectors, _) = (run(module, symmetric(0), "float32", k=k) for module in (torch, oracle))
    np.testing.assert_allclose(E, values, rtol=1e-4)
    np.testing.assert_allclose(X, vectors, atol=1e-2)


def test_the_beginning_is_left_as_it_is():
    A, X = torch.tensor(symmetric(0)), torch.tensor(start(2, 3))
    before = X.clone()
    torch.lobpcg(A, X=X, method="basic")
    assert torch.equal(X, before)


def test_a_tracker_ends_the_iteration():
    steps = []

    def end(worker):
        steps.append(worker.ivars["istep"])
        worker.bvars["force_stop"] = len(steps) == 4

    torch.lobpcg(torch.tensor(symmetric(0)), tracker=end)
    assert steps == [1, 2, 3, 4]


# ── the derivative ───────────────────────────────────────────────────────────
def slopes(module, solve, A, largest):
    """The gradients of the values, and of what does not depend on the signs of the vectors."""
    A = module.tensor(A, requires_grad=True)
    E, X = solve(A, largest)
    weights = module.arange(X.numel(), dtype=A.dtype).reshape(X.shape).sin()
    (first,) = module.autograd.grad((E * E).sum() + (X * X * weights).sum(), A, create_graph=True)
    (second,) = module.autograd.grad(first.sin().sum(), A)
    return first.detach().numpy(), second.numpy()


def by_all(module, k):
    """The k first pairs of all, of the symmetric part."""

    def solve(A, largest):
        E, X = module.linalg.eigh((A + A.mT) / 2)
        return (E.flip(-1), X.flip(-1)) if largest else (E, X)

    return lambda A, largest: tuple(t[..., :k] for t in solve(A, largest))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_gradients_are_those_of_all_eigenpairs(batch, k, largest):
    def solve(A, largest):
        torch.manual_seed(0)
        return torch.lobpcg(A, k, largest=largest, tol=1e-11)

    A = symmetric(5, *batch)[..., :12, :12] + np.diag(np.arange(12.0) ** 2)
    found, expected = slopes(torch, solve, A, largest), slopes(torch, by_all(torch, k), A, largest)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6 * np.abs(other).max())
    np.testing.assert_allclose(found[0], np.swapaxes(found[0], -1, -2), atol=1e-9)


def test_gradients_and_nodes_are_those_of_pytorch(oracle):
    def run(module):
        A = module.tensor(symmetric(5)[:9, :9], requires_grad=True)
        module.manual_seed(0)
        E, X = module.lobpcg(A, 2, tol=1e-10)
        (slope,) = module.autograd.grad(E.sum() + X.abs().sum(), A)
        return slope.numpy(), [E.grad_fn.name(), X.grad_fn.name(), E.grad_fn.next_functions[0][0].name()]

    (slope, nodes), (expected, names) = run(torch), run(oracle)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-8)
    assert nodes == names


REFUSED = """
module.lobpcg(A[:8])
module.lobpcg(A, 4, B=A[:8, :8])
module.lobpcg(A, 4)
module.lobpcg(A, n=5, k=2)
module.lobpcg(A, 2, X=A[:, :4])
module.lobpcg(A, X=A[:8, :2])
module.lobpcg(A.expand(2, 9, 9), X=A[:8, :2].expand(2, 8, 2))
module.lobpcg(A.half())
module.lobpcg(A, k=2, method="basic", B=-A)
module.lobpcg(A.requires_grad_(), B=A.detach() + 9 * module.eye(9).double())[0].sum().backward()
""".strip().split("\n")


@pytest.mark.parametrize("code", REFUSED)
def test_wrong_arguments_of_lobpcg(oracle, code):
    def refusal(module):
        with pytest.raises(Exception) as caught:
            eval(code, {"module": module, "A": module.tensor(symmetric(0)[:9, :9])})
        return type(caught.value).__name__, str(caught.value)

    assert refusal(torch) == refusal(oracle)
