"""functorch.compile: a function and its backward pass as two graphs, which the user's compilers turn into functions."""

import contextlib
import functools

import tensh as torch
from tensh.func.trees import flatten, unflatten
from tensh.functorch.partitioners import default_partition, min_cut_rematerialization_partition
from tensh.fx.branches import list_members
from tensh.fx.experimental.proxy_tensor import OperatorRecorder, make_fx
from tensh.fx.graph_module import GraphModule
from tensh.switched_off import lookup

__all__ = [
    "aot_function", "aot_module", "aot_module_simplified", "compiled_function", "compiled_module", "default_partition",
    "make_boxed_compiler", "make_boxed_func", "make_fx", "memory_efficient_fusion", "min_cut_rematerialization_partition",
    "nop", "print_compile", "ts_compile",
]  # fmt: skip


def nop(fx_g, _):
    """Return a graph module itself: the compiler that changes nothing."""
    return fx_g


def print_compile(fx_g, _):
    """Print the code of a graph module, and return it."""
    print(fx_g.code)
    return fx_g


def ts_compile(fx_g, inps):
    """Return a graph module, which runs as it is."""
    return fx_g


def make_boxed_func(f):
    """Return a function of a list of arguments, which it may empty."""

    def boxed(args):
        return f(*args)

    boxed._boxed_call = True
    return boxed


def make_boxed_compiler(compiler):
    """Return a compiler whose functions take a list of arguments."""

    def compile(fx_g, inps):
        return make_boxed_func(compiler(fx_g, inps))

    return compile


def aot_function(
    fn, fw_compiler, bw_compiler=None, partition_fn=default_partition, decompositions=None, num_params_buffers=0,
    keep_inference_input_mutations=False, inference_compiler=None, *, dynamic=False, enable_log=True, disable_functionalization=False,
):  # fmt: skip
    """Return a function that traces ``fn`` and its backward pass in its first call, and runs the compiled graphs.

    ``fw_compiler`` and ``bw_compiler`` take a graph module and its inputs and return a function; ``partition_fn``
    divides the graph of both passes. A call without gradients is compiled by ``inference_compiler``. Other shapes and
    dtypes are traced again.

    >>> import tensh as torch
    >>> from tensh.functorch.compile import aot_function, nop
    >>> x = torch.ones(2, requires_grad=True)
    >>> aot_function(lambda x: x.sin().sum(), nop)(x).backward()
    >>> x.grad
    tensor([0.5403, 0.5403])
    """
    known, bw_compiler = {}, bw_compiler or fw_compiler

    def prepare(*args, **kwargs):
        """Return (the compiled function, its arguments, the structure of its results)."""
        leaves, spec = flatten((args, kwargs))
        leaves = [int(each) if isinstance(each, torch.SymInt) else each for each in leaves]  # sizes of an example
        tensors = [each for each in leaves if isinstance(each, torch.Tensor)]
        recorded = torch.is_grad_enabled() and any(each.requires_grad for each in tensors)
        key = recorded, tuple(describe(each) for each in leaves)
        if key not in known:
            made = trace_both(fn, leaves, spec, recorded, decompositions or {})
            known[key] = compile_both(made, tensors, fw_compiler, bw_compiler, inference_compiler, partition_fn)
        call, structure = known[key]
        return call, tensors, structure

    def run(*args, **kwargs):
        call, tensors, structure = prepare(*args, **kwargs)
        return unflatten(list(call(*tensors)), structure)

    run.prepare = prepare
    return run


def describe(value):
    """Return what a traced graph depends on: the shape and dtype of a tensor; any other value itself."""
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.dtype, value.requires_grad, value.stride()
    return type(value), value


def trace_both(fn, leaves, spec, recorded, table):
    """Return the module of the graph of a function and its backward pass, and what its results are.

    These are their number and structure, the places of those that have a gradient, and examples of the gradients.
    """
    recorder, inputs = OperatorRecorder(table), []
    for each in leaves:
        if isinstance(each, torch.Tensor):
            value = each.detach().requires_grad_(recorded and each.requires_grad)
            each = recorder.add_input(value, f"primals_{len(inputs) + 1}" if recorded else f"arg{len(inputs)}_1")
            inputs.append(each)
        elif not isinstance(each, (bool, int, float, str, type(None))):
            raise TypeError(f"aot_function takes tensors and plain values, not {type(each).__name__}")
    given, place = [], iter(inputs)
    for each in leaves:
        given.append(next(place) if isinstance(each, torch.Tensor) else each)
    args, kwargs = unflatten(given, spec)
    with recorder, contextlib.nullcontext() if recorded else torch.no_grad():
        results, structure = flatten(fn(*args, **kwargs))
        found, tangents, differentiable = list(results), [], []
        if recorded:
            for node in recorder.graph.nodes:
                node.meta["in_forward"] = True
            differentiable = [
                n for n, each in enumerate(results) if isinstance(each, torch.Tensor) and each.requires_grad
            ]
            sources = [results[n] for n in differentiable]
            tangents = [add_tangent(recorder, each, number) for number, each in enumerate(sources, 1)]
            wanted = [each for each in inputs if each.requires_grad]
            grads = iter(torch.autograd.grad(sources, wanted, tangents, allow_unused=True))
            found += [next(grads) if each.requires_grad else None for each in inputs]
    recorder.graph.output([recorder.node_of(each) for each in found])
    module = GraphModule(list_members(recorder.graph), recorder.graph, "joint_helper" if recorded else "GraphModule")
    return module, len(results), structure, differentiable, [each.value for each in tangents]


def add_tangent(recorder, result, number):
    last = recorder.graph.find_nodes(op="placeholder")[-1]
    with recorder.plainly(), recorder.graph.inserting_after(last):
        return recorder.add_input(torch.ones_like(result.value).detach(), f"tangents_{number}")


def compile_both(made, tensors, fw_compiler, bw_compiler, inference_compiler, partition_fn):
    """Return (the function of the tensors, the structure of its results)."""
    module, count, structure, differentiable, tangents = made
    values = [each.detach() for each in tensors]
    if not tangents:
        output = module.graph.output_node()
        output.args = (tuple(output.args[0][:count]),)
        module.recompile()
        return box((inference_compiler or fw_compiler)(module, values)), structure
    forward_module, backward_module = partition_fn(module, [values, tangents], num_fwd_outputs=count)
    forward = box(fw_compiler(forward_module, values))
    with torch.no_grad():
        saved = list(forward_module(*values))[count:]

    @functools.cache
    def compile_backward():
        """Compile the backward pass when the first one begins, as PyTorch does."""
        return box(bw_compiler(backward_module, [*saved, *tangents]))

    class CompiledFunction(torch.autograd.Function):
        @staticmethod
        def forward(context, *inputs):
            with torch.no_grad():
                found = list(forward(*inputs))
            context.kept = found[count:]
            context.mark_non_differentiable(
                *(t for n, t in enumerate(found[:count]) if isinstance(t, torch.Tensor) and n not in differentiable)
            )
            return tuple(found[:count])

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, *given):
            given = [g for number, g in enumerate(given) if number in differentiable]
            return tuple(compile_backward()(*context.kept, *given))

    return CompiledFunction.apply, structure


def box(function):
    """Return a compiler's function as one of separate arguments."""
    return (lambda *args: function(list(args))) if getattr(function, "_boxed_call", False) else function


def aot_module(mod, *args, **kwargs):
    """Return a module whose forward is compiled by ``aot_function``; the parameters and buffers are those of ``mod``."""
    names = [name for name, _ in (*mod.named_parameters(), *mod.named_buffers())]
    call = aot_function(
        lambda state, *given, **named: torch.func.functional_call(mod, state, given, named), *args, **kwargs
    )

    class AOTModule(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.orig_module = mod

        def forward(self, *given, **named):
            state = dict(mod.named_parameters()) | dict(mod.named_buffers())
            return call({name: state[name] for name in names}, *given, **named)

    return AOTModule()


def aot_module_simplified(
    mod, args, fw_compiler, bw_compiler=None, partition_fn=default_partition, decompositions=None, **options
):
    """Trace a module on example arguments, compile its graphs, and return the function that runs them.

    The parameters and buffers of ``mod`` are the first inputs of the graphs; the compilers and ``options`` are those of
    ``aot_function``.

    >>> import tensh as torch
    >>> from tensh.functorch.compile import aot_module_simplified, nop
    >>> module = torch.fx.symbolic_trace(torch.nn.ReLU())
    >>> aot_module_simplified(module, (torch.ones(2),), nop)(-torch.ones(2))
    tensor([0., 0.])
    """
    state = dict(mod.named_parameters()) | dict(mod.named_buffers())
    call = aot_function(
        lambda values, *given: torch.func.functional_call(mod, dict(zip(state, values)), given),
        fw_compiler,
        bw_compiler,
        partition_fn,
        decompositions,
        **{name: each for name, each in options.items() if name == "inference_compiler"},
    )
    call.prepare(list(state.values()), *args)

    def run(*given):
        return call(list(state.values()), *given)

    return run


class AotAutograd:
    """A back end of ``torch.compile`` that compiles the graphs of both passes; arguments are ``aot_module_simplified``'s."""

    __module__ = "torch._dynamo.backends.common"

    def __init__(self, **kwargs):
        self.__name__, self.kwargs = "compiler_fn", kwargs

    def __call__(self, gm, example_inputs, **kwargs):
        """Compile a graph module."""
        return aot_module_simplified(gm, example_inputs, **self.kwargs | kwargs)


def aot_autograd(**kwargs):
    """Return a back end that compiles the ``aten`` graphs of both passes with ``fw_compiler`` and ``bw_compiler``.

    >>> import tensh as torch
    >>> from tensh.functorch.compile import aot_autograd, nop
    >>> f = torch.compile(lambda x: x.sin().sum(), backend=aot_autograd(fw_compiler=nop))
    >>> x = torch.zeros(2, requires_grad=True)
    >>> f(x).backward()
    >>> x.grad
    tensor([1., 1.])
    """
    return AotAutograd(**kwargs)


compiled_function, compiled_module = aot_function, aot_module


def memory_efficient_fusion(fn, **kwargs):
    """Return a function or module that saves as little as possible for its backward pass, and computes the rest again."""
    options = {
        "fw_compiler": ts_compile,
        "bw_compiler": ts_compile,
        "partition_fn": min_cut_rematerialization_partition,
    }
    make = aot_module if isinstance(fn, torch.nn.Module) else aot_function
    return make(fn, **options | kwargs)


__getattr__ = lookup("functorch.compile")
