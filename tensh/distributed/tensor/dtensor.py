"""Distributed tensors: the part of this process as an object of another class, with the shape of the whole.

As with nested tensors, the object has the memory and the node of its part, so that optimizers update parts, and gradients
are those of parts (see Note [Gradients of parts] in exchanges.py).
"""

import tensh as torch
from tensh.distributed.device_mesh import DeviceMesh
from tensh.distributed.tensor.exchanges import change, cut, exchange, redirect, without_terms
from tensh.distributed.tensor.placement_types import Partial, Replicate, Shard, count_from_zero
from tensh.engine.dispatch.override.points import keep_armed
from tensh.engine.dispatch.override.state import DisabledForClasses
from tensh.engine.dispatch.override.twins import make_twin, make_view


class DTensor(torch.Tensor):
    """A tensor whose parts are on the processes of a mesh, made by ``distribute_tensor`` or ``DTensor.from_local``.

    For each dimension of ``device_mesh`` a placement says whether processes have parts (``Shard(dim)``), the whole
    (``Replicate()``) or terms of a sum (``Partial()``).  All processes must call the same functions.  Elementwise functions,
    linear layers, embeddings, layer norms and sums compute with parts; others with the whole, which is gathered first.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mesh = dist.device_mesh.init_device_mesh("cpu", (1,))
    >>> x = dist.tensor.distribute_tensor(torch.ones(2), mesh, [dist.tensor.Shard(0)])
    >>> (x + 1).full_tensor()
    tensor([2., 2.])
    >>> dist.destroy_process_group()
    """

    __module__ = "torch.distributed.tensor"
    answer = None  # computes a function of distributed tensors: set by rules.py

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.answer(func, args, kwargs or {})

    # ── parts ────────────────────────────────────────────────────────────────
    @staticmethod
    def from_local(
        local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None, grad_placements=None
    ):  # fmt: skip
        """Return a distributed tensor of the parts of all processes, differentiably.

        Without a ``shape`` all parts must have one size.  With ``run_check`` replicas become that of the first process.
        The gradients of the parts have ``grad_placements``, by default those of the tensor, with replicas for terms.
        """
        mesh = device_mesh or current_mesh()
        placements = complete(placements, mesh, local_tensor.ndim)
        if shape is None:
            shape = list(local_tensor.shape)
            for number, placement in enumerate(placements):
                if isinstance(placement, Shard):
                    shape[placement.dim] *= mesh.size(number)
        if run_check:
            spread(local_tensor.detach(), mesh, placements)
        local = local_tensor.view_as(local_tensor)
        if grad_placements is not None:
            wanted = complete(grad_placements, mesh, local_tensor.ndim)
            local = redirect(local, mesh, shape, without_terms(placements), wanted)
        return distribute(local, mesh, placements, tuple(shape))

    def to_local(self, *, grad_placements=None):
        """Return the part of this process, with its history.

        ``grad_placements`` say how the gradients of the parts belong together, by default as those of the tensor do.
        """
        local, mesh = part(self, True), self.device_mesh
        if grad_placements is None:
            return local
        return redirect(
            local, mesh, self.shape, complete(grad_placements, mesh, self.ndim), without_terms(self.placements)
        )

    @property
    def _local_tensor(self):
        """The part of this process."""
        return part(self)

    def full_tensor(self, *, grad_placements=None):
        """Return the whole tensor, differentiably; ``grad_placements`` are those of its gradient."""
        return self.redistribute(placements=[Replicate()] * self.device_mesh.ndim).to_local(
            grad_placements=grad_placements
        )

    def redistribute(
        self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None, backward_dtype=None
    ):
        """Return the tensor with other placements, differentiably.  Raise RuntimeError for ``Partial``."""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        mesh = device_mesh or self.device_mesh
        if mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        target = complete(placements, mesh, self.ndim)
        for old, wanted in zip(self.placements, target, strict=True):
            if isinstance(wanted, Partial) and old != wanted:
                raise RuntimeError(
                    f"Can not redistribute from {old} to {wanted}, redistributing to Partial is for internal use only!"
                )
        return distribute(change(part(self), mesh, self.shape, self.placements, target), mesh, target, self.shape)

    # ── facts ────────────────────────────────────────────────────────────────
    shape = property(lambda self: torch.Size(self._shape), doc="The size of each dimension of the whole tensor.")
    ndim = property(lambda self: len(self._shape), doc="The number of dimensions.")
    device_mesh = property(lambda self: self._mesh, doc="The mesh of processes.")
    placements = property(lambda self: self._placements, doc="A placement for each dimension of the mesh.")
    T = property(lambda self: self.t(), doc="The transpose of a matrix.")
    mT = property(lambda self: self.transpose(-2, -1), doc="The tensor with its last two dimensions transposed.")

    @property
    def data(self):
        """The tensor without history."""
        return self.detach()

    @data.setter
    def data(self, value):
        with DisabledForClasses():
            torch.Tensor.data.__set__(self, part(value))

    @property
    def grad(self):
        """The gradient that ``backward`` accumulated, a distributed tensor, or None."""
        with DisabledForClasses():
            found = torch.Tensor.grad.__get__(self)
        return None if found is None else self._gradient_like(found)

    @grad.setter
    def grad(self, value):
        with DisabledForClasses():
            torch.Tensor.grad.__set__(self, part(value))

    _grad = grad

    def _gradient_like(self, g):
        placements = tuple(Replicate() if isinstance(each, Partial) else each for each in self.placements)
        return distribute(make_twin(g), self.device_mesh, placements, self.shape)

    def __deepcopy__(self, memo):
        made = like(self, part(self).detach().clone())
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name not in made.__dict__})
        return memo.setdefault(id(self), made.requires_grad_(self.requires_grad))

    def __repr__(self, **options):
        return (
            f"DTensor(local_tensor={part(self).detach()}, device_mesh={self.device_mesh}, placements={self.placements})"
        )

    __str__ = __repr__

    def __format__(self, specification):
        return repr(self)


# ── objects and their parts ──────────────────────────────────────────────────
def part(value, is_view=False):
    """Return this process's part of a distributed tensor as an ordinary tensor; other values unchanged."""
    if not isinstance(value, DTensor):
        return value
    return make_view(value) if is_view else make_twin(value)


def distribute(local, mesh, placements, shape):
    """Turn a new tensor, the part of this process, into a distributed tensor."""
    keep_armed()
    local.__class__ = DTensor
    local._mesh, local._placements, local._shape = mesh, tuple(placements), tuple(shape)
    return local


def like(tensor, local, placements=None, shape=None):
    """Turn a part into a distributed tensor like another."""
    return distribute(
        local,
        tensor.device_mesh,
        tensor.placements if placements is None else placements,
        tensor.shape if shape is None else shape,
    )


def current_mesh():
    """Return the mesh of the innermost ``with`` statement.  Raise RuntimeError without one."""
    if not DeviceMesh.current:
        raise RuntimeError("No device mesh is currently active!")
    return DeviceMesh.current[-1]


def complete(placements, mesh, ndim):
    """Return a placement for each dimension of a mesh, with dimensions from 0.  Raise ValueError for another number."""
    if placements is None:
        return (Replicate(),) * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: {len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    for each in placements:
        if isinstance(each, Shard) and not -ndim <= each.dim < ndim:
            raise AssertionError(f"Sharding dim {each.dim} greater than tensor ndim {ndim}")
    return tuple(count_from_zero(each, ndim) for each in placements)


def spread(tensor, mesh, placements):
    """Send replicas from the first process along each dimension of the mesh that has them."""
    for number, placement in enumerate(placements):
        if not isinstance(placement, Partial):
            group = mesh.get_group(number)
            torch.distributed.broadcast(tensor, group=group, group_src=0)


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    """Return a distributed tensor with the elements of the first process's ``tensor``, as a leaf.

    With ``src_data_rank=None`` each process cuts its own tensor, without an exchange.  Raise ValueError for another number
    of placements than the mesh has dimensions.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mesh = dist.device_mesh.init_device_mesh("cpu", (1,))
    >>> dist.tensor.distribute_tensor(torch.ones(2), mesh).placements
    (Replicate(),)
    >>> dist.destroy_process_group()
    """
    mesh = device_mesh or current_mesh()
    placements = complete(placements, mesh, tensor.ndim)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh or tensor.placements != placements:
            raise ValueError(
                "Cannot distribute a DTensor with another device mesh or other placements: redistribute it"
            )
        return tensor
    whole = tensor.detach().clone(memory_format=torch.contiguous_format)
    if src_data_rank is not None:
        spread(whole, mesh, (Replicate(),) * mesh.ndim)
    for number, placement in enumerate(placements):
        if isinstance(placement, Shard):
            whole = cut(whole, mesh, number, placement.dim).clone()
        elif isinstance(placement, Partial) and mesh.get_coordinate()[number]:
            whole = torch.zeros_like(whole)
    return distribute(whole, mesh, placements, tensor.shape).requires_grad_(tensor.requires_grad)


def distribute_module(module, device_mesh=None, partition_fn=None, input_fn=None, output_fn=None):
    """Make the parameters and buffers of a module distributed tensors; return the module.

    ``partition_fn(name, submodule, mesh)`` may distribute those of each submodule, and the others become replicas;
    ``input_fn(module, inputs, mesh)`` and ``output_fn(module, outputs, mesh)`` change what goes in and out.  Raise
    RuntimeError for a module that is distributed already.
    """
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been called on this module!"
        )
    mesh = device_mesh or current_mesh()
    for name, each in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, each, mesh)
        replicate_rest(each, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda called, inputs: input_fn(called, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda called, inputs, outputs: output_fn(called, outputs, mesh))
    module._distribute_module_applied = True
    return module


def replicate_rest(module, mesh):
    """Replicate the parameters and buffers of a module that are not distributed."""
    for name, p in module._parameters.items():
        if p is not None and not isinstance(p, DTensor):
            module.register_parameter(name, torch.nn.Parameter(distribute_tensor(p.data, mesh), p.requires_grad))
    for name, each in module._buffers.items():
        if each is not None and not isinstance(each, DTensor):
            module._buffers[name] = distribute_tensor(each, mesh)


def make_whole(tensor):
    """Return the whole tensor without history, in all processes."""
    placements = (Replicate(),) * tensor.device_mesh.ndim
    return exchange(part(tensor).detach(), tensor.device_mesh, tensor.shape, tensor.placements, placements)
