"""Every module in PyTorch's own database agrees with PyTorch in results, gradients, state, text and errors.

Of every entry, dtype and mode some samples are run by both (``TENSH_DATABASES=all``: all of them), and those with images
and volumes once more with channels last. The modules start with the same random numbers, then with the same weights.
"""

import copy
import io
from functools import partial

import pytest

import tensh
from tests.support.databases import Twin, convert, oracle, outcome, pick_evenly, plain, said, seed, unlike

modules = pytest.importorskip("torch.testing._internal.common_modules")

SAMPLES = 4  # of an entry, dtype and mode
FORMATS = {"preserve_format": None, "channels_last": 4, "channels_last_3d": 5}  # number of dimensions of their tensors


def entries():
    """Yield (entry, dtype, training) for all modules."""
    for info in modules.module_db:
        if not info.module_cls.__module__.startswith("torch.nn."):
            continue  # quantized modules
        for dtype in (oracle.float32, oracle.float64):
            for training in (True, False) if info.train_and_eval_differ else (True,):
                if dtype in info.supported_dtypes("cpu"):
                    mode = "training" if training else "evaluation"
                    yield pytest.param(info, dtype, training, id=f"{info.name} {convert.name_of(dtype)} {mode}")


LYING = "operands that lie in different orders give rows (ARCHITECTURE.md)"
EMPTY = "NumPy keeps no strides of an array without elements"
OTHERWISE = {
    ("LocalResponseNorm", "strides"): LYING,
    ("RMSNorm", "strides"): LYING,
    ("TransformerDecoderLayer", "strides"): LYING,
    ("Transformer", "strides"): LYING,
    ("NLLLoss", "grad_input must be contiguous"): "PyTorch refuses its own gradient of targets with channels last",
    ("BatchNorm1d", "(0, 0, 0)"): EMPTY,
    ("BatchNorm2d", "strides (20, 4, 2, 1)"): EMPTY,
    ("BatchNorm3d", "strides (40, 8, 4, 2, 1)"): EMPTY,
    ("LinearCrossEntropyLoss", "tensh runs no code of a file"): "no class is loaded that was not allowed (SECURITY.md)",
}
"""(module, what is said of the difference) -> why it differs from PyTorch's."""


def meant(info, difference):
    return any(name == info.module_cls.__name__ and words in str(difference) for name, words in OTHERWISE)


class Run:
    """A module of ``m``, made and called with a sample, and the outcome."""

    def __init__(self, m, info, sample, dtype, training, memory_format="preserve_format"):
        self.m = m
        twin = Twin(m)
        cls = Twin(m)(info.module_cls)
        seed()
        args, kwargs = twin((sample.constructor_input.args, sample.constructor_input.kwargs))
        self.module = cls(*args, **kwargs).to(getattr(m, convert.name_of(dtype))).train(training)
        self.given = twin((sample.forward_input.args, sample.forward_input.kwargs))
        self.leaves = twin.leaves
        self.memory_format = getattr(m, memory_format)
        self.dims = FORMATS[memory_format]

    def start(self, weights):
        """Take PyTorch's weights (a lazy module has none yet)."""
        if weights:
            self.module.load_state_dict({name: Twin(self.m)(t) for name, t in weights.items()})
        if self.dims:
            self.module.to(memory_format=self.memory_format)

    def call(self, module=None):
        def laid_out(value):
            if isinstance(value, self.m.Tensor) and value.dim() == self.dims:
                return value.contiguous(memory_format=self.memory_format)
            return value

        seed()
        args, kwargs = copy.copy(self.given)
        if self.memory_format is not self.m.preserve_format:
            args, kwargs = tuple(map(laid_out, args)), {name: laid_out(value) for name, value in kwargs.items()}
        return (module or self.module)(*args, **kwargs)

    def gradients(self, result):
        """The gradients of the sample's leaves and the parameters, for fixed weights of the results."""
        results = [t for t in convert.tensors_in(self.m, result) if t.requires_grad]
        leaves = [*self.leaves, *(p for p in self.module.parameters() if p.requires_grad)]
        if not results or not leaves:
            return []
        given = [self.m.linspace(-1, 1, t.numel(), dtype=t.dtype).reshape(t.shape) for t in results]
        found = self.m.autograd.grad(results, leaves, given, allow_unused=True, create_graph=True)
        return [t if t is None else t.detach() for t in found]

    def widen(self):
        """Compute in float64 from here on, with the same numbers."""
        leaves = {id(leaf): leaf.detach().double().requires_grad_() for leaf in self.leaves}

        def widened(value):
            if isinstance(value, self.m.Tensor):
                return leaves.get(id(value), value.double() if value.is_floating_point() else value)
            if type(value) in (list, tuple):
                return type(value)(map(widened, value))
            return {name: widened(each) for name, each in value.items()} if isinstance(value, dict) else value

        self.given, self.leaves = widened(self.given), list(leaves.values())
        self.module.double()
        return self

    def again(self):
        """Return the outputs of a deep copy and of a copy from a file."""
        kept = io.BytesIO()
        self.m.save(self.module, kept)
        kept.seek(0)
        return [self.call(copy.deepcopy(self.module)), self.call(self.m.load(kept, weights_only=False))]

    def facts(self):
        parts = [(type(each).__name__, each.training) for each in self.module.modules()]
        kinds = [(name, type(p).__name__, p.requires_grad) for name, p in self.module.named_parameters()]
        return repr(self.module), parts, kinds, [name for name, _ in self.module.named_buffers()]


def differences(info, sample, dtype, training, memory_format):
    """Yield (what, difference) for each comparison."""
    make = info, sample, dtype, training, memory_format
    theirs, failed = outcome(Run, oracle, *make)
    if failed is not None:
        raise AssertionError("PyTorch makes its own module") from failed
    ours, error = outcome(Run, tensh, *make)
    if error is not None:
        yield "construction", error
        return
    started = {name: t for name, t in theirs.module.state_dict().items() if not info.is_lazy}
    if not info.is_lazy:
        yield "initial state", unlike(started, dict(ours.module.state_dict()), strides=True)
    weights = {name: t.clone() for name, t in started.items()}
    refused, error = (outcome(run.start, weights)[1] for run in (theirs, ours))
    if refused or error:
        yield "start", None if said(refused) == said(error) else f"{said(error)} instead of {said(refused)}"
        return
    yield "facts", None if theirs.facts() == ours.facts() else f"{ours.facts()} instead of {theirs.facts()}"
    (expected, expected_error), (actual, actual_error) = outcome(theirs.call), outcome(ours.call)
    if expected_error is not None or actual_error is not None:
        if said(expected_error) != said(actual_error):
            yield "call", f"{said(actual_error)} instead of {said(expected_error)}"
        return
    yield "result", unlike(expected, actual, strides=True)
    yield "state afterwards", unlike(dict(theirs.module.state_dict()), dict(ours.module.state_dict()), strides=True)
    compared = [("gradients", lambda run, result: run.gradients(result))]  # last, because judging them changes the run
    if memory_format == "preserve_format":
        compared.insert(0, ("copies", lambda run, result: run.again()))
    for what, function in compared:
        (one, refused), (two, error) = outcome(function, theirs, expected), outcome(function, ours, actual)
        if said(refused) != said(error):
            yield what, f"{said(error)} instead of {said(refused)}"
        elif error is None:
            wider = partial(wide_gradients, theirs) if what == "gradients" and dtype is oracle.float32 else None
            yield what, unlike(one, two, strides=what == "copies", reference=wider)


def wide_gradients(run):
    """PyTorch's gradients in float64, from which the rounding errors of both are measured."""
    return plain(oracle, run.widen().gradients(run.call()))


@pytest.mark.parametrize(("info", "dtype", "training"), list(entries()))
def test_a_module_is_pytorchs(info, dtype, training):
    """Initial state, text, results, state afterwards, gradients, copies; in both memory formats."""
    seed()
    samples = info.module_inputs_func(info, "cpu", dtype, True, training)
    wrong = []
    for sample in pick_evenly(samples, SAMPLES):
        dims = {None, *(t.dim() for t in convert.tensors_in(oracle, list(sample.forward_input.args)))}
        for memory_format in [name for name, number in FORMATS.items() if number in dims][
            : 1 if info.is_lazy else None
        ]:
            for what, how in differences(info, sample, dtype, training, memory_format):
                if how is not None and not meant(info, f"{convert.name_of(dtype)} {what}: {how}"):
                    constructed = sample.constructor_input
                    wrong.append(f"{constructed.args} {constructed.kwargs} {memory_format}, {what}: {how!s:.400}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "info", [each for each in modules.module_db if each.module_error_inputs_func], ids=lambda i: i.name
)
def test_a_module_refuses_what_pytorchs_refuses(info):
    """Type and text of the error, of construction or call."""
    wrong = []
    for dtype in (oracle.float32, oracle.float64):
        for training in (True, False) if info.train_and_eval_differ else (True,):
            seed()
            for case in info.module_error_inputs_func(info, "cpu", dtype, False, training):
                sample = case.module_error_input

                def attempt(m, sample=sample, dtype=dtype, training=training):
                    run = Run(m, info, sample, dtype, training)
                    return run.call()

                refused, error = (said(outcome(attempt, m)[1]) for m in (oracle, tensh))
                if refused != error:
                    wrong.append(f"{error} instead of {refused}")
    assert not wrong, "\n".join(wrong)
