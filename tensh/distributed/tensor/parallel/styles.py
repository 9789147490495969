"""Styles of parallel layers: how the parameters are cut, and the placements of what goes in and comes out."""

import contextlib
from abc import ABC, abstractmethod

import tensh as torch
from tensh.distributed.tensor.api import DTensor, distribute_module, distribute_tensor
from tensh.distributed.tensor.layer_rules import takes_plain_targets
from tensh.distributed.tensor.placement_types import Placement, Replicate, Shard, count_from_zero

HERE = "torch.distributed.tensor.parallel.style"


class ParallelStyle(ABC):
    """A way to make a module parallel; ``_apply(module, mesh)`` returns it."""

    __module__ = HERE
    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module, device_mesh):
        """Make a module parallel, and return it."""

    def __repr__(self):
        options = ", ".join(f"{name}={getattr(self, name)}" for name in self.OPTIONS)
        return f"{type(self).__name__}({options})"


def enter(value, mesh, layout, wanted):
    """Return an input as a distributed tensor in the placement that a module wants."""
    if not isinstance(value, DTensor):
        value = DTensor.from_local(value, mesh, (layout,))
    return value if value.placements == (wanted,) else value.redistribute(placements=(wanted,))


def leave(value, layout, is_local):
    """Return an output in a placement, as the part of this process if that is wanted."""
    wanted = count_from_zero(layout, value.ndim)
    value = value if value.placements == (wanted,) else value.redistribute(placements=(layout,))
    return value.to_local() if is_local else value


class CutLayer(ParallelStyle):
    """A style that cuts the parameters of a linear layer or an embedding."""

    OPTIONS = "input_layouts", "output_layouts", "use_local_output"
    CUTS: dict = {}  # class of a layer -> (name of a parameter -> its placement, the placement of the input that it wants)

    def __init__(self, input_layout, output_layout, use_local_output):
        self.input_layouts, self.output_layouts = (input_layout,), (output_layout,)
        self.use_local_output = use_local_output

    def _apply(self, module, device_mesh):
        kind = next((each for each in self.CUTS if isinstance(module, each)), None)
        if kind is None:
            raise NotImplementedError(f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!")
        cuts, wanted = self.CUTS[kind]

        def enter_layer(called, inputs, mesh):
            first, *others = inputs
            layout, target = (count_from_zero(each, first.ndim) for each in (self.input_layouts[0], wanted))
            return (enter(first, mesh, layout, target), *others)

        def leave_layer(called, outputs, mesh):
            return leave(outputs, self.output_layouts[0], self.use_local_output)

        def cut(name, layer, mesh):
            for key, p in layer.named_parameters(recurse=False):
                made = distribute_tensor(p.data, mesh, [cuts[key]], src_data_rank=self.src_data_rank)
                layer.register_parameter(key, torch.nn.Parameter(made, p.requires_grad))

        return distribute_module(module, device_mesh, cut, enter_layer, leave_layer)


class ColwiseParallel(CutLayer):
    """A layer cut by its outputs: each process computes some of them from the whole input.

    The input is a replica by default, and the output the part along the last dimension, as an ordinary tensor with
    ``use_local_output``.  Raise NotImplementedError for other layers than Linear and Embedding.

    >>> from tensh.distributed.tensor.parallel import ColwiseParallel
    >>> ColwiseParallel()
    ColwiseParallel(input_layouts=(Replicate(),), output_layouts=(Shard(dim=-1),), use_local_output=True)
    """

    __module__ = HERE
    CUTS = {
        torch.nn.Linear: ({"weight": Shard(0), "bias": Shard(0)}, Replicate()),
        torch.nn.Embedding: ({"weight": Shard(1)}, Replicate()),
    }

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        super().__init__(input_layouts or Replicate(), output_layouts or Shard(-1), use_local_output)


class RowwiseParallel(CutLayer):
    """A layer cut by its inputs: each process computes a term of all outputs from a part of the input.

    The input is the part along the last dimension by default, as ``ColwiseParallel`` leaves it, and the output the sum of
    all terms, as an ordinary tensor with ``use_local_output``.  Raise NotImplementedError for other layers than Linear and
    Embedding.

    >>> from tensh.distributed.tensor.parallel import RowwiseParallel
    >>> RowwiseParallel()
    RowwiseParallel(input_layouts=(Shard(dim=-1),), output_layouts=(Replicate(),), use_local_output=True)
    """

    __module__ = HERE
    CUTS = {
        torch.nn.Linear: ({"weight": Shard(1), "bias": Replicate()}, Shard(-1)),
        torch.nn.Embedding: ({"weight": Shard(0)}, Replicate()),
    }

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        super().__init__(input_layouts or Shard(-1), output_layouts or Replicate(), use_local_output)


class SequenceParallel(ParallelStyle):
    """A norm or dropout, of which each process computes a part of the sequence with whole parameters."""

    __module__ = HERE
    OPTIONS = "sequence_sharding", "use_local_output"

    def __init__(self, *, sequence_dim=1, use_local_output=False):
        self.sequence_sharding, self.use_local_output = (Shard(sequence_dim),), use_local_output

    def _apply(self, module, device_mesh):
        def enter_layer(called, inputs, mesh):
            if not isinstance(inputs[0], torch.Tensor):
                raise ValueError(f"expecting input of {called} to be a torch.Tensor or DTensor, but got {inputs[0]}")
            return (enter(inputs[0], mesh, self.sequence_sharding[0], self.sequence_sharding[0]), *inputs[1:])

        def leave_layer(called, outputs, mesh):
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, None, enter_layer, leave_layer)


def as_tuple(layouts):
    return (layouts,) if isinstance(layouts, Placement) else layouts


def arrange(values, layouts, wanted, mesh, is_local, what):
    """Return inputs or outputs in the placements that are wanted; those without a layout stay unchanged."""
    if len(values) != len(layouts):
        raise ValueError(f"module {what} and {what[:-1]}_layouts should have same length!")
    found = []
    for value, layout, target in zip(values, layouts, wanted, strict=True):
        if layout is not None and isinstance(value, torch.Tensor):
            value = enter(value, mesh, layout, target or layout)
            value = value.to_local() if is_local else value
        found.append(value)
    return tuple(found)


class PrepareModuleInput(ParallelStyle):
    """Change the placements of a module's inputs, given in ``input_layouts``, to ``desired_input_layouts``."""

    __module__ = HERE
    OPTIONS = "input_layouts", "desired_input_layouts", "use_local_output"

    def __init__(
        self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
        desired_input_kwarg_layouts=None, use_local_output=False,
    ):  # fmt: skip
        self.input_layouts, self.desired_input_layouts = as_tuple(input_layouts), as_tuple(desired_input_layouts)
        self.use_local_output = use_local_output
        if self.input_layouts is not None and self.desired_input_layouts is None:
            raise AssertionError("desired module inputs should not be None!")
        if self.input_layouts is not None and len(self.input_layouts) != len(self.desired_input_layouts):
            raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}

    def _apply(self, module, device_mesh):
        def enter_module(called, args, kwargs):
            if self.input_layouts is not None:
                given = self.input_layouts, self.desired_input_layouts
                args = arrange(args, *given, device_mesh, self.use_local_output, "inputs")
            for name, layout in self.input_kwarg_layouts.items():
                if name in kwargs:
                    wanted = [self.desired_input_kwarg_layouts.get(name)]
                    (kwargs[name],) = arrange(
                        [kwargs[name]], [layout], wanted, device_mesh, self.use_local_output, "inputs"
                    )
            return args, kwargs

        module.register_forward_pre_hook(enter_module, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    """Change the placements of a module's outputs, given in ``output_layouts``, to ``desired_output_layouts``."""

    __module__ = HERE
    OPTIONS = "output_layouts", "desired_output_layouts", "use_local_output"

    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        self.output_layouts, self.desired_output_layouts = as_tuple(output_layouts), as_tuple(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _apply(self, module, device_mesh):
        def leave_module(called, inputs, outputs):
            values = outputs if isinstance(outputs, tuple) else (outputs,)
            given = self.output_layouts, self.desired_output_layouts
            found = arrange(values, *given, device_mesh, self.use_local_output, "outputs")
            return found if isinstance(outputs, tuple) else found[0]

        module.register_forward_hook(leave_module)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """Change the placements of a module's inputs and outputs."""

    __module__ = HERE
    OPTIONS = "prepare_module_input", "prepare_module_output"

    def __init__(
        self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
        desired_input_kwarg_layouts=None, use_local_input=False, output_layouts, desired_output_layouts,
        use_local_output=True,
    ):  # fmt: skip
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts, desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )  # fmt: skip
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module, device_mesh):
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)


@contextlib.contextmanager
def loss_parallel():
    """A context in which targets of losses of classes can be ordinary tensors, of which all processes have the whole."""
    token = takes_plain_targets.set(True)
    try:
        yield
    finally:
        takes_plain_targets.reset(token)


loss_parallel.__module__ = "torch.distributed.tensor.parallel.loss"
