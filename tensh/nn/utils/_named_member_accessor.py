"""Access to tensors and modules within a module by their dotted names."""

from tensh.engine.core.tensor import Tensor
from tensh.nn.modules.module import Module

_MISSING = object()


def table_of(module, name):
    """Return the dictionary of a module that contains ``name``: parameters, buffers, or None."""
    if name in module._parameters:
        return module._parameters
    return module._buffers if name in module._buffers else None


def require_tensor(value, name=None):
    if not isinstance(value, Tensor):
        raise TypeError(f"{f'attribute `{name}`: ' if name else ''}{value} is not an instance of torch.Tensor")


def require_place(module, name, kind="tensor"):
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if not name:
        raise KeyError(f'{kind} name can\'t be empty string ""')


def set_tensor(module, name, tensor):
    """Set a tensor of a module: a parameter, a buffer or an attribute."""
    require_place(module, name)
    require_tensor(tensor)
    table = table_of(module, name)
    if table is None:
        setattr(module, name, tensor)
    else:
        table[name] = tensor


def swap_tensor(module, name, tensor, allow_missing=False):
    """Set a tensor of a module and return the former one, or ``_MISSING`` if ``allow_missing``."""
    require_place(module, name)
    if tensor is not _MISSING and tensor is not None:
        require_tensor(tensor)
    table = table_of(module, name)
    if table is not None:
        before = table[name]
        if tensor is _MISSING:
            del table[name]
        else:
            table[name] = tensor
        return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    if before is not _MISSING and before is not None:
        require_tensor(before, name)
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module, name, submodule):
    """Replace a submodule and return the former one."""
    require_place(module, name, "submodule")
    if not isinstance(submodule, Module):
        raise TypeError(f"{submodule} is not an instance of torch.nn.Module")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """Access to the tensors and submodules of a module by dotted names such as ``0.weight``.

    >>> import tensh as torch
    >>> from tensh.nn.utils._named_member_accessor import NamedMemberAccessor
    >>> access = NamedMemberAccessor(torch.nn.Sequential(torch.nn.Linear(2, 1)))
    >>> before = access.swap_tensor("0.bias", torch.zeros(1))
    >>> access.get_tensor("0.bias")
    tensor([0.])
    """

    def __init__(self, module):
        self.module, self.memo = module, {}

    def get_submodule(self, name):
        """Return the module of a name; raise AttributeError if there is none."""
        if not name:
            return self.module
        if name not in self.memo:
            prefix, _, own = name.rpartition(".")
            parent = self.get_submodule(prefix)
            found = getattr(parent, own, None)
            if not hasattr(parent, own):
                raise AttributeError(f"{type(parent).__name__} has no attribute `{own}`")
            if not isinstance(found, Module):
                raise TypeError(f"submodule `{name}`: {found} is not an instance of torch.nn.Module")
            self.memo[name] = found
        return self.memo[name]

    def swap_submodule(self, path, value):
        """Replace a submodule and return the former one."""
        prefix, _, own = path.rpartition(".")
        before = swap_submodule(self.get_submodule(prefix), own, value)
        self.memo.clear()
        return before

    def get_tensor(self, name):
        """Return the tensor of a name; raise AttributeError if there is none."""
        prefix, _, own = name.rpartition(".")
        module = self.get_submodule(prefix)
        try:
            found = getattr(module, own)
        except AttributeError:
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`") from None
        if found is not None:
            require_tensor(found, name)
        return found

    def set_tensor(self, name, value):
        """Set a tensor."""
        prefix, _, own = name.rpartition(".")
        set_tensor(self.get_submodule(prefix), own, value)

    def del_tensor(self, name):
        """Delete a tensor; raise AttributeError if there is none."""
        prefix, _, own = name.rpartition(".")
        module = self.get_submodule(prefix)
        try:
            swap_tensor(module, own, _MISSING)
        except AttributeError:
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`") from None

    def swap_tensor(self, name, value, allow_missing=False):
        """Replace a tensor and return the former one."""
        prefix, _, own = name.rpartition(".")
        return swap_tensor(self.get_submodule(prefix), own, value, allow_missing)

    def get_tensors(self, names):
        """Return the tensors of these names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names, values):
        """Set several tensors.  Raise ValueError unless there are as many values as names."""
        names, values = list(names), list(values)
        if len(names) != len(values):
            raise ValueError(f"names and values must have the same length, but got {len(names)} and {len(values)}")
        for name, value in zip(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors):
        """Set the tensors of a dict by name."""
        self.set_tensors(named_tensors, named_tensors.values())

    def del_tensors(self, names):
        """Delete tensors."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names, values, allow_missing=False):
        """Replace tensors and return the former ones."""
        names, values = list(names), list(values)
        if len(names) != len(values):
            raise ValueError(f"names and values must have the same length, but got {len(names)} and {len(values)}")
        return [self.swap_tensor(name, value, allow_missing) for name, value in zip(names, values)]

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """Replace tensors; return (the former ones, the missing names), which require ``allow_missing``."""
        before, missing = {}, []
        try:
            for name, value in named_tensors.items():
                try:
                    before[name] = self.swap_tensor(name, value, allow_missing=True)
                except AttributeError:
                    before[name] = _MISSING
                if before[name] is _MISSING:
                    missing.append(name)
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except BaseException:
            self.swap_tensors(before, before.values(), allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys):
        """Return (names of tensors that are missing among the keys, keys that name no tensor), both sorted."""
        keys, own = set(keys), {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(own - keys), sorted(keys - own)

    def named_parameters(self, remove_duplicate=True):
        """Yield (name, parameter) for all parameters."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate=True):
        """Yield (name, buffer) for all buffers."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate=True):
        """Yield (name, tensor) for all parameters and buffers."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate=True):
        """Yield (name, module) for all modules."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
