"""Random programs compared with PyTorch after every step:  python -m tests.fuzz.differential.survey --examples 20000

After every step all tensors of the program are compared: values, dtype, shape, strides, history, version, gradient, and
shared memory; for a step that fails, the type of the error (its text is counted separately). Values that agree
within the tolerance of their dtype are then made equal, so that rounding errors do not accumulate.

The script prints every kind of difference with its shortest program.
"""

import argparse
import importlib
import re
import sys
from collections import Counter, namedtuple
from functools import partial

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.differential import holes as differential_holes  # noqa: F401 - fill the table of holes
from tests.fuzz.differential import indices as differential_indices  # noqa: F401
from tests.fuzz.differential.programs import is_leaf, programs
from tests.fuzz.differential.steps import World

TOLERANCE = {
    "float16": 8e-3,
    "complex32": 8e-3,
    "bfloat16": 6e-2,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float64": 1e-9,
    "complex128": 1e-9,
}
APART = ("text", "layout")  # differences that are counted separately
REFUSED = re.compile(
    'derivative for .* is not implemented|_backward" not implemented|does not support automatic differentiation for outputs'
    "|Autograd not support dtype|modified by an inplace operation|Subtraction, the `-` operator|isFloatingType.grad"
    "|not implemented for 'ComplexHalf'|isDifferentiableType|INTERNAL ASSERT FAILED|must have a last dimension with stride 1"
)
"""Messages of PyTorch where tensh may have a derivative.

PyTorch has none, or saved an operand that had been cast, which no later write touches, or finds a mistake in itself; or
the derivative of a tensor without elements asks for its strides. Others are of functions of complex32, which tensh has.
"""
DERIVING = re.compile(r"^(first|second)$|grad\(|backward\(")
BROKEN = re.compile(
    "result type .* can't be cast|value cannot be converted to type float|cannot reshape tensor of 0 elements"
    "|invalid shape dimension -"
)
"""Derivatives of PyTorch's that fail by themselves.

That of addcdiv computes in a dtype that it cannot write, beside integers, or of real numbers times a complex one; that of an
empty tensor repeated -1 times asks for a shape with -1 in it.
"""
FORGOTTEN = "derivative for aten::floor_divide is not implemented"
"""The message about the operand of a write into a view; PyTorch forgets it."""
WRITING, ASSIGNED = re.compile(r"\w_\(|\bout="), re.compile(r"((\w+)\[.*\]) = (\w+)$")
OVERLAP = "some elements of the input tensor and the written-to tensor refer to a single memory location"
SORTED = re.compile(r"(\w+)\.(?:arg)?sort\((-?\d+)\)$")
INSERTED = 16  # elements up to which PyTorch sorts by insertion, and so equal ones keep their order
GRADIENT, GRADIENTS = re.compile(r"g\d+"), re.compile("grad|backward|first|second|out=")
Difference = namedtuple("Difference", "step kind where theirs ours")
OPEN = object()  # a difference in undefined results: the program ends


# ── what can be seen ─────────────────────────────────────────────────────────
def array_of(t):
    """The values of a tensor as an array; dtypes that NumPy lacks become single precision."""
    # numpy() of the tensor itself would forbid PyTorch to resize it
    t = t.detach().resolve_conj().resolve_neg().clone()
    wider = {"torch.bfloat16": t.float, "torch.complex32": t.cfloat}.get(str(t.dtype))
    return t.numpy() if wider is None else wider().numpy()


def history(t):
    """Return (whether it is a leaf, the name of its node), or the error that the question raises."""
    try:
        return t.is_leaf, None if t.grad_fn is None else t.grad_fn.name()
    except RuntimeError as error:
        return plain(error)


def facts(world):
    """All visible properties of a program's tensors but their values: name -> property -> value.

    Memory layout and shared memory of a gradient are left out, since they depend on how PyTorch computes
    derivatives. Versions are counted from the creation of a tensor.
    """
    seen, blocks = {}, {}
    for name, t in world.tensors.items():
        seen[name] = {"dtype": str(t.dtype), "shape": tuple(t.shape), "requires_grad": t.requires_grad}
        grad = t.grad if is_leaf(t) or t.retains_grad else None
        seen[name]["grad"] = None if grad is None else (str(grad.dtype), tuple(grad.shape), grad.requires_grad)
        if GRADIENT.fullmatch(name):
            continue
        steps = tuple(s for s, n in zip(t.stride(), t.shape) if n != 1) if t.numel() else None
        block = blocks.setdefault(t.untyped_storage().data_ptr(), name) if t.numel() else None
        seen[name] |= {
            "memory of": block,
            "history": history(t),
            "_version": t._version - world.versions.setdefault(name, t._version),
            "_is_view": t._is_view(),
            "retains_grad": t.retains_grad,
            "stride" if t._is_view() else "layout": steps,
            "storage_offset": t.storage_offset() - t._base.storage_offset() if t.numel() and t._is_view() else None,
        }
    return seen


def described(world, value):
    """Describe the result of a step: a tensor of the program by its name, the structure of several, anything else as text."""
    if isinstance(value, world.module.Tensor):
        return next((name for name, t in world.tensors.items() if t is value), "a new tensor")
    if isinstance(value, (tuple, list)) and any(isinstance(each, world.module.Tensor) for each in value):
        return [type(value).__name__, *(described(world, each) for each in value)]
    return repr(value)


def plain(error):
    """The text of an error without the place in PyTorch's source."""
    return str(error).partition(" (Triggered")[0].partition("\nException raised")[0]


def taken(world, step):
    """Return (the result of the step, None) or (None, its error)."""
    try:
        return described(world, world.take(step)), None
    except Exception as error:  # every kind of failure is an outcome
        return None, error


# ── comparing ────────────────────────────────────────────────────────────────
def differences(program, theirs, ours):
    """Run the program on both modules; the differences of the first step that has one, and those of texts.

    A step that fails changes nothing in tensh. In PyTorch it may, and then the program ends, as it does if PyTorch lacks a
    derivative that tensh may have.
    """
    theirs, ours, texts = World(theirs), World(ours), []
    for step in program.steps:
        before = (*everything(theirs), facts(ours)) if step.fails else ()
        expected, failure = taken(theirs, step)
        found, error = taken(ours, step)
        if OVERLAP in plain(failure) and writes_itself(step, theirs):
            return texts
        if REFUSED.search(plain(failure)) or DERIVING.search(step.template) and BROKEN.match(plain(failure)):
            return texts
        if failure is None and DERIVING.search(step.template) and plain(error) == FORGOTTEN:
            return texts
        if type(failure).__name__ != type(error).__name__:
            return [*texts, Difference(step, "error", "", show(failure), show(error))]
        if failure is not None and plain(failure) != plain(error):
            texts.append(Difference(step, "text", "", plain(failure), plain(error)))
        if expected != found and absent_or_zero(theirs, ours, step):
            return texts
        if expected != found:
            return [*texts, Difference(step, "result", "", expected, found)]
        if failure is not None and before and before[-1] != facts(ours) and not GRADIENTS.search(step.template):
            return [*texts, Difference(step, "changed by an error", "", *changed(before[-1], facts(ours)))]
        if before and not unchanged(before, everything(theirs)):
            return texts
        if (different := compared(step, theirs, ours)) is not None:
            return texts if different is OPEN or unnoticed(program, step) else [*texts, different]
    return texts


def absent_or_zero(theirs, ours, step):
    """True if the only difference is a gradient of None on one side and of zero on the other. Neither is always right."""
    if not GRADIENTS.search(step.template) or step.fails:
        return False
    pairs = theirs.value, ours.value
    if not all(isinstance(each, tuple) for each in pairs):
        return False
    beside = [t if one is None else one for one, t in zip(*pairs) if (one is None) != (t is None)]
    return not any(float(abs(array_of(t)).sum()) for t in beside)


def everything(world):
    """Return the visible state of the tensors, and copies of their values."""
    return facts(world), [array_of(t) for t in world.tensors.values()]


def unchanged(before, after):
    """Did a step that failed change nothing?"""
    return before[0] == after[0] and all(map(partial(np.array_equal, equal_nan=True), before[1], after[1]))


def changed(before, after):
    """Return the differences, before and after."""
    names = [name for name in before if before[name] != after[name]]
    return [{name: seen[name] for name in names} for seen in (before, after)]


def show(error):
    return "no error" if error is None else f"{type(error).__name__}: {plain(error)}"


def compared(step, theirs, ours):
    """The first difference between the tensors of two worlds; if there is none, their values are made equal."""
    expected, found = facts(theirs), facts(ours)
    if expected != found:
        for name in expected:
            for fact, value in expected[name].items():
                if name not in found or found[name][fact] != value:
                    return Difference(step, fact, name, value, found.get(name, {}).get(fact))
    known = {name: TOLERANCE.get(str(t.dtype).removeprefix("torch."), 0) for name, t in theirs.tensors.items()}
    coarsest = max(known.values(), default=0)
    written = {}  # memory -> the tolerance of values that may have been written there
    for name, tolerance in known.items():
        block = expected[name].get("memory of")
        written[block] = max(written.get(block, 0), tolerance)
    if "out=" in step.text:
        coarsest = max(coarsest, TOLERANCE["float32"])  # the precision in which it was computed
    worst = coarsest if GRADIENTS.search(step.template) else 0  # a gradient depends on all of them
    for name, t in theirs.tensors.items():
        mine = ours.tensors[name]
        block = expected[name].get("memory of")
        here = worst if block is None or not t.is_floating_point() else max(worst, written[block])
        if not same(t, mine, here) and not (name in step.targets and any_order(step, theirs, t, mine)):
            if is_open(step, theirs) or nan_elsewhere(theirs, t):
                return OPEN
            return Difference(step, "value", name, array_of(t).tolist(), array_of(mine).tolist())
        if step.template == "second" and not is_leaf(t):
            continue  # a difference between two gradients comes from how the first was computed
        if expected[name]["grad"] is not None and not same(t.grad, mine.grad, coarsest):
            return Difference(step, "value of grad", name, array_of(t.grad).tolist(), array_of(mine.grad).tolist())
    return None


def any_order(step, world, theirs, ours):
    """Return True if both are indices that sort a tensor, apart from equal elements; then ours become PyTorch's.

    PyTorch's documentation leaves the order of equal elements undefined without ``stable=True``, and that of its vectorised
    sort depends on the width of the processor's registers.
    """
    if (found := SORTED.fullmatch(step.text)) is None or str(theirs.dtype) != "torch.int64":
        return False
    values, dim = array_of(world.names[found[1]]), int(found[2])
    expected, mine = array_of(theirs), array_of(ours)
    if values.ndim == 0 or values.shape[dim] <= INSERTED or values.shape != mine.shape:
        return False
    whole = np.sort(mine, dim) == np.sort(expected, dim)
    taken = [np.take_along_axis(values, indices, dim) for indices in (mine, expected)] if whole.all() else [0, 1]
    if not np.array_equal(*taken, equal_nan=values.dtype.kind == "f"):
        return False
    ours.array[...] = expected
    return True


def unnoticed(program, step):
    """True if the step differentiates a value that was written unnoticed (``.data``): a later derivative then differs."""
    before = program.steps[: program.steps.index(step)]
    return GRADIENTS.search(step.template) is not None and any(".data" in each.text for each in before)


def is_open(step, world):
    """Did the step make a write whose result PyTorch's documentation leaves undefined?

    That is a write into a tensor whose elements share memory ("in-place operations may result in incorrect behavior", say the
    pages of ``as_strided`` and ``expand``; with a stride of 0 they are refused), or an assignment of elements of a
    tensor to other elements of it: elements may be read after they were written.
    """
    if not step.statement and not WRITING.search(step.template):
        return False
    named = [t for name, t in world.tensors.items() if re.search(rf"\b{name}\b", step.text)]
    if any(in_one_place(t) for t in named):
        return True
    if (found := ASSIGNED.fullmatch(step.text)) is None or not {*found.groups()[1:]} <= world.tensors.keys():
        return False
    target, value = (world.names[name].untyped_storage().data_ptr() for name in found.groups()[1:])
    return target == value


def writes_itself(step, world):
    """True if the step assigns a tensor to itself. PyTorch mistakes a stride along one element for a partial overlap."""
    if (found := ASSIGNED.fullmatch(step.text)) is None or found[2] != found[3]:
        return False
    part, whole = eval(found[1], world.names), world.names[found[3]]
    return part.numel() == whole.numel() and part.data_ptr() == whole.data_ptr()


def nan_elsewhere(world, t):
    """Return True if the memory of ``t`` holds a nan of another dtype.  The bits of a nan depend on the processor."""
    block = t.untyped_storage().data_ptr()
    others = [
        o.detach() for o in world.tensors.values() if o.untyped_storage().data_ptr() == block and o.dtype != t.dtype
    ]
    return any(bool(o.isnan().any()) for o in others)


def in_one_place(t):
    """Do elements of the tensor share memory, other than by a stride of 0?"""
    if 0 in t.stride() or not t.numel():
        return False
    places = sum(np.multiply.outer(np.arange(n), s).reshape([-1 if d == i else 1 for i in range(t.ndim)])
                 for d, (n, s) in enumerate(zip(t.shape, t.stride())))  # fmt: skip
    return np.unique(places).size < t.numel()


def same(theirs, ours, least):
    """True if the values are equal within the tolerance of the dtype, or within ``least``; then ours become PyTorch's."""
    expected, found = array_of(theirs), array_of(ours)
    if expected.tobytes() == found.tobytes():
        return True
    tolerance = max(least, TOLERANCE.get(str(theirs.dtype).removeprefix("torch."), 0))
    if theirs.is_complex():  # PyTorch adds the second one times 1+0j, which makes nan of numbers with an infinite part
        expected, found = (np.where(np.isfinite(array), array, np.nan) for array in (expected, found))
    finite = abs(expected[np.isfinite(expected)])
    if not np.allclose(found, expected, tolerance, tolerance * max(1, finite.max(initial=0)), equal_nan=True):
        return False
    if ours.array.flags.writeable:
        ours.array[...] = array_of(theirs).astype(ours.array.dtype)
    return True


# ── many programs ────────────────────────────────────────────────────────────
def examples(theirs, number, start, visit, phases=(Phase.generate,)):
    """Draw ``number`` programs and show each of them to ``visit``."""

    @seed(start)
    @settings(max_examples=number, phases=phases, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(programs(theirs))
    def run(program):
        visit(program)

    run()


def shortest(program, is_there):
    """The program without steps that do not matter for the difference."""
    for number in reversed(range(len(program.steps))):
        shorter = program.without(number)
        if is_there(shorter):
            program = shorter
    return program


class Survey:
    """Kinds of differences in many programs, each with its shortest program."""

    def __init__(self, theirs, ours):
        self.theirs, self.ours, self.count, self.found, self.kinds = theirs, ours, 0, {}, Counter()
        self.steps = self.failing = 0

    def visit(self, program):
        self.count += 1
        self.steps += len(program.steps)
        self.failing += sum(step.fails for step in program.steps)
        for different in differences(program, self.theirs, self.ours):
            key = (different.kind, different.step.template)
            self.kinds[key] += 1
            if key not in self.found or len(program.steps) < len(self.found[key][0].steps):
                self.found[key] = program, different

    def report(self, texts):
        """Print the differences; return their number, without those of texts."""
        for key, times in self.kinds.most_common():
            if key[0] in APART and not texts:
                continue
            program, _ = self.found[key]
            program = shortest(program, lambda p, key=key: self.same(p, key) is not None)
            different = self.same(program, key)
            print(f"── {times} times: {different.kind} {different.where} after `{different.step}`")
            print(f"{program}\nPyTorch: {different.theirs}\ntensh:   {different.ours}\n")
        totals = Counter()
        for (kind, _), times in self.kinds.items():
            totals[kind if kind in APART else "other"] += times
        print(
            f"{self.count} programs, {self.steps} steps, {self.failing} of them errors: {totals['other']} differences; "
            f"counted apart: {totals['text']} of texts, {totals['layout']} of the layout of results"
        )
        return totals["other"]

    def same(self, program, key):
        """The difference of this kind in a program; None if there is none."""
        found = differences(program, self.theirs, self.ours)
        return next((d for d in found if (d.kind, d.step.template) == key), None)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first chunk of 1000 programs; the others follow")
    parser.add_argument("--texts", action="store_true", help="show the texts of errors that differ, too")
    options = parser.parse_args(arguments)
    survey = Survey(importlib.import_module("torch"), importlib.import_module("tensh"))
    survey.theirs.set_num_threads(1)
    left, start = options.examples, options.seed
    while left > 0:
        examples(survey.theirs, min(left, 1000), start, survey.visit)
        left, start = left - 1000, start + 1
    return bool(survey.report(options.texts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
