"""^C at every step of the beginning and the end of a context: no mode stays set."""

import random
import signal
import sys
from opcode import opname
from types import SimpleNamespace

import pytest

import tensh as torch
from tensh import func
from tensh.autograd import forward_ad, graph
from tensh.cli.process import signals
from tensh.cli.programs import limits
from tensh.engine.core import clock
from tensh.engine.dispatch.override.state import state
from tensh.engine.dispatch.vmap.levels import running
from tensh.engine.methods.printing.options import get_printoptions
from tensh.nn.utils import parametrize
from tensh.optim.swapping import swap_in_optimizer_params_and_state
from tensh.serialization import get_safe_globals, safe_globals
from tensh.utils import checkpoint
from tensh.utils._python_dispatch import TorchDispatchMode

# behind these, and when a function begins, Python looks at signals
CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "JUMP_BACKWARD")


class Steps:
    """Run a function, and raise KeyboardInterrupt at the ``place``-th check for signals, unless signals wait there."""

    def __init__(self, place):
        self.place, self.count, self.before = place, 0, {}

    def run(self, function):
        sys.settrace(self.enter)
        try:
            function()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)

    def enter(self, frame, event, _):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self.look(frame)
        return self.step

    def step(self, frame, event, _):
        if event == "opcode":
            if self.before.get(frame) in CALLS:
                self.look(frame)
            self.before[frame] = opname[frame.f_code.co_code[frame.f_lasti]]
        elif event == "return":
            self.before.pop(frame, None)
        return self.step

    def look(self, frame):
        """Python looks at signals in this frame."""
        self.count += 1
        if self.count == self.place and not signals.postpone(frame):
            sys.settrace(None)
            raise KeyboardInterrupt


def modes():
    """All that a context may leave behind."""
    return {
        **{name: getattr(clock.mode, name) for name in vars(clock.Modes) if not name.startswith("__")},
        "listeners": len(clock.listeners),
        "overrides": (state.off, state.modes, state.dispatch_modes),
        "levels": (running.levels, running.asleep),
        "printing": get_printoptions(),
        "autocast": (torch.is_autocast_enabled("cpu"), torch.is_autocast_cache_enabled(), torch.get_autocast_dtype("cpu")),
        "random": torch.get_rng_state().tolist(),
        "recursion": sys.getrecursionlimit(),
        "cudnn": (torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic),
        "cache": (parametrize.CACHE["users"], len(parametrize.CACHE["values"])),
        "checkpoint": vars(checkpoint.Settings).get("early_stop"),
        "threads of a pass": torch.autograd.is_multithreading_enabled(),
        "allowed": get_safe_globals(),
        "optimizer": (w.item(), [*optimizer.param_groups[0]["params"]] == [w], len(optimizer.state)),
    }  # fmt: skip


w, twin = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
w.grad = twin.grad = torch.zeros(1)
optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.9)
optimizer.step()
x = torch.arange(3.0, requires_grad=True)
layer = torch.nn.Linear(3, 2)
squared = parametrize.register_parametrization(torch.nn.Linear(2, 2), "weight", torch.nn.Tanh())


class Functions(torch.overrides.TorchFunctionMode):
    """Changes nothing."""


class Dispatched(TorchDispatchMode):
    """Changes nothing."""


def switched_at_once():
    with torch.set_grad_enabled(False):
        pass


def anomaly_at_once():
    with torch.autograd.set_detect_anomaly(True):
        pass


def one_thread_at_once():
    with torch.autograd.set_multithreading_enabled(False):
        pass


CONTEXTS = {
    "no_grad": torch.no_grad,
    "enable_grad": torch.enable_grad,
    "inference_mode": torch.inference_mode,
    "detect_anomaly": torch.autograd.detect_anomaly,
    "autocast": lambda: torch.autocast("cpu"),
    "device": lambda: torch.device("meta"),
    "printoptions": lambda: torch.printoptions(precision=2, sci_mode=True),
    "saved_tensors_hooks": lambda: graph.saved_tensors_hooks(lambda t: t, lambda t: t),
    "disable_saved_tensors_hooks": lambda: graph.disable_saved_tensors_hooks("none here"),
    "allow_mutation": graph.allow_mutation_on_saved_tensors,
    "dual_level": forward_ad.dual_level,
    "function mode": Functions,
    "dispatch mode": Dispatched,
    "DisableTorchFunction": torch.DisableTorchFunction,
    "cudnn.flags": lambda: torch.backends.cudnn.flags(benchmark=True),
    "parametrize.cached": parametrize.cached,
    "early_stop": lambda: checkpoint.set_checkpoint_early_stop(False),
    "safe_globals": lambda: safe_globals([SimpleNamespace]),
    "swapped": lambda: swap_in_optimizer_params_and_state(optimizer, {"w": twin}, optimizer.state_dict()),
}


def enter(make):
    def run():
        with make():
            pass

    return run


def forked():
    with torch.random.fork_rng():
        torch.rand(2)


def nested():
    y, z = torch.ones(2, requires_grad=True), torch.ones(2)
    y.register_hook(lambda g: func.grad(lambda z: (z * z).sum())(z))
    (y * y).sum().backward(create_graph=True)


CALLED = {
    "set_grad_enabled": switched_at_once,
    "set_detect_anomaly": anomaly_at_once,
    "set_multithreading_enabled": one_thread_at_once,
    "fork_rng": forked,
    "jvp": lambda: func.jvp(torch.sin, (x,), (x,)),
    "vmap": lambda: func.vmap(torch.sin)(x),
    "jacfwd": lambda: func.jacfwd(torch.sin)(x),
    "jacobian": lambda: torch.autograd.functional.jacobian(torch.sin, x, strategy="forward-mode", vectorize=True),
    "functional_call": lambda: func.functional_call(layer, {"weight": torch.ones(2, 3)}, (x,)),
    "checkpoint": lambda: checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward(),
    "backward in backward": nested,
    **{name: enter(make) for name, make in CONTEXTS.items()},
}
FEW = 50  # places that are tried of a function


def interrupted_everywhere(name):
    """Interrupt a function at many of its places, after each of which all is as before; the number of places."""
    run, before = CALLED[name], modes()
    run()
    count = Steps(None)
    count.run(run)
    for place in sorted(random.Random(name).sample(range(1, count.count + 1), min(FEW, count.count))):
        Steps(place).run(run)
        assert modes() == before, f"interrupted at {place}"
    return count.count


@pytest.fixture
def sent(monkeypatch):
    """The signals that are sent later."""
    numbers = []
    monkeypatch.setattr(signals, "resend_later", lambda number=signal.SIGINT, _=False: numbers.append(number))
    return numbers


@pytest.mark.parametrize("name", ["no_grad", "set_grad_enabled", "dual_level"])
def test_an_interrupt_waits_until_a_mode_is_set_or_put_back(name, sent):
    """Before the first step of `__exit__` it left gradients switched off."""
    assert interrupted_everywhere(name) > 1 and sent


@pytest.mark.thorough
@pytest.mark.parametrize("name", CALLED)
@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Using backward")
def test_no_mode_is_left_behind_wherever_an_interrupt_comes(name, sent):
    assert interrupted_everywhere(name)


def test_code_of_the_user_is_interrupted_at_once(sent):
    """Also where the user's own `with` or `finally` calls it, or a function of ours."""
    assert not signals.postpone(sys._getframe())
    frames = []
    func.vmap(lambda row: frames.append(sys._getframe()) or row)(torch.ones(2))
    try:
        pass
    finally:
        assert not signals.postpone(frames[0]) and not signals.postpone(sys._getframe())
    assert not sent


def test_the_end_of_a_time_limit_waits_for_a_mode_too(sent):
    with limits.time_limit(60):
        handler, no_grad = signal.getsignal(signal.SIGALRM), torch.no_grad()
        sys.setprofile(lambda frame, event, _: event == "call" and handler(signal.SIGALRM, frame))
        try:
            no_grad.__enter__()
        finally:
            sys.setprofile(None)
            no_grad.__exit__()
    assert sent == [signal.SIGALRM]


@pytest.mark.parametrize(("handler", "times"), [(signal.getsignal(signal.SIGINT), 3), (None, 1)])
def test_a_postponed_signal_is_sent_until_its_handler_is_called(handler, times, monkeypatch):
    """The first two are lost, as where a system call begins at the same moment."""
    kills = []

    def kill(number):
        kills.append(number)
        if len(kills) == 3:
            signals.note_arrival()

    monkeypatch.setattr(signals, "kill", kill)
    monkeypatch.setattr(signals, "getsignal", lambda number: handler)
    signals.send(signal.SIGINT, signals.arrivals, handler)
    assert kills == [signal.SIGINT] * times
