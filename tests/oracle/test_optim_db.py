"""Every optimizer in PyTorch's own database agrees with PyTorch in steps, state, groups, text and errors.

Each configuration is run with each implementation for the CPU (foreach, fused, differentiable, capturable and none of
them), on parameters of float32, float64 and, if supported, complex numbers, as one group and as two, with dense and with
sparse gradients.
"""

import copy
import itertools
import warnings

import pytest

import tensh
from tests.support.databases import EVERY, Twin, oracle, outcome, said, seed, unlike

optimizers = pytest.importorskip("torch.testing._internal.common_optimizers")

STEPS = 10
SHAPES = ((3, 4), (5, 2), (1, 1))  # all of two dimensions, which Muon requires
EACH = [pytest.param(info, id=info.name) for info in optimizers.optim_db]
FLAGS = ({}, {"foreach": True}, {"foreach": False}, {"fused": True}, {"differentiable": True}, {"capturable": True})


def configurations(info):
    """The database's, each without and with every flag."""
    for given, flag in itertools.product(info.optim_inputs_func("cpu"), FLAGS):
        if set(flag) <= {*info.supported_impls, *(["capturable"] if info.has_capturable_arg else [])}:
            yield given.kwargs | flag


def parameters(m, dtype, layout=list):
    """Leaves with distinct numbers, and their targets."""
    dtype = getattr(m, dtype)
    leaves, targets = [], []
    for number, shape in enumerate(SHAPES):
        for values, start in ((leaves, 0.3), (targets, 2.0)):
            steps = m.arange(shape[0] * shape[1], dtype=m.float64).reshape(shape) * 0.7 + number + start
            values.append((m.complex(steps.sin(), steps.cos()) if dtype.is_complex else steps.sin()).to(dtype))
    return [m.nn.Parameter(each) for each in leaves], targets


def grouped(leaves, form):
    """Return the arguments of the optimizer."""
    if form == "groups":
        return [{"params": leaves[:1], "lr": 0.02}, {"params": leaves[1:]}]
    return [(f"p{number}", leaf) for number, leaf in enumerate(leaves)] if form == "named" else leaves


def closure(m, leaves, targets, sparse):
    """Gradients of the distance to the targets; sparse ones leave out every second row."""

    def compute():
        with m.enable_grad():
            loss = sum(((leaf - target).abs() ** 2).sum() for leaf, target in zip(leaves, targets, strict=True))
            gradients = m.autograd.grad(loss, leaves, retain_graph=True)
        for leaf, gradient in zip(leaves, gradients, strict=True):
            if sparse:
                gradient = gradient.clone()
                gradient[::2] = 0
                gradient = gradient.to_sparse(1)
            leaf.grad = gradient
        return loss

    return compute


class Run:
    """An optimizer of ``m`` after some steps."""

    def __init__(self, m, info, settings, dtype, form="list", sparse=False):
        self.m, self.sparse = m, sparse
        seed()
        self.settings = Twin(m)(settings)
        self.leaves, self.targets = parameters(m, dtype)
        if self.settings.get("differentiable"):
            self.leaves = [leaf.clone() for leaf in self.leaves]
        self.make = lambda leaves: Twin(m)(info.optim_cls)(grouped(leaves, form), **self.settings)
        self.optimizer = self.make(self.leaves)
        self.needs_closure = info.step_requires_closure

    def step(self, number, optimizer=None, leaves=None):
        optimizer, leaves = optimizer or self.optimizer, leaves or self.leaves
        compute = closure(self.m, leaves, self.targets, self.sparse)
        for _ in range(number):
            if self.needs_closure:
                optimizer.step(compute)
            else:
                compute()
                optimizer.step()
        return self.facts(optimizer, leaves)

    def facts(self, optimizer, leaves):
        groups = [
            {name: value for name, value in group.items() if name != "params"} for group in optimizer.param_groups
        ]
        return [[leaf.detach() for leaf in leaves], copy.deepcopy(optimizer.state_dict()), groups, repr(optimizer)]

    def moved(self):
        """Some more steps of another optimizer with the same state, and of a deep copy."""
        leaves = [self.m.nn.Parameter(leaf.detach().clone()) for leaf in self.leaves]
        if self.settings.get("differentiable"):
            leaves = [leaf.clone() for leaf in leaves]
        other = self.make(leaves)
        other.load_state_dict(copy.deepcopy(self.optimizer.state_dict()))
        return [self.step(2, other, leaves), copy.deepcopy(self.optimizer).state_dict()]


def differences(info, settings, dtype, **options):
    theirs, ours = (outcome(Run, m, info, settings, dtype, **options) for m in (oracle, tensh))
    for number in (1, STEPS - 1, None):
        if theirs[1] or ours[1]:
            break
        (one, refused), (two, error) = (
            outcome(run.moved) if number is None else outcome(run.step, number) for run in (theirs[0], ours[0])
        )
        theirs, ours = (theirs[0], refused), (ours[0], error)
        layout = not options.get("sparse")  # the layout of indices and values of a sparse state does not matter
        if not refused and not error and (how := unlike(one, two, strides=layout)):
            yield f"after {number or 'moving and 2 more'} steps: {how}"
    if said(theirs[1]) != said(ours[1]):
        yield f"{said(ours[1])} instead of {said(theirs[1])}"


def check(info, cases):
    wrong = []
    for settings, dtype, options in cases:
        wrong += [f"{settings} {dtype} {options}: {how:.500}" for how in differences(info, settings, dtype, **options)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("info", EACH)
def test_steps_are_pytorchs(info):
    """Parameters, state and groups after each configuration's steps, and after the state moved into another optimizer."""
    dtypes = ["float64", "complex128", "float32"]
    if info.step_requires_closure:
        dtypes.pop()  # a line search takes other branches if a sum is rounded differently
    given = itertools.product(configurations(info), dtypes)
    if not EVERY:
        given = zip(configurations(info), itertools.cycle(dtypes))
    if info.name in ("Adam", "AdamW"):  # PyTorch computes bias corrections in float32 in differentiable steps
        given = [(each, "float32" if each.get("differentiable") else dtype) for each, dtype in given]
    check(info, [(settings, dtype, {}) for settings, dtype in given])


@pytest.mark.parametrize("info", EACH)
def test_groups_and_names(info):
    """Parameters in groups with different settings, and with names."""
    inputs = info.optim_inputs_func("cpu")
    check(info, [(each.kwargs, "float64", {"form": form}) for each in inputs for form in ("groups", "named")])


@pytest.mark.parametrize("info", EACH)
def test_sparse_gradients(info):
    """Sparse gradients, accepted or refused as in PyTorch, with the exceptions in ARCHITECTURE.md."""
    given = [
        settings
        for settings in configurations(info)
        if not (info.name in ("Adagrad", "SGD") and settings.get("differentiable") and not settings.get("weight_decay"))
    ]
    check(info, [(settings, "float64", {"sparse": True}) for settings in given])


@pytest.mark.parametrize("info", EACH)
def test_settings_for_all(info):
    """maximize, a tensor for lr and contradictory flags, accepted or refused."""
    one = oracle.tensor(0.01)
    given = [
        {"maximize": True},
        {"lr": one},
        {"lr": one.double()},
        {"lr": one.reshape(1)},
        {"lr": one, "foreach": True},
    ]
    given += [
        {"foreach": True, "fused": True},
        {"fused": True, "differentiable": True},
        {"lr": -1.0},
        {"weight_decay": -1.0},
    ]
    check(info, [(settings, "float64", {}) for settings in given])


@pytest.mark.parametrize("info", EACH)
def test_errors_are_pytorchs(info):
    """Type and text of errors of the constructor or the first step; warnings count."""
    wrong = []
    for dtype in (oracle.float32, oracle.float64):
        seed()
        for case in info.optim_error_inputs_func("cpu", dtype):
            given = case.optimizer_error_input

            def attempt(m, given=given):
                twin = Twin(m)
                own = [m.nn.Parameter(m.ones(2, 3))] if given.params is None else twin(given.params)
                optimizer = twin(info.optim_cls)(own, **twin(given.kwargs))
                optimizer.step()

            refused, error = (said(strict(attempt, m)) for m in (oracle, tensh))
            if refused != error:
                wrong.append(f"{given.desc}: {error} instead of {refused}")
    assert not wrong, "\n".join(wrong)


def strict(attempt, m):
    """The error, or the warning, that an attempt ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Sparse invariant checks")  # which PyTorch shows once, in any test
        try:
            attempt(m)
        except Exception as error:
            return error
    return None
