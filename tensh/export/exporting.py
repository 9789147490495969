"""torch.export.export: a module, run on examples, becomes an exported program."""

import operator

import tensh as torch
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.exporting import exporting
from tensh.export.conventions import follow_conventions
from tensh.export.dimensions.tracing import trace_sizes
from tensh.export.exported_program import ExportedProgram
from tensh.export.regions import wrap_regions
from tensh.func.trees import leaves_of
from tensh.fx.branches import walk_nodes
from tensh.nn.modules.module import Module
from tensh.tracing.program import trace_program
from tensh.tracing.reading import GuardOnDataDependentSymNode, refuse_reading
from tensh.tracing.sizes.checks import place_checks
from tensh.tracing.sizes.data_dependent import find_dependent, name_data_sizes
from tensh.tracing.sizes.declared import AdditionalInputs, ShapesCollection, combine, read_dynamic_shapes
from tensh.tracing.sizes.dims import ConstraintViolationError, UserError
from tensh.tracing.sizes.dynamic import (
    fold_sizes,
    verify_numbers,
)
from tensh.tracing.sizes.nodes import place_sizes
from tensh.tracing.sizes.whole_slices import leave_out_slices
from tensh.utils import _pytree

__all__ = ["export", "export_for_training", "register_dataclass"]


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
        dynamic_shapes: argument -> {dimension: ``Dim`` or ``Dim.AUTO``}, or a tuple in the order of the
            arguments; all other sizes must be those of the example, which the program checks.
        preserve_module_call_signature: paths of submodules that ``torch.export.unflatten`` gives their own arguments and
            results again, so that others can take their places.

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
    if any(each.__name__ == "ScriptModule" for each in type(mod).__mro__):
        raise ValueError(
            "Exporting a ScriptModule is not supported. Maybe try converting your ScriptModule to an ExportedProgram using "
            "`TS2EPConverter(mod, args, kwargs).convert()` instead."
        )
    before, exporting.now = exporting.now, True
    try:
        program = trace_module(mod, args, kwargs, dynamic_shapes, tuple(preserve_module_call_signature))
        exporting.fixed = find_fixed(program.graph)
        if exporting.fixed:
            program = trace_module(mod, args, kwargs, dynamic_shapes, tuple(preserve_module_call_signature))
        return program
    except (UserError, ConstraintViolationError, GuardOnDataDependentSymNode) as error:
        error.args = (f"{error}\n\n{DRAFT}",)
        raise
    finally:
        exporting.now, exporting.fixed = before, frozenset()


def find_fixed(graph):
    """Return the numbers of the comparisons in a trace that have one outcome: all of their sizes are fixed."""
    return {
        node.meta["comparison"] for node in walk_nodes(graph) if "comparison" in node.meta and not node.all_input_nodes
    }


DRAFT = (
    "The error above occurred when calling torch.export.export. If you would like to view some more information about this error, and "
    "get a list of all other errors that may occur in your export call, you can replace your `export()` call with `draft_export()`."
)


def trace_module(mod, args, kwargs, shapes, preserved=()):
    """Return the ``ExportedProgram`` of a module."""
    args, kwargs = read_inputs(mod, args, kwargs, preserved)
    if isinstance(shapes, (ShapesCollection, AdditionalInputs)):
        shapes = shapes.dynamic_shapes(mod, args, kwargs)
    dynamic = (
        read_dynamic_shapes(mod, args, kwargs, shapes) if shapes is not None and shapes not in ({}, (), []) else {}
    )
    require_basic_types(args, kwargs)

    def trace(shift, sizes=False):
        return trace_program(mod, args, kwargs, sizes, on_read=refuse_reading, shift=shift, preserved=preserved)

    if dynamic:
        program, dynamic, ranges = trace_sizes(mod, args, kwargs, dynamic, preserved, trace)
    else:
        ranges, program = {}, trace(0)
    if not dynamic and find_dependent(program.graph):
        program = trace(0, True)
        fold_sizes(program, program)
        leave_out_slices(program, {})
    verified = verify_numbers(program, trace)
    program = program if dynamic else verified
    if dynamic:
        place_sizes(program, dynamic)
    require_known_results(program.result)
    place_checks(program)
    name_data_sizes(program)
    follow_conventions(program)
    wrap_regions(program.graph, mode.grad is True)
    return ExportedProgram.from_trace(program, dynamic, ranges, (args, kwargs))


def read_inputs(mod, args, kwargs, preserved):
    """Return the arguments of the example as a tuple and a dict; raise an error for those that do not fit the module.

    ``preserved`` are paths of submodules: one that is unknown raises AttributeError.
    """
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    combine(mod, args, {} if kwargs is None else kwargs)  # TypeError for arguments that do not fit
    for path in preserved:
        operator.attrgetter(path)(mod)
    return tuple(args), dict(kwargs or {})


export_for_training = export


def register_dataclass(cls, *, serialized_type_name=None):
    """Let a data class be an argument or a result of exported programs; its fields are their inputs and outputs.

    ``serialized_type_name`` is the name of the class in files. Raise ValueError for another class.

    >>> import tensh as torch, dataclasses
    >>> @dataclasses.dataclass
    ... class Point:
    ...     x: torch.Tensor
    ...     y: torch.Tensor
    >>> torch.export.register_dataclass(Point)
    >>> class Sum(torch.nn.Module):
    ...     def forward(self, point):
    ...         return point.x + point.y
    >>> program = torch.export.export(Sum(), (Point(torch.ones(2), torch.ones(2)),))
    >>> program.graph_signature.user_inputs
    ('point_x', 'point_y')
    """
    _pytree.register_dataclass(cls, serialized_type_name=serialized_type_name)


BASIC = (
    Tensor,
    int,
    float,
    str,
    bool,
    complex,
    type(None),
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)
"""Types of arguments beside containers."""


def require_basic_types(args, kwargs):
    """Raise ValueError for an argument that is neither a tensor nor a plain value, such as an unknown class's instance."""
    for leaf in leaves_of((args, kwargs)):
        if not isinstance(leaf, BASIC):
            raise ValueError(
                f"Unsupported input type {type(leaf)}. Export only supports pytree containers of basic types (Tensor, int, float, ...) "
                "as input. To register a custom dataclass, use torch.export.register_dataclass. To register a custom container type, "
                "use torch.utils._pytree.register_pytree_node. To register a constant input, use "
                "torch.utils._pytree.register_constant"
            )


def require_known_results(result):
    """Raise RuntimeError for a result that is neither a tensor nor a plain value."""
    for leaf in leaves_of(result):
        if not isinstance(leaf, BASIC):
            raise RuntimeError(
                f"Found {type(leaf)} in output, which is not a known type. If this type holds tensors, you need to register a pytree "
                "for it. See https://github.com/pytorch/functorch/issues/475 for a brief explanation why. If you don't need to "
                "register a pytree, please leave a comment explaining your use case and we'll make this more ergonomic to deal with"
            )
