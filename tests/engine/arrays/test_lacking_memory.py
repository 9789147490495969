"""Without memory for more arrays every call ends with PyTorch's error, and no gradient becomes wrong in silence."""

import copy
import io
import sys

import numpy as np
import pytest

import tensh as torch
from tensh.cli.session.files import opening
from tests.support.lacking_memory import lacking_memory

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the allocator that fails is made of functions of glibc"
)

SAID = "can't allocate memory: you tried to allocate"
ROWS, COLUMNS = 300, 400  # so many elements are computed in several blocks


@pytest.fixture(autouse=True)
def one_thread():
    """Compute all blocks in the thread that lacks memory."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def fail_at_all_moments(call, prepare=lambda: None, step=3):
    """Call a function again and again, each time without memory from a later moment on; yield (argument, error)."""
    call(prepare())
    for moment in range(0, 10_000, step):
        given, error = prepare(), None
        with lacking_memory(moment) as has_come:
            try:
                call(given)
            except Exception as failure:
                error = failure
        if not has_come():
            return
        if error is not None:
            yield given, error


OTHER = torch.rand(ROWS, COLUMNS)
MASK, INDEX = OTHER > 0.5, torch.arange(ROWS) % 50
WRITES = {
    "exp_": lambda x: x.exp_(),
    "add_": lambda x: x.add_(OTHER, alpha=2),
    "pow_": lambda x: x.pow_(2.5),
    "lerp_": lambda x: x.lerp_(OTHER, 0.3),
    "addcmul_": lambda x: x.addcmul_(OTHER, OTHER),
    "logical_not_": lambda x: x.logical_not_(),
    "a mask": lambda x: x.__setitem__(MASK, 1.0),
    "uniform_": lambda x: x.uniform_(),
    "normal_": lambda x: x.normal_(),
    "bernoulli_": lambda x: x.bernoulli_(0.5),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_has_been_written_in_part_counts_as_a_write(write):
    failures = 0
    for x, error in fail_at_all_moments(write, lambda: OTHER.clone().mul_(1)):
        failures += 1
        assert isinstance(error, RuntimeError) and SAID in str(error)
        assert torch.equal(x, OTHER) or x._version > 1
    assert failures


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["mean", "prod", "amax"])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_a_reduction_into_a_tensor_is_whole_or_did_not_happen(reduce, include_self):
    def write(x):
        return x.index_reduce_(0, INDEX, OTHER, reduce, include_self=include_self)

    for x, error in fail_at_all_moments(write, lambda: torch.ones(50, COLUMNS)):
        assert SAID in str(error) and torch.equal(x, torch.ones(50, COLUMNS))


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "ASGD", "Rprop", "Muon"])
def test_a_parameter_that_a_step_has_changed_in_part_counts_as_written(name):
    def prepare():
        p = torch.nn.Parameter(OTHER.clone())
        p.grad = torch.ones(ROWS, COLUMNS)
        return p, getattr(torch.optim, name)([p], lr=0.1), p._version

    for (p, _, version), error in fail_at_all_moments(
        lambda given: given[1].step(), prepare, step=31 if name == "Muon" else 9
    ):
        assert isinstance(error, RuntimeError) and SAID in str(error)
        assert torch.equal(p, OTHER) or p._version > version


def differentiate(_):
    x = OTHER.clone().requires_grad_()
    return torch.autograd.grad((x * 2).exp(), x, OTHER)


SMALL = torch.rand(20)
CALLS = {
    "rand": lambda _: torch.rand(ROWS, COLUMNS),
    "randn": lambda _: torch.randn(ROWS, COLUMNS),
    "randint": lambda _: torch.randint(9, (ROWS, COLUMNS)),
    "rand_like": lambda _: torch.rand_like(OTHER),
    "grad": differentiate,
    "deepcopy": lambda _: copy.deepcopy(OTHER),
    "deepcopy of a parameter": lambda p: copy.deepcopy(p),
    "a copy of a storage": lambda _: OTHER.untyped_storage().clone(),
    "jacrev": lambda _: torch.func.jacrev(torch.sin)(SMALL),
    "gradcheck": lambda p: torch.autograd.gradcheck(torch.sin, p),
    "Sobol numbers": lambda engine: engine.draw(50),
    "a product of a sparse matrix": lambda s: s @ OTHER.T,
    "a compiled function": lambda compiled: compiled(OTHER),
}
GIVEN = {
    "deepcopy of a parameter": lambda: torch.nn.Parameter(OTHER),
    "Sobol numbers": lambda: torch.quasirandom.SobolEngine(3).fast_forward(2),
    "gradcheck": lambda: SMALL[:3].double().requires_grad_(),
    "a product of a sparse matrix": lambda: (OTHER > 0.9).float().to_sparse_csr(),
    "a compiled function": lambda: COMPILED,
}
STEPS = {"gradcheck": 41, "a product of a sparse matrix": 31}
COMPILED = torch.compile(lambda x: (x * 2 + 1).sin())


@pytest.mark.parametrize("name", CALLS)
def test_the_error_is_pytorchs(name):
    failures = 0
    for _, error in fail_at_all_moments(CALLS[name], GIVEN.get(name, lambda: None), step=STEPS.get(name, 3)):
        failures += 1
        assert isinstance(error, RuntimeError) and SAID in str(error), repr(error)
    assert failures


DRAWS = {
    "many words": lambda: torch.rand(3000),
    "many doubles": lambda: torch.rand(3001, dtype=torch.float64),
    "few normal numbers": lambda: torch.randn(17),
    "integers": lambda: torch.randint(9, (4000,)),
    "a permutation": lambda: torch.randperm(100),
    "an unknown number of words": lambda: torch._standard_gamma(torch.ones(50)),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("before", [0, 1, 7, 623, 700])
def test_a_draw_leaves_a_state_of_the_generator(name, before):
    def prepare():
        torch.manual_seed(3)
        torch.rand(before)

    def following():
        return [torch.rand(size).tolist() for size in (500, 3, 5000, 9)]

    for _ in fail_at_all_moments(lambda _: DRAWS[name](), prepare, step=1):
        state = torch.get_rng_state()
        numbers = following()
        torch.set_rng_state(state)
        assert following() == numbers


def save(write, value):
    file = io.BytesIO()
    write(value, file)
    return file.getvalue()


LOADS = {
    "load": (torch.load, lambda: save(torch.save, {"w": OTHER})),
    "legacy": (torch.load, lambda: save(lambda *args: torch.save(*args, _use_new_zipfile_serialization=False), OTHER)),
    "jit": (torch.jit.load, lambda: save(torch.jit.save, torch.jit.trace(lambda x: x + OTHER, OTHER))),
    "export": (
        torch.export.load,
        lambda: save(torch.export.save, torch.export.export(torch.nn.Linear(2, 2), (OTHER[:1, :2],))),
    ),
}


@pytest.mark.parametrize("name", LOADS)
def test_a_file_for_which_there_is_no_memory_is_not_damaged(name):
    load, make_file = LOADS[name]
    data, failures = make_file(), 0
    for _, error in fail_at_all_moments(load, lambda: io.BytesIO(data), step=101 if name == "export" else 11):
        failures += 1
        assert isinstance(error, RuntimeError) and str(error).startswith("[enforce fail") and SAID in str(error)
    assert failures


def test_a_file_of_numpy_for_which_there_is_no_memory_is_not_damaged(tmp_path):
    path, failures = str(tmp_path / "a.npz"), 0
    np.savez_compressed(path, a=OTHER.numpy())
    for _, error in fail_at_all_moments(lambda _: opening.contents(path, torch), step=31):
        failures += 1
        assert opening.sentence(path, error) == f"{path}: there is not enough memory for it"
    assert failures
