"""torch.export.export: a module, run on examples, becomes an exported program."""

import inspect

from tensh._aten.overloads import schemas
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.export.conventions import follow_conventions
from tensh.export.exported_program import ExportedProgram
from tensh.export.relations import choose_symbols, list_dimensions, relate, rename_sizes
from tensh.nn.modules.module import Module
from tensh.tracing.data_sizes import find_dependent, name_data_sizes
from tensh.tracing.dims import UserError
from tensh.tracing.dynamic import (
    Unnamed,
    fold_sizes,
    read_dynamic_shapes,
    trace_dynamic,
    verify_numbers,
)
from tensh.tracing.program import trace_program
from tensh.tracing.reading import refuse_reading

__all__ = ["export", "export_for_training"]


def export(
    mod,
    args,
    kwargs=None,
    *,
    dynamic_shapes=None,
    strict=False,
    preserve_module_call_signature=(),
    prefer_deferred_runtime_asserts_over_guards=False,
):
    """Run a module on example arguments and return an ``ExportedProgram``: its operators, weights and signature.

    Args:
        mod: the module; ``args`` and ``kwargs`` are an example of its arguments.
        dynamic_shapes: argument -> {dimension: ``Dim``, a name, or ``Dim.AUTO``}, or a tuple in the order of the
            arguments; all other sizes must be those of the example, which the program checks.

    Raise RuntimeError, with the line, if Python reads elements of a tensor, also if the program fixes a size
    declared as dynamic, and ValueError if ``mod`` is not a module.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch")
    >>> program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(2, 3),), dynamic_shapes={"input": {0: batch}})
    >>> print(program.graph_signature)
    <BLANKLINE>
    # inputs
    p_weight: PARAMETER target='weight'
    p_bias: PARAMETER target='bias'
    input: USER_INPUT
    <BLANKLINE>
    # outputs
    linear: USER_OUTPUT
    <BLANKLINE>
    >>> program.module()(torch.ones(5, 3)).shape
    torch.Size([5, 2])
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, (tuple, list)):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    args, kwargs = tuple(args), dict(kwargs or {})

    def trace(shift, sizes=False):
        return trace_program(mod, args, kwargs, sizes, on_read=refuse_reading, shift=shift)

    ranges = read_ranges(dynamic_shapes)
    if dynamic_shapes:
        check_names(mod, args, kwargs, dynamic_shapes)
        dynamic = read_dynamic_shapes(mod, args, kwargs, dynamic_shapes)
        try:
            program = trace_dynamic(mod, args, kwargs, dynamic, refuse_reading, ranges, apart=1, shift=0)
        except UserError as error:
            plain = trace_program(mod, args, kwargs, sizes=True, on_read=refuse_reading, shift=0)
            related = relate(mod, args, kwargs, dynamic, plain, refuse_reading, str(error))
            if related == dynamic:
                raise
            dynamic = related
            program = trace_dynamic(mod, args, kwargs, dynamic, refuse_reading, ranges, apart=1, shift=0)
        if not dynamic:
            program = trace(0)
        known = list_dimensions(mod, args, kwargs, dynamic)
        symbols = choose_symbols(known)
        dynamic = rename_sizes(program, dynamic, symbols)
        ranges = {
            symbol: (2, None) if isinstance(name, Unnamed) else ranges.get(name) for name, symbol in symbols.items()
        }
    else:
        dynamic, program = {}, trace(0)
    if not dynamic and find_dependent(program.graph):
        program = trace(0, True)
        fold_sizes(program, program)
    verified = verify_numbers(program, trace)
    program = program if dynamic else verified
    name_data_sizes(program)
    stop_gradients(program.graph)
    follow_conventions(program)
    return ExportedProgram.from_trace(program, dynamic, ranges, (args, kwargs))


export_for_training = export


def stop_gradients(graph):
    """Detach what enters a part that ran under ``no_grad``, so that gradients stop there as in the program."""
    detach, stopped = schemas()["detach"]["default"], {}
    for node in list(graph.nodes) if mode.grad else ():
        if not node.meta.get("no_grad"):
            continue
        written = node.args[0] if getattr(node.target, "_opname", "").endswith("_") else None
        for each in node.all_input_nodes:
            value = each.meta.get("val")
            if (
                each.meta.get("no_grad")
                or each is written
                or not isinstance(value, Tensor)
                or not value.is_floating_point()
            ):
                continue
            if each not in stopped:
                with graph.inserting_before(node):
                    stopped[each] = graph.call_function(detach, (each,))
                stopped[each].meta |= {**node.meta, "val": value}
            node.replace_input_with(each, stopped[each])


MORE = "For more information about this error, see: https://pytorch.org/docs/main/generated/exportdb/index.html#dynamic-shapes-validation"


def check_names(mod, args, kwargs, shapes):
    """Raise UserError unless ``dynamic_shapes`` names all arguments and no others, or has an entry for each."""
    try:
        bound = inspect.signature(mod.forward).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return
    names = list(bound.arguments)
    if any(each.kind is each.VAR_KEYWORD for each in bound.signature.parameters.values()):
        return
    if isinstance(shapes, dict) and shapes.keys() != set(names):
        raise UserError(
            f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names {names} of `inputs`, but "
            f"here they are {list(shapes)}. Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` "
            f"as a list/tuple matching `inputs`. {MORE}"
        )
    if isinstance(shapes, (tuple, list)) and len(shapes) != len(names):
        raise UserError(
            f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs` has {len(names)} elements, but "
            f"`dynamic_shapes` has {len(shapes)} elements\n{MORE}"
        )


def read_ranges(shapes):
    """Return name -> (smallest, largest size) of the dimensions that declare it."""
    found = {}

    def walk(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, (tuple, list)):
            for each in value:
                walk(each)
        elif value is not None and not isinstance(value, (str, int, Tensor)) and (value.min, value.max) != (None, None):
            found[value.__name__] = (value.min, value.max)
            root = getattr(value, "root", None)
            if root is not None:
                found[root.__name__] = (root.min, root.max)

    walk(shapes)
    return found
