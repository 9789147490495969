"""Functions on distributed tensors: they compute with the parts where that is right, else with the gathered whole."""

import tensh as torch
from tensh._aten.calls import choose_overload
from tensh._aten.overloads import schemas
from tensh.distributed.tensor.dtensor import DTensor, distribute, like, make_whole, part
from tensh.distributed.tensor.exchanges import change, share, without_terms
from tensh.distributed.tensor.placement_types import Partial, Replicate, Shard
from tensh.distributed.tensor.terms import Call
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.dispatch.override.state import DisabledForClasses

OPERATORS = {
    "truediv": "div",
    "floordiv": "floor_divide",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
}
"""Python's operators -> the names of their functions, where these differ."""
ELEMENTWISE = set("dropout relu relu6 gelu silu elu selu celu leaky_relu hardtanh softplus sigmoid logsigmoid mish where clamp zero fill "
                  "threshold hardswish hardsigmoid alpha_dropout feature_alpha_dropout square".split())  # fmt: skip
KEEPING = set("detach clone contiguous to float double half bfloat16 int long bool type requires_grad_ zeros_like ones_like empty_like "
              "full_like rand_like randn_like detach_ cpu alias type_as".split())  # fmt: skip
FACTS = set("data_ptr element_size is_floating_point is_complex is_signed is_contiguous _is_view get_device __hash__ is_tensor is_inference "
            "is_shared retain_grad register_post_accumulate_grad_hook __dir__ untyped_storage has_names is_neg is_conj".split())  # fmt: skip
rules: dict = {}


def rule(*names):
    """Register a rule for functions of some names: ``rule(func, *args, **kwargs)``."""

    def register(function):
        rules.update(dict.fromkeys(names, function))
        return function

    return register


def answer(func, args, kwargs):
    """Compute a function of distributed tensors."""
    name = name_in_space(func)
    if name in ("__get__", "__set__", "__delete__") or name in FACTS:
        return ask(func, *args, **kwargs)
    if name in rules:
        return rules[name](func, *args, **kwargs)
    word, writes = spell(name)
    if writes and not args:  # functions of nn.init give all arguments by name
        first = next(iter(kwargs))
        args, kwargs = (kwargs[first],), {key: value for key, value in kwargs.items() if key != first}
    if name in KEEPING:
        return keep(func, *args, **kwargs)
    if word in rules and not writes:
        return rules[word](func, *args, **kwargs)
    if word in ELEMENTWISE or word in OPS and OPS[word].pointwise:
        return compute_elements(func, word, writes, args, kwargs)
    return compute_whole(func, writes, args, kwargs)


def spell(name):
    """Return (the name of a function without signs of its form, whether it writes into its first argument)."""
    word, writes = name.strip("_"), name.endswith("_") and not name.endswith("__")
    if name.startswith("__"):
        if word[0] == "i" and word[1:] in ("add", "sub", "mul", "truediv", "and", "or", "xor", "pow"):
            word, writes = word[1:], True
        elif word[0] == "r" and (word[1:] in OPS or word[1:] in OPERATORS):
            word = word[1:]
    return OPERATORS.get(word, word), writes


def ask(func, *args, **kwargs):
    """Call a function for the object itself."""
    with DisabledForClasses():
        return func(*args, **kwargs)


def find(value):
    """Yield the tensors of an argument."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from find(each)
    elif isinstance(value, dict):
        yield from find(list(value.values()))


def swap(value, replace):
    """Return an argument whose distributed tensors are replaced."""
    if isinstance(value, DTensor):
        return replace(value)
    if isinstance(value, (list, tuple)) and any(isinstance(each, DTensor) for each in find(value)):
        return type(value)(swap(each, replace) for each in value)
    return value


def require_one_kind(name, args, kwargs):
    """Return the first distributed tensor.  Raise RuntimeError for ordinary tensors with dimensions, and for two meshes."""
    found = list(find([args, kwargs]))
    first = next(each for each in found if isinstance(each, DTensor))
    for each in found:
        if not isinstance(each, DTensor) and each.ndim:
            raise RuntimeError(
                f"aten.{name_operator(name, args, kwargs)} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor "
                "to DTensor before calling distributed operators!"
            )
        if isinstance(each, DTensor) and each.device_mesh != first.device_mesh:
            raise RuntimeError(f"aten.{name_operator(name, args, kwargs)} got DTensors of different device meshes")
    return first


def name_operator(name, args, kwargs):
    """Return PyTorch's name of an operator, such as "add.Tensor"."""
    found = choose_overload(name, args, kwargs) if name in schemas() else ()
    return found[0].__name__ if found else f"{name}.default"


def reach(tensor, placements):
    """Return the part of a tensor in other placements, differentiably."""
    return change(part(tensor), tensor.device_mesh, tensor.shape, tensor.placements, placements)


# ── the whole ────────────────────────────────────────────────────────────────
def compute_whole(func, writes, args, kwargs):
    """Call a function with the gathered tensors; its tensors are replicas, and writes go back into the parts."""
    first = require_one_kind(spell(name_in_space(func))[0], args, kwargs)
    mesh = first.device_mesh
    everywhere = (Replicate(),) * mesh.ndim
    args, kwargs = list(args), dict(kwargs)
    target = args[0] if writes else kwargs.get("out")
    if isinstance(target, DTensor):
        require_no_record(func.__name__, target)
    found = func(*[swap(each, lambda t: reach(t, everywhere)) for each in args],
                 **{key: swap(each, lambda t: reach(t, everywhere)) for key, each in kwargs.items()})  # fmt: skip
    if isinstance(target, DTensor):
        with torch.no_grad():
            part(target, True).copy_(change(found.detach(), mesh, target.shape, everywhere, target.placements))
        return target
    return wrap_all(found, lambda t: distribute(t, mesh, everywhere, t.shape))


def require_no_record(name, target):
    """Raise RuntimeError for a write of the whole that would have to be recorded, or whose parts are terms of a sum."""
    refuse_terms(Call(name.strip("_"), [target], []), target)
    if target.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(
            f"{name}: this write into a DTensor that requires grad cannot be recorded; use torch.no_grad()"
        )


def wrap_all(value, wrap):
    """Turn the tensors of a result into distributed tensors."""
    if isinstance(value, torch.Tensor):
        return wrap(value.view_as(value) if value._base is None and value.is_leaf and value.requires_grad else value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)([wrap_all(each, wrap) for each in value])
    if isinstance(value, (list, tuple)):
        return type(value)(wrap_all(each, wrap) for each in value)
    return value


# ── elements ─────────────────────────────────────────────────────────────────
def compute_elements(func, word, writes, args, kwargs):
    """Call an elementwise function with parts, which meet in the placements of a shard or of terms, or of what is written."""
    first = require_one_kind(word, args, kwargs)
    given = [each for each in find([args, kwargs]) if isinstance(each, DTensor)]
    mesh, shape = first.device_mesh, torch.broadcast_shapes(*[each.shape for each in given])
    call = Call(word, given, [each for each in [*args[1:], *kwargs.values()] if not isinstance(each, DTensor)])
    if writes:
        refuse_terms(call, args[0])
        target = args[0].placements
    else:
        target = tuple(meet(call, number, len(shape)) for number in range(mesh.ndim))
    places = iter(range(len(given)))  # one tensor can be two operands

    def take(tensor):
        place = next(places)
        return part(tensor, True) if writes and place == 0 else prepare(call, place, target, len(shape))

    found = func(*[swap(each, take) for each in args], **{key: swap(each, take) for key, each in kwargs.items()})
    if writes:
        return args[0]
    return wrap_all(found, lambda t: distribute(t, mesh, target, shape))


def refuse_terms(call, target):
    """Raise RuntimeError for a write into terms by a function that does not keep them."""
    if call.word != "zero" and any(each.is_partial() and not call.keeps(each, 0) for each in target.placements):
        raise RuntimeError(
            f"aten.{call.word}_.default: in-place operations that require placement changes are not supported. The input has placement "
            f"{target.placements}, but no valid strategy preserves this placement. Please use the out-of-place version of this "
            "operation instead."
        )


def meet(call, number, ndim):
    """Return the placement in which operands meet on a dimension of the mesh: of the first shard, or terms, or replicas."""
    for each in call.given:
        placement = each.placements[number]
        if isinstance(placement, Shard):
            return Shard(placement.dim + ndim - each.ndim)
    place = call.find_kept(number)
    return Replicate() if place is None else call.given[place].placements[number]


def prepare(call, place, target, ndim):
    """Return the part of an operand that meets others in placements of the result; what is repeated there is a replica."""
    tensor, wanted, shared = call.given[place], list(target), {}
    for number, placement in enumerate(target):
        if isinstance(placement, Shard):
            dim = placement.dim - (ndim - tensor.ndim)
            is_repeated = dim < 0 or tensor.shape[dim] == 1
            wanted[number] = Replicate() if is_repeated else Shard(dim)
            shared |= {number: "sum"} if is_repeated else {}
        elif (
            isinstance(placement, Partial)
            and place != call.find_kept(number)
            and not call.adds_terms(placement.reduce_op)
        ):
            wanted[number] = Replicate()
            shared[number] = placement.reduce_op
    local = reach(tensor, tuple(wanted))
    for number, operation in shared.items():
        local = share(local, tensor.device_mesh, number, operation)
    return local


def keep(func, input, *args, **kwargs):
    """Call a function of one tensor with its part; the result has its placements, unless it needs the whole of terms."""
    if func.__name__.endswith("_"):  # about the object, not its elements
        ask(func, input, *args, **kwargs)
        return input
    local = part(input)
    found = func(local, *[part(each) for each in args], **kwargs)
    if found is local:
        return input
    if not isinstance(found, torch.Tensor):
        return found
    if any(each.is_partial() for each in input.placements) and not keeps_terms(func.__name__, input, found):
        whole = without_terms(input.placements)
        return like(input, func(reach(input, whole), *[part(each) for each in args], **kwargs), whole)
    return like(input, found)


def keeps_terms(name, input, found):
    """Return True if a function of terms gives terms: not of copies of maxima, of other elements, or of rounded terms."""
    if name.endswith("_like"):
        return name == "zeros_like"
    if name == "clone":
        return all(each.reduce_op == "sum" for each in input.placements if each.is_partial())
    return found.is_floating_point() or found.is_complex() or found.dtype == part(input).dtype


# ── sums ─────────────────────────────────────────────────────────────────────
@rule("sum")
def add_up(func, input, dim=None, keepdim=False, *, dtype=None):
    """Sum the parts; along a dimension that is cut, the results are terms."""
    dims = (
        range(input.ndim)
        if dim is None or dim == ()
        else [d % input.ndim for d in ([dim] if isinstance(dim, int) else dim)]
    )
    source = [Replicate() if each.is_partial() and each.reduce_op != "sum" else each for each in input.placements]
    placements = tuple(
        each if not isinstance(each, Shard) else Partial() if each.dim in dims
        else Shard(each.dim - (0 if keepdim else sum(d < each.dim for d in dims)))
        for each in source
    )  # fmt: skip
    shape = [1 if d in dims else n for d, n in enumerate(input.shape) if keepdim or d not in dims]
    local = reach(input, tuple(source))
    found = local.sum(dtype=dtype) if dim is None else local.sum(dim, keepdim, dtype=dtype)
    return like(input, found, placements, tuple(shape))


@rule("mean")
def average(func, input, dim=None, keepdim=False, *, dtype=None):
    """The sum divided by the number of elements of the whole."""
    found = add_up(func, input, dim, keepdim, dtype=dtype)
    return found / (input.numel() / max(found.numel(), 1))


# ── sizes and movement ───────────────────────────────────────────────────────
@rule("size")
def size(func, input, dim=None):
    return input.shape if dim is None else input.shape[dim]


@rule("numel", "nelement")
def count_elements(func, input):
    return input.shape.numel()


@rule("dim", "ndimension")
def count_dimensions(func, input):
    return len(input.shape)


@rule("__len__")
def length(func, input):
    return input.shape[0]


@rule("stride")
def stride(func, input, dim=None):
    steps = torch.empty(input.shape, device="meta").stride()
    return steps if dim is None else steps[dim]


@rule("t", "transpose", "swapaxes", "swapdims")
def transpose(func, input, dim0=0, dim1=1):
    """Exchange two dimensions of the parts."""
    if input.ndim < 2:
        return input
    order = list(range(input.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    placements = tuple(Shard(order.index(each.dim)) if isinstance(each, Shard) else each for each in input.placements)
    return like(input, part(input, True).transpose(dim0, dim1), placements, tuple(input.shape[d] for d in order))


@rule("copy_")
def copy(func, input, source, non_blocking=False):
    """Write another tensor's elements into the parts."""
    require_one_kind("copy_", (input, source), {})
    part(input, True).copy_(reach(source, input.placements) if isinstance(source, DTensor) else source)
    return input


@rule("item", "__float__", "__int__", "__bool__", "__index__", "__complex__")
def read(func, input):
    """Read the element of the whole."""
    return func(make_whole(input))


@rule("numpy")
def refuse_numpy(func, input, **options):
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


@rule("tolist")
def refuse_list(func, input):
    raise RuntimeError(".tolist() is not supported for tensor subclasses, got DTensor")


# ── autograd ─────────────────────────────────────────────────────────────────
@rule("backward")
def run_backward(func, input, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run a backward pass from the parts; the gradient of a term is that of the whole."""
    local = part(input)
    if gradient is None and input.numel() == 1:
        gradient = torch.ones_like(local.detach())
    torch.autograd.backward(local, part(gradient), retain_graph, create_graph, inputs=inputs)


@rule("register_hook")
def hook_gradient(func, input, hook):
    """Register a hook that receives the gradient as a distributed tensor."""
    return ask(func, input, lambda g: part(hook(input._gradient_like(g))))


DTensor.answer = staticmethod(answer)
