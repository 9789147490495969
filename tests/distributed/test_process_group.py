"""A process group of one: beginning, ending, collectives and what they refuse, as on PyTorch with gloo."""

import json
import os
import socket
import subprocess
import sys
from datetime import timedelta
from importlib.util import find_spec

import pytest

import tensh
from tests.distributed.ranks import evaluate
from tests.support.project import ROOT

RIGHT = """
d.get_rank(), d.get_world_size(), d.get_backend(), d.get_backend_config(), d.is_initialized()
d.get_rank(g), d.get_process_group_ranks(g), d.get_process_group_ranks(None), d.get_global_rank(g, 0), d.get_group_rank(g, 0)
g.rank(), g.size(), g.name(), g.group_desc, g.bound_device_id
d.get_rank(-100), d.get_world_size(-100), d.group.WORLD is g, d.GroupMember.WORLD is g
d.all_reduce(x), x
d.all_reduce(leaf), leaf.grad_fn
d.all_reduce(x, d.ReduceOp.AVG, g, True).wait()
d.all_reduce(x, async_op=True).get_future().wait()
d.all_reduce(x, async_op=True).get_future().then(lambda f: f.value()[0] + 1).wait()
d.all_reduce(x.to(torch.complex64)), d.all_reduce(x.bool(), d.ReduceOp.BXOR), d.all_reduce_coalesced([x, x])
[d.all_reduce(x.long(), op) for op in (d.ReduceOp.PRODUCT, d.ReduceOp.MIN, d.ReduceOp.MAX, d.ReduceOp.BAND, d.ReduceOp.BOR)]
d.all_gather([out], x), out
d.all_gather_coalesced([[out]], [x + 1]), out
d.all_gather_single(out, x + 2), out
d.all_gather_into_tensor(out, x + 3), out
d.broadcast(x, 0), d.broadcast(x, group_src=0), d.reduce(x, 0), d.reduce(x, group_dst=0), x
d.gather(x, [out]), d.gather(x, [out], 0), out
d.scatter(out, [x]), d.scatter(out, [x + 1], 0), out
d.reduce_scatter(out, [x + 1]), out
d.reduce_scatter_tensor(out, x + 2), d.reduce_scatter_single(out, x + 3), out
d.all_to_all([out], [x + 1]), out
d.all_to_all_single(out, x + 2), d.all_to_all_single(out, x + 3, [4], [4]), out
d.barrier(), d.monitored_barrier()
d.all_reduce(x.reshape(2, 2).t()), d.all_gather([out.reshape(2, 2).t()], x.reshape(2, 2)), out
d.all_gather_object(objects, {"a": 1}), objects
d.gather_object((1, 2), objects), objects
d.scatter_object_list(objects, [[3]]), objects
d.broadcast_object_list(objects), objects
d.get_rank(d.new_group([0])), d.get_process_group_ranks(d.new_group()), d.new_group(group_desc="a").group_desc
len(d.new_subgroups(1)[1]), len(d.new_subgroups_by_enumeration([[0]])[1])
d.P2POp(d.isend, x, 1).peer
str(d.ReduceOp.SUM), repr(d.ReduceOp.MAX), d.ReduceOp(d.ReduceOp.MAX) == d.ReduceOp.MAX, d.ReduceOp.MAX == 4
d.supports_complex(d.ReduceOp.SUM), d.supports_complex(d.ReduceOp.PRODUCT)
d.Backend("NCCL"), d.Backend.GLOO, d.Backend.backend_list, d.is_backend_available("gloo"), d.is_nccl_available()
d.get_node_local_rank(3), d.get_default_backend_for_device("cpu"), str(d.get_debug_level())
list(torch.utils.data.DistributedSampler(range(4), shuffle=False))
type(torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))).__name__
list(torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1)).state_dict())
__import__("importlib").import_module(f"{torch.__name__}.distributed.optim").ZeroRedundancyOptimizer([leaf], torch.optim.SGD, lr=0.1).consolidate_state_dict(to=1)
""".strip().splitlines()

WRONG = """
d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
d.all_reduce([x])
d.all_reduce(x, d.ReduceOp.BAND)
d.all_reduce(x.long(), d.ReduceOp.AVG)
d.all_reduce(x.to(torch.complex64), d.ReduceOp.MAX)
d.all_reduce(x, group=3)
d.all_reduce(x, group=d.GroupMember.NON_GROUP_MEMBER)
d.all_reduce_coalesced([x, x.long()])
d.all_gather([x[:3].clone()], x)
d.all_gather([], x)
d.all_gather([out, out], x)
d.all_gather([out.int()], x)
d.all_gather(x, x)
d.all_gather_single(torch.zeros(5), x)
d.broadcast(x)
d.broadcast(x, 1)
d.broadcast(x, 0, group_src=0)
d.reduce(x, 1)
d.gather(x)
d.gather(x, [out], 1)
d.gather(x, [out, out])
d.scatter(x)
d.scatter(x, [x[:2]])
d.scatter(x, [out, out])
d.reduce_scatter(x, [x, x])
d.all_to_all([x], [x, x])
d.all_to_all([x], [x[:2]])
d.all_to_all_single(x, x, [3], [4])
d.all_to_all_single(x, x.long())
d.send(x, 0)
d.monitored_barrier(timeout=3)
d.scatter_object_list([None])
d.scatter_object_list([], [1])
d.broadcast_object_list([1], 1)
d.gather_object(1)
d.P2POp(d.all_reduce, x, 0)
d.new_group([1])
d.new_group([0, 0])
d.new_subgroups()
d.new_subgroups(2)
d.get_backend(d.GroupMember.NON_GROUP_MEMBER)
d.Backend(3)
d.destroy_process_group(3)
torch.nn.parallel.DistributedDataParallel(torch.nn.ReLU())
""".strip().splitlines()

BEFORE = """
d.is_available(), d.is_initialized(), d.group.WORLD
d.get_rank()
d.get_backend()
d.all_reduce(torch.ones(2))
d.new_group()
d.destroy_process_group()
d.init_process_group("gloo")
d.init_process_group("gloo", rank=0, world_size=1)
d.init_process_group("gloo", rank=0, store=d.HashStore())
d.init_process_group("gloo", world_size=1, store=d.HashStore())
d.init_process_group("gloo", init_method="tcp://x", store=d.HashStore())
d.init_process_group("gloo", init_method="xx://x")
d.init_process_group("gloo", init_method="tcp://localhost")
d.init_process_group("gloo", init_method="tcp://localhost:29511")
d.init_process_group("gloo", init_method="file:///tmp/never", rank=0)
d.init_process_group("gloo", init_method="file://", rank=0, world_size=1)
d.init_process_group("gloo", init_method=3)
d.init_process_group("nothing", rank=0, world_size=1, store=d.HashStore())
d.init_process_group("gloo", timeout=3, rank=0, world_size=1, store=d.HashStore())
d.get_node_local_rank()
torch.utils.data.DistributedSampler([1])
""".strip().splitlines()

if find_spec("mpi4py") is None:  # PyTorch's packages are built without MPI; with mpi4py, tensh has it
    BEFORE.append('d.init_process_group("mpi", rank=0, world_size=1, store=d.HashStore())')

NUMBERS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""Variables of the environment that a launcher sets."""


def said(m, text):
    """What an expression gives, or refuses, as text."""
    x = m.arange(4.0)
    names = {"torch": m, "d": m.distributed, "g": m.distributed.group.WORLD, "x": x, "out": m.zeros(4)}
    names |= {"objects": [None], "leaf": m.ones(2, requires_grad=True)}
    return evaluate(text, names)


def outcomes(m):
    """What all expressions give: those of ``BEFORE``, then the others in a group of one process."""
    found = {text: said(m, text) for text in BEFORE}
    d = m.distributed
    d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
    found |= {text: said(m, text) for text in RIGHT + WRONG}
    d.destroy_process_group()
    return found


@pytest.fixture(scope="module")
def expected(oracle):
    """PyTorch's outcomes, from a separate process, because its threads outlive a group."""
    program = "import json, torch; from tests.distributed.test_process_group import outcomes; print(json.dumps(outcomes(torch)))"
    variables = {name: value for name, value in os.environ.items() if name not in NUMBERS}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, env=variables)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def actual():
    with pytest.MonkeyPatch.context() as patch:
        for name in NUMBERS:
            patch.delenv(name, raising=False)
        return outcomes(tensh)


@pytest.mark.oracle
@pytest.mark.parametrize("text", BEFORE + RIGHT + WRONG)
def test_a_group_of_one_does_what_pytorchs_does(text, expected, actual):
    assert actual[text] == expected[text]


@pytest.mark.parametrize("method", ["file://{folder}/store", "tcp://localhost:{port}", "env://", None])
def test_ways_to_meet(method, tmp_path, monkeypatch):
    d = tensh.distributed
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
    for name, value in {"RANK": 0, "WORLD_SIZE": 1, "MASTER_ADDR": "localhost", "MASTER_PORT": port}.items():
        monkeypatch.setenv(name, str(value))
    numbers = {} if method in ("env://", None) else {"rank": 0, "world_size": 1}
    d.init_process_group(init_method=method and method.format(folder=tmp_path, port=port), **numbers)
    try:
        assert (d.get_rank(), d.get_world_size(), d.get_backend_config()) == (0, 1, "cpu:gloo")
        d.group.WORLD.get_group_store().set("a", "1")
        assert d.group.WORLD.get_group_store().get("a") == b"1"
    finally:
        d.destroy_process_group()
    assert not d.is_initialized()


@pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.parametrize("method", ["store=d.HashStore(), rank=0, world_size=1", ""])
def test_a_group_of_one_with_mpi(method):
    """In a separate process, since MPI runs until the process ends."""
    program = f"import tensh; d = tensh.distributed; d.init_process_group('mpi', {method}); print(d.get_backend(), d.get_world_size())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("mpi 1\n", "")


def test_more_processes_are_refused():
    d = tensh.distributed
    without_or_with_mpi = r"need MPI: pip install 'tensh\[mpi\]'|timed out after 0.1 s: 1 of 2 processes reached"
    with pytest.raises(d.DistBackendError, match=without_or_with_mpi):
        d.init_process_group("gloo", timeout=timedelta(seconds=0.1), store=d.HashStore(), rank=0, world_size=2)
    assert not d.is_initialized()


def test_a_model_is_trained_as_by_itself():
    d, nn = tensh.distributed, tensh.nn
    d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
    try:
        alone = nn.Linear(3, 2)
        model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
        model.load_state_dict({f"module.{name}": value for name, value in alone.state_dict().items()})
        for each in (alone, model):
            each(tensh.ones(4, 3)).square().sum().backward()
        with model.no_sync():
            model(tensh.ones(4, 3)).square().sum().backward()
        assert tensh.equal(model.module.weight.grad, 2 * alone.weight.grad)
    finally:
        d.destroy_process_group()


@pytest.mark.parametrize("op", ["MAX", "MIN", "BAND", "BOR", "BXOR", "PRODUCT"])
def test_complex_numbers_have_no_order_and_no_bits(op):
    d = tensh.distributed
    d.init_process_group("gloo", store=d.HashStore(), rank=0, world_size=1)
    try:
        x, op = tensh.ones(2, dtype=tensh.complex64), getattr(d.ReduceOp, op)
        for call in (
            lambda: d.all_reduce(x, op),
            lambda: d.reduce(x, 0, op),
            lambda: d.reduce_scatter(x.clone(), [x], op),
            lambda: d.reduce_scatter_tensor(x.clone(), x, op),
        ):
            if d.distributed_c10d.supports_complex(op):
                call()
            else:
                with pytest.raises((ValueError, RuntimeError), match="does not support .* on complex tensors"):
                    call()
    finally:
        d.destroy_process_group()
