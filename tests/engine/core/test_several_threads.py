"""State that belongs to a thread: another thread neither sees nor changes it, whenever it comes."""

import os
import threading
import time

import pytest

import tensh as torch
from tensh.amp import casting
from tensh.engine.autograd import inference
from tensh.engine.autograd.inference import make as make_tensor
from tensh.engine.dispatch.override import points
from tensh.engine.dtypes import device as devices
from tensh.engine.random import generator
from tensh.fx.tracer import is_fx_tracing
from tensh.nn import Linear, Module
from tensh.optim import together


def run_elsewhere(function):
    """Run a function in another thread; return what it returns."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def use(context):
    with context:
        torch.ones(2)


CONTEXTS = {
    "device": lambda: torch.device("meta"),
    "inference_mode": torch.inference_mode,
    "no_grad": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu"),
    "saved_tensors_hooks": torch.autograd.graph.save_on_cpu,
    "dual_level": torch.autograd.forward_ad.dual_level,
    "detect_anomaly": lambda: torch.autograd.set_detect_anomaly(True),
}


def facts():
    """What the contexts change: where tensors are made, and what is recorded of a product."""
    x = torch.ones(2, 2, requires_grad=True)
    y = x @ x
    return x.device.type, y.dtype, y.requires_grad, y.is_inference(), torch.is_anomaly_enabled()


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_context_holds_while_other_threads_enter_and_leave_theirs(name):
    outside = facts()
    with CONTEXTS[name]():
        inside = facts()
        assert run_elsewhere(facts) == outside
        for other in CONTEXTS.values():
            run_elsewhere(lambda other=other: use(other()))
        assert facts() == inside
    assert facts() == outside == run_elsewhere(facts)


def test_tensors_that_a_thread_is_making_wait_for_their_own_mode():
    with torch.inference_mode():
        unfinished = make_tensor()
        run_elsewhere(lambda: use(torch.inference_mode()))
        unfinished.array, unfinished.node, unfinished._base = torch.ones(2).array, None, None
        assert id(unfinished) in inference.made.references
    assert unfinished.is_inference()


def test_a_thread_that_ends_elsewhere_leaves_the_cpu():
    run_elsewhere(lambda: torch.set_default_device("meta"))
    assert torch.ones(1).device.type == run_elsewhere(lambda: torch.ones(1)).device.type == "cpu"


# ── traces ───────────────────────────────────────────────────────────────────
class Waiting(Module):
    """A module that lets other threads work while it is traced."""

    def __init__(self, work):
        super().__init__()
        self.work, self.inner = work, Linear(2, 2)

    def forward(self, x):
        self.work()
        return self.inner(x)


def test_modules_that_another_thread_calls_are_not_traced():
    layer, seen = Linear(2, 2), []
    traced = torch.fx.symbolic_trace(
        Waiting(lambda: seen.append(run_elsewhere(lambda: (layer(torch.ones(1, 2)).shape, is_fx_tracing()))))
    )
    assert seen == [((1, 2), False)]
    assert [node.op for node in traced.graph.nodes] == ["placeholder", "call_module", "output"]


def test_traces_of_several_threads_take_turns():
    call, order = Module.__call__, []
    begun = threading.Event()
    other = threading.Thread(target=lambda: torch.fx.symbolic_trace(Waiting(lambda: order.append("second"))))

    def work():
        other.start()
        begun.wait(0.2)  # the second trace would begin
        order.append("first")

    torch.fx.symbolic_trace(Waiting(work))
    other.join()
    assert order == ["first", "second"] and Module.__call__ is call


# ── forks ────────────────────────────────────────────────────────────────────
LOCKS = {
    "devices": lambda: devices._lock,
    "inference": lambda: inference.lock,
    "functions": lambda: points.lock,
    "autocast": lambda: casting.lock,
    "optimizers": lambda: together.turn,
    "seeds": lambda: generator.SEEDING,
    "random numbers": lambda: torch.default_generator.open().lock,
    "other random numbers": lambda: OTHER.open().lock,
}
OTHER = torch.Generator()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("name", LOCKS)
def test_no_lock_is_held_in_a_child_by_a_thread_that_it_lacks(name):
    lock, taken = LOCKS[name](), threading.Event()

    def hold():
        with lock:
            taken.set()
            time.sleep(0.1)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    child = os.fork()
    if not child:
        os._exit(not lock.acquire(timeout=5))
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
    assert run_elsewhere(lambda: lock.acquire(timeout=5) and not lock.release())
