"""torch.distributed.device_mesh: an array of processes, with a process group for each row of each dimension."""

import math

import tensh as torch
from tensh.distributed.groups import _world, get_rank, get_world_size, init_process_group, is_initialized, new_group
from tensh.distributed.groups import group as groups
from tensh.switched_off import lookup

__all__ = ["DeviceMesh", "init_device_mesh"]

__getattr__ = lookup("torch.distributed.device_mesh")


class DeviceMesh:
    """An array of ranks, whose dimensions are kinds of parallelism.

    ``mesh`` is an array of ranks, in which every process must make the mesh with the same arguments.  A slice by names of
    dimensions is the part of the mesh in which this process is.  Raise RuntimeError for names that repeat.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> torch.distributed.device_mesh.DeviceMesh("cpu", [[0]], mesh_dim_names=("data", "tensor"))
    DeviceMesh((data=1, tensor=1), 'cpu', stride=((), ()))
    >>> dist.destroy_process_group()
    """

    __module__ = "torch.distributed.device_mesh"
    current = []  # the meshes of ``with`` statements, outermost first

    def __init__(self, device_type, mesh=None, *, mesh_dim_names=None, backend_override=None, _init_backend=True):
        if not is_initialized():
            init_process_group("gloo")
        self.device_type, self.mesh = device_type, torch.as_tensor(mesh, dtype=torch.int32)
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        self._root, self._dims = self, tuple(range(self.mesh.ndim))
        self._strides = self.mesh.contiguous().stride()
        self._groups = [self._make_group((dim,)) for dim in range(self.ndim)]

    def _make_group(self, dims):
        """Make a group for each row along some dimensions, in the same order in all processes; return this process's."""
        rest = [dim for dim in range(self.ndim) if dim not in dims]
        rows = self.mesh.permute(*rest, *dims).reshape(-1, math.prod(self.shape[dim] for dim in dims)).tolist()
        if rows == [list(range(get_world_size()))]:
            return groups.WORLD
        made = [(row, new_group(row)) for row in rows]
        return next((group for row, group in made if get_rank() in row), None)

    @classmethod
    def _part(cls, root, dims, names, mesh, found, strides):
        """Return a mesh over groups that exist."""
        made = object.__new__(cls)
        made.device_type, made.mesh, made.mesh_dim_names = root.device_type, mesh, names
        made._root, made._dims, made._groups, made._strides = root, dims, found, strides
        return made

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """Return a mesh over one group, or over several with an array of ranks."""
        single = not isinstance(group, (list, tuple))
        found = [group] if single else list(group)
        ranks = (
            torch.tensor(sorted(_world.groups[group].ranks), dtype=torch.int32)
            if mesh is None
            else torch.as_tensor(mesh)
        )
        names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        made = DeviceMesh._part(None, tuple(range(ranks.ndim)), names, ranks.int(), found, ranks.contiguous().stride())
        made.device_type, made._root = device_type, made
        return made

    # ── sizes and places ─────────────────────────────────────────────────────
    @property
    def shape(self):
        """The number of processes along each dimension."""
        return tuple(self.mesh.shape)

    @property
    def ndim(self):
        """The number of dimensions."""
        return self.mesh.ndim

    def size(self, mesh_dim=None):
        """Return the number of all processes, or of those along a dimension."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def get_rank(self):
        """Return the rank of this process among all."""
        return get_rank()

    def get_coordinate(self):
        """Return the place of this process in the mesh; None outside of it."""
        places = (self.mesh == get_rank()).nonzero().tolist()
        return tuple(places[0]) if places else None

    def get_local_rank(self, mesh_dim=None):
        """Return the place of this process along a dimension.  Raise RuntimeError if several have no ``mesh_dim``."""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(*several(self.ndim))
        return self.get_coordinate()[self._number(mesh_dim)]

    def get_group(self, mesh_dim=None):
        """Return the process group along a dimension.  Raise RuntimeError if there are several and no ``mesh_dim``."""
        return self._groups[self._number(mesh_dim)]

    def get_all_groups(self):
        """Return the process groups of all dimensions."""
        return list(self._groups)

    def _number(self, mesh_dim):
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    *several(self.ndim),
                    "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                    "please use `get_all_groups()` instead.",
                )
            return 0
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(
                    f"Mesh dimension '{mesh_dim}' does not exist.",
                    f"Available mesh dimensions are: mesh_dim_names={self.mesh_dim_names}",
                )
            return self.mesh_dim_names.index(mesh_dim)
        return mesh_dim

    # ── parts ────────────────────────────────────────────────────────────────
    def __getitem__(self, mesh_dim_names):
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        if not set(names) <= set(self.mesh_dim_names):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {list(self.mesh_dim_names)}."
            )
        if names == self.mesh_dim_names:
            return self
        dims = [self.mesh_dim_names.index(name) for name in names]
        if dims != sorted(dims):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        here = self.get_coordinate() or (0,) * self.ndim
        mesh = self.mesh[tuple(slice(None) if dim in dims else here[dim] for dim in range(self.ndim))]
        place = tuple(self._dims[dim] for dim in dims)
        found, strides = [self._groups[dim] for dim in dims], tuple(self._strides[dim] for dim in dims)
        return DeviceMesh._part(self._root, place, names, mesh, found, strides)

    def _flatten(self, mesh_dim_name=None):
        """Return a mesh of one dimension of the processes of this one."""
        name = mesh_dim_name or "_".join(self.mesh_dim_names or [str(dim) for dim in self._dims])
        group = self._root._make_group(self._dims)
        return DeviceMesh._part(self._root, self._dims, (name,), self.mesh.reshape(-1), [group], (self._strides[-1],))

    # ── objects ──────────────────────────────────────────────────────────────
    def __enter__(self):
        DeviceMesh.current.append(self)
        return self

    def __exit__(self, *failure):
        DeviceMesh.current.pop()

    def __eq__(self, other):
        return self is other or isinstance(other, DeviceMesh) and self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def _identity(self):
        return tuple(self.mesh.flatten().tolist()), self.shape, self.device_type, self.mesh_dim_names

    def __reduce__(self):
        raise RuntimeError(
            "a DeviceMesh cannot be saved, nor a DTensor on one, whose parts are in several processes: save its full_tensor(), or "
            "use torch.distributed.checkpoint.save"
        )

    def __repr__(self):
        names = self.mesh_dim_names
        sizes = (
            [f"{name}={size}" for name, size in zip(names, self.shape, strict=True)] if names else map(str, self.shape)
        )
        text = ", ".join(sizes) + ("," if len(self.shape) == 1 and not names else "")
        steps = ["()" if size == 1 else str(step) for size, step in zip(self.shape, self._strides, strict=True)]
        strides = ", ".join(steps) + ("," if len(steps) == 1 else "")
        return f"DeviceMesh(({text}), '{self.device_type}', stride=({strides}))"


def several(ndim):
    """Return the beginning of the error for a dimension that is left out."""
    return (
        f"Found the DeviceMesh have {ndim} dimensions",
        "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
    )


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """Return a mesh of all ranks in order.

    Raise RuntimeError for names that repeat or are fewer than dimensions, and for a device with a number.

    >>> import tensh as torch
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "tensor"))
    >>> mesh["tensor"]
    DeviceMesh((tensor=1), 'cpu', stride=((),))
    >>> dist.destroy_process_group()
    """
    names = mesh_dim_names
    if names is not None:
        if len(set(names)) != len(names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}"
            )
        if len(mesh_shape) != len(names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! "
                f"Found len(mesh_dim_names): {len(names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    mesh = torch.arange(math.prod(mesh_shape), dtype=torch.int32).view(mesh_shape)
    return DeviceMesh(device_type, mesh, mesh_dim_names=names)


init_device_mesh.__module__ = "torch.distributed.device_mesh"
