"""Calls that PyTorch and tensh both take, to be spoiled, and the types of PyTorch's errors for spoiled ones.

The calls come from PyTorch's own operator database, from the samples, layers,
optimizers and distributions of the other tests, and, for public names that none of these calls, from a few arguments
tried on the name.  Tensors among the arguments are written as ``t(SHAPE, DTYPE)``, or with their numbers where these matter.
"""

import inspect
import itertools
import warnings
from pathlib import Path

from tests.fuzz.wrong_calls import worker
from tests.fuzz.wrong_calls.compare import ANSWERS, recorded

HERE = Path(__file__).parent
EACH = {"function": 3, "method": 1, "in place": 1}
"""The number of recorded calls of an entry of the database, for each way to call it."""
LEFT_OUT = frozenset(
    """
    compile save load hub jit from_file set_default_dtype set_default_device set_default_tensor_type set_num_threads
    set_num_interop_threads set_printoptions set_flush_denormal set_warn_always set_deterministic_debug_mode
    set_float32_matmul_precision set_grad_enabled use_deterministic_algorithms seed manual_seed set_rng_state get_rng_state
    initial_seed autograd share_memory_ get_num_threads get_num_interop_threads get_file_path get_device_module
    import_ir_module typename thread_safe_generator library_is_available fork wait manual_seed_all
    cuda is_shared data_ptr untyped_storage storage typed_storage set_module unify_type_list
""".split()
)
"""Names whose calls change the state of the process, open files, or answer with an address."""
SPACES = ("torch", "torch.linalg", "torch.fft", "torch.special", "torch.nn.functional", "torch.signal.windows", "torch.func",
          "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn", "torch.autograd", "torch.autograd.functional",
          "torch.utils.data", "torch.distributions", "torch.distributions.constraints", "torch.distributions.transforms",
          "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.testing")  # fmt: skip
TRIED = (
    """
t((2, 3))|t((3, 3))|t((3,))|t(())|t((2, 2, 3))|t((1, 2, 4, 4))|t((3,), "int64")|t((2, 3), "bool")|t((2, 2), "complex64")
3|1|0|2.0|(2, 3)|[t((3,)), t((3,))]|torch.float32|[0, 1]|"mean"|True|torch.nn.Linear(3, 2)
torch.optim.SGD([t((3,))], lr=0.1)|lambda x: (x * x).sum()
""".strip()
    .replace("\n", "|")
    .split("|")
)
"""Arguments that are tried on names which nothing else calls."""
TRIED_TOGETHER = [(), *((each,) for each in TRIED), *itertools.product(["t((2, 3))", "t((3, 3))", "t((3,))", "1", "(2, 3)", "torch.float32",
                  "2.0", "[t((3,)), t((3,))]"], repeat=2)]  # fmt: skip


# ── from values to texts ─────────────────────────────────────────────────────
class NoText(Exception):
    """A value that has no short text."""


def text(torch, value):
    """A value as an expression; :class:`NoText` if it is too long or of no known kind."""
    if isinstance(value, torch.Tensor):
        return tensor_text(torch, value)
    if type(value) in (list, tuple) or isinstance(value, torch.Size):
        inside = ", ".join(text(torch, each) for each in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return str(value)
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, float) and value - value != 0:
        return f"float({str(value)!r})"
    if value is None or value is ... or type(value) in (bool, int, float, complex, str, slice):
        return "..." if value is ... else repr(value)
    raise NoText


def tensor_text(torch, value):
    dtype, shape = str(value.dtype).removeprefix("torch."), tuple(value.shape)
    if value.layout is not torch.strided or value.numel() > 400:
        raise NoText
    simple = dtype.startswith(("float", "bfloat", "complex", "bool"))
    if simple and (value.ndim != 2 or shape[0] != shape[1]) or value.numel() > 24:
        return f"t({shape})" if dtype == "float32" else f't({shape}, "{dtype}")'
    numbers = value.detach().resolve_conj().resolve_neg().tolist()
    return f"torch.tensor({rounded(numbers)}, dtype=torch.{dtype})"


def rounded(numbers):
    if isinstance(numbers, list):
        return f"[{', '.join(map(rounded, numbers))}]"
    if isinstance(numbers, complex):
        return f"complex({numbers.real:.3g}, {numbers.imag:.3g})"
    return f"{numbers:.3g}" if isinstance(numbers, float) else repr(numbers)


def arguments(torch, args, kwargs):
    return ", ".join([*(text(torch, each) for each in args), *(f"{k}={text(torch, v)}" for k, v in kwargs.items())])


# ── where calls come from ────────────────────────────────────────────────────
def of_the_database(torch):
    """Calls of the entries of PyTorch's operator database."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        for name in [op.name, *(alias.name for alias in op.aliases)]:
            yield from of_an_entry(torch, op, name)


def of_an_entry(torch, op, name):
    function = reachable(torch, f"torch.{name}")
    method, in_place = (reachable(torch, f"torch.Tensor.{name}{mark}") for mark in ("", "_"))
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64):
        if dtype in op.supported_dtypes("cpu"):
            break
    try:
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 60))
    except Exception:
        return
    found = {"function": [], "method": [], "in place": []}
    for sample in sorted(samples, key=lambda each: -len(each.args) - len(each.kwargs)):
        try:
            rest = arguments(torch, sample.args, sample.kwargs)
            first = text(torch, sample.input)
        except NoText:
            continue
        if function:
            found["function"].append(f"torch.{name}({', '.join(filter(None, [first, rest]))})")
        if isinstance(sample.input, torch.Tensor):
            found["method"] += [f"{first}.{name}({rest})"] if method else []
            found["in place"] += [f"{first}.{name}_({rest})"] if in_place else []
    for way, calls in found.items():
        calls = list(dict.fromkeys(calls))
        step = max(len(calls) // EACH[way], 1)
        yield from calls[::step][: EACH[way]]


def reachable(torch, path):
    """Return True if the path names a function in both libraries."""
    import tensh

    for thing in (torch, tensh):
        for name in path.split(".")[1:]:
            thing = getattr(thing, name, None)
        if not callable(thing):
            return False
    return True


def of_the_layers(torch):
    """Constructors and forward passes of layers."""
    import re

    from tests.recorded.layers import cases as layer_cases

    for layer, inputs in layer_cases.CASES:
        inputs, layer = (re.sub(r"(?<![\w.])(randn|rand|randint|zeros|ones|arange|tensor|full|empty|eye|linspace|nn(?=\.))\b", r"torch.\1", each)
                         for each in (inputs, layer))  # fmt: skip
        inputs, layer = (re.sub(r"(?<![\w.])(float64|bfloat16|half|complex64|int64|bool|float16|float32|long)\b(?!\()", r"torch.\1", each)
                         for each in (inputs, layer))  # fmt: skip
        layer = re.sub(r"(?<![\w.])([A-Z]\w+)\(", r"torch.nn.\1(", layer)
        yield f"{layer}({inputs})"


def of_the_optimizers(torch):
    from tests.recorded.optim import optimizers as optimizer_cases

    for name, settings in optimizer_cases.SETTINGS.items():
        for options in settings[:5]:
            given = "".join(f", {k}={v!r}" for k, v in options.items())
            yield f"torch.optim.{name}([t((3, 2)).requires_grad_()]{given})"


def of_the_distributions(torch):
    import re

    from tests.recorded.distributions import cases as distribution_tables

    def named(line):
        line = re.sub(r"(?<![\w.])([A-Z]\w+)\(", r"torch.distributions.\1(", line)
        line = re.sub(r"(?<![\w.])(tensor|eye|ones|zeros)\(", r"torch.\1(", line)
        return re.sub(r"(?<![\w.\"'])(float64|float32|float16|bfloat16|int64|inf|nan)\b(?!\()", r"torch.\1", line)

    for line, outcomes in distribution_tables.CASES.items():
        yield named(line)
        yield f"{named(line)}.log_prob({named(outcomes)})"


WRITTEN = """
torch.utils.data.TensorDataset(t((4, 2)), t((4,)))
torch.utils.data.DataLoader([1, 2, 3], batch_size=2, shuffle=True, num_workers=0, drop_last=False)
torch.utils.data.Subset([1, 2, 3], [0, 2])
torch.utils.data.ConcatDataset([[1, 2], [3]])
torch.utils.data.random_split([1, 2, 3], [1, 2])
torch.utils.data.RandomSampler([1, 2, 3], replacement=True, num_samples=2)
torch.utils.data.SequentialSampler([1, 2, 3])
torch.utils.data.WeightedRandomSampler([0.1, 0.9], 2, replacement=True)
torch.utils.data.SubsetRandomSampler([0, 1])
torch.utils.data.BatchSampler([0, 1, 2], 2, False)
torch.utils.data.default_collate([t((2,)), t((2,))])
torch.optim.lr_scheduler.StepLR(torch.optim.SGD([t((3,))], lr=0.1), 2, gamma=0.5)
torch.optim.lr_scheduler.MultiStepLR(torch.optim.SGD([t((3,))], lr=0.1), [2, 3], gamma=0.5)
torch.optim.lr_scheduler.ExponentialLR(torch.optim.SGD([t((3,))], lr=0.1), 0.9)
torch.optim.lr_scheduler.CosineAnnealingLR(torch.optim.SGD([t((3,))], lr=0.1), 5, eta_min=0.01)
torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([t((3,))], lr=0.1), lambda epoch: 0.9)
torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD([t((3,))], lr=0.1, momentum=0.9), 0.5, total_steps=10)
torch.optim.lr_scheduler.ReduceLROnPlateau(torch.optim.SGD([t((3,))], lr=0.1), "min", factor=0.5, patience=2)
torch.optim.lr_scheduler.LinearLR(torch.optim.SGD([t((3,))], lr=0.1), start_factor=0.5, total_iters=4)
torch.func.vmap(lambda x: x * 2, in_dims=0, out_dims=0)(t((3, 2)))
torch.func.grad(lambda x: (x * x).sum(), argnums=0)(t((3,)))
torch.func.jacrev(lambda x: x * x, argnums=0)(t((3,)))
torch.func.jacfwd(lambda x: x * x, argnums=0)(t((3,)))
torch.func.hessian(lambda x: (x * x).sum())(t((3,)))
torch.func.vjp(lambda x: x * x, t((3,)))
torch.func.jvp(lambda x: x * x, (t((3,)),), (t((3,)),))
torch.autograd.grad(t((3,)).requires_grad_().sum(), [t((3,)).requires_grad_()], allow_unused=True)
torch.nn.utils.clip_grad_norm_([t((3,)).requires_grad_()], 1.0, norm_type=2.0)
torch.nn.utils.parameters_to_vector([t((3,)), t((2,))])
torch.nn.utils.vector_to_parameters(t((5,)), [t((3,)), t((2,))])
torch.nn.utils.rnn.pad_sequence([t((3,)), t((2,))], batch_first=True, padding_value=0.0)
torch.nn.utils.rnn.pack_padded_sequence(t((4, 2, 3)), [4, 2], batch_first=False)
torch.nn.utils.rnn.pack_sequence([t((3, 2)), t((2, 2))])
torch.nn.utils.weight_norm(torch.nn.Linear(3, 2), "weight", 0)
torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())(t((4, 3)))
torch.nn.ModuleList([torch.nn.Linear(3, 2)])
torch.nn.ModuleDict({"a": torch.nn.Linear(3, 2)})
torch.nn.ParameterList([t((3,))])
torch.nn.Parameter(t((3,)), requires_grad=True)
torch.tensor([1.0, 2.0], dtype=torch.float32, device="cpu", requires_grad=True)
torch.as_tensor([1, 2], dtype=torch.int64)
torch.asarray([1, 2], dtype=torch.int64, copy=True)
torch.from_numpy(np.ones((2, 3)))
torch.frombuffer(bytearray(16), dtype=torch.float32, count=2, offset=4)
torch.Tensor(2, 3)
torch.FloatTensor([1, 2])
torch.Generator(device="cpu")
torch.Size([2, 3])
torch.device("cpu", 0)
torch.arange(0, 10, 2, dtype=torch.int64)
torch.range(0, 10, 2)
torch.zeros(2, 3, dtype=torch.float32, device="cpu")
torch.randint(0, 10, (2, 3), dtype=torch.int64)
torch.randperm(5)
torch.normal(0.0, 1.0, (2, 3))
torch.combinations(t((4,)), r=2, with_replacement=True)
torch.cartesian_prod(t((2,)), t((3,)))
torch.einsum("ij,jk->ik", t((2, 3)), t((3, 2)))
torch.bartlett_window(5, periodic=True)
torch.hann_window(5, True, dtype=torch.float64)
torch.kaiser_window(5, True, 12.0)
torch.tril_indices(3, 3, 0)
torch.vander(t((3,)), 3, increasing=True)
torch.can_cast(torch.int64, torch.float32)
torch.promote_types(torch.int64, torch.float32)
torch.result_type(t((3,)), 1.0)
torch.finfo(torch.float32)
torch.iinfo(torch.int64)
torch.is_tensor(t((3,)))
torch.broadcast_shapes((2, 1), (1, 3))
t((3, 2)).to(torch.float64, non_blocking=False, copy=True)
t((3, 2)).type(torch.float64)
t((3, 2)).requires_grad_().sum().backward(gradient=None, retain_graph=True)
t((3, 2)).set_(t((4,)).untyped_storage(), 0, (2,), (1,))
t((3, 2)).set_(t((4,)))
t((3, 2)).__getitem__((slice(0, 2), 1))
t((3, 2)).__getitem__(torch.tensor([0, 2]))
t((3, 2)).__setitem__((slice(0, 2), 1), 2.0)
t((3, 2)).index_put((torch.tensor([0, 1]), torch.tensor([1, 1])), t((2,)), accumulate=True)
t((3, 2)).new_tensor([1, 2], dtype=torch.float32)
t((3, 2)).apply_(lambda x: x)
t((3, 2)).map_(t((3, 2)), lambda x, y: x)
t((3, 2)).resize_(4, 2)
t((3, 2)).new_zeros((2, 3), dtype=torch.int64)
t((3, 2)).requires_grad_().retain_grad()
t((3, 2)).detach().requires_grad_().register_hook(lambda g: g)
t((3, 2)).split([1, 2], dim=0)
t((3, 2)).stride(0)
t((3, 2)).size(0)
t((3, 2)).numpy(force=True)
t((3, 2)).unflatten(0, (3, 1))
t((3, 2)).uniform_(0.0, 1.0)
t((3, 2)).random_(0, 4)
t((3, 2)).normal_(0.0, 1.0)
t((3, 2)) + t((3, 2))
t((3, 2)) @ t((2, 3))
t((3, 2)) ** 2
t((3, 2)) / 2
t((3, 2), "int64") // 2
t((3, 2), "int64") % 2
t((3, 2), "int64") << 2
t((3, 2), "bool") & True
t((3, 2)) < 2
t((3, 2)) == 2
2 - t((3, 2))
2 ** t((3, 2))
"""


def of_names(torch, known):
    """Calls of public names that nothing in ``known`` calls: the first arguments that both libraries take."""
    import tensh

    called = {line.partition("(")[0] for line in known}
    methods = {line.partition("(")[0].rpartition(".")[2] for line in known}
    methods |= {part.partition("(")[0] for line in known for part in line.split(").")[1:]}
    for space in SPACES:
        theirs, ours = (worker.resolve(module, space) for module in (torch, tensh))
        for name in sorted(set(dir(theirs)) & set(dir(ours))):
            wanted = not name.startswith("_") and name not in LEFT_OUT and f"{space}.{name}" not in called
            thing = getattr(theirs, name)
            if wanted and callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
                yield [f"{space}.{name}({', '.join(args)})" for args in TRIED_TOGETHER]
    for name in sorted(set(dir(torch.Tensor)) & set(dir(tensh.Tensor))):
        if not name.startswith("_") and name not in LEFT_OUT | methods and callable(getattr(torch.Tensor, name)):
            yield [f"{own}.{name}({', '.join(args)})" for args in TRIED_TOGETHER[:90] for own in TRIED[:2]]


def valid_calls():
    """The calls that both take."""
    import torch

    warnings.simplefilter("ignore")
    sources = of_the_database, of_the_layers, of_the_optimizers, of_the_distributions
    lines = [line for source in sources for line in source(torch)] + WRITTEN.strip().splitlines()
    lines = list(dict.fromkeys(line for line in lines if len(line) <= 300))
    tried = list(of_names(torch, lines))
    lines = taken(lines, True)
    found = dict.fromkeys(range(len(tried)))
    for start, end in ((0, 23), (23, None)):  # one argument does for most names
        open_names = [number for number, line in found.items() if line is None]
        good = set(taken([line for number in open_names for line in tried[number][start:end]]))
        for number in open_names:
            found[number] = next((line for line in tried[number][start:end] if line in good), None)
    lines += filter(None, found.values())
    missing = [calls[0].partition("(")[0] for calls, line in zip(tried, found.values(), strict=True) if line is None]
    print(f"{len(lines)} calls; none found of:", *missing)
    return lines


def taken(lines, tell=False):
    """The calls that both libraries take; ``tell`` of those that only PyTorch takes."""
    theirs = worker.answers("torch", lines)
    print("died:", *(line for line, answer in zip(lines, theirs, strict=True) if answer[0] == "died"), flush=True)
    kept = [line for line, answer in zip(lines, theirs, strict=True) if answer[0] == "ok"]
    ours = worker.answers("tensh", kept)
    for line, answer in zip(kept, ours, strict=True):
        if tell and answer[0] != "ok":
            print("only PyTorch:", line, answer)
    return [line for line, answer in zip(kept, ours, strict=True) if answer[0] == "ok"]


def record(wanted):
    if wanted("valid"):
        yield HERE / "valid.txt", "".join(f"{line}\n" for line in valid_calls())
    if wanted("errors"):
        calls = [call for _, call in recorded()]
        answers = zip(calls, worker.answers("torch", calls), strict=True)
        yield ANSWERS, "".join(f"{kind}\t{call}\n" for call, (kind, _) in answers)
