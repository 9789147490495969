"""Modules that contain others: in sequence, in a list, by name."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.module import Module, indent


class Container(Module):
    """Modules by name, given as keyword arguments; older programs derive from it instead of ``Module``.

    >>> import tensh as torch
    >>> torch.nn.Container(a=torch.nn.ReLU()).a
    ReLU()
    """

    def __init__(self, **kwargs):
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.",
            FutureWarning,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class NumberedModules(Module):
    """The base of ``Sequential`` and ``ModuleList``: modules named "0", "1", ..."""

    def _get_abs_string_index(self, index):
        """Return the name of the module at an index, which may be negative."""
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def __renumber(self):
        modules = list(self._modules.values())
        self._modules.clear()
        self._modules.update((str(number), module) for number, module in enumerate(modules))

    @without_interrupts
    def __delitem__(self, index):
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._get_abs_string_index(index)]
        for key in keys:
            delattr(self, key)
        self.__renumber()

    @without_interrupts
    def insert(self, index, module):
        """Insert a module before the one at an index."""
        modules = self._modules
        for number in range(len(modules), index, -1):
            modules[str(number)] = modules[str(number - 1)]
        modules[str(index)] = module

    def pop(self, key):
        """Remove and return the module at an index."""
        module = self[key]
        del self[key]
        return module


class Sequential(NumberedModules):
    """Call modules one after the other, each with the output of the one before.

    The modules are separate arguments, or the values of an OrderedDict. Raise TypeError for anything but a module.

    >>> import tensh as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2))
    >>> model(torch.ones(5, 4)).shape
    torch.Size([5, 2])
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            items = args[0].items()
        else:
            items = ((str(number), module) for number, module in enumerate(args))
        for name, module in items:
            self.add_module(name, module)

    def forward(self, input):
        """Pass ``input`` through all modules."""
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._get_abs_string_index(index)]

    def __setitem__(self, index, module):
        setattr(self, self._get_abs_string_index(index), module)

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*list(self) * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        numbered = [str(number) for number in range(len(self))]
        return self.extend(self._modules[name] for name in numbered * (times - 1))

    def append(self, module):
        """Append a module; return the container."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index, module):
        """Insert a module before the one at an index; return the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        super().insert(index + len(self) if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Append modules; return the container."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(NumberedModules):
    """Hold modules in a list.

    >>> import tensh as torch
    >>> torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)])
    ModuleList(
      (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._get_abs_string_index(index)]

    def __setitem__(self, index, module):
        setattr(self, self._get_abs_string_index(index), module)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        combined = ModuleList()
        for number, module in enumerate(chain(self, other)):
            combined.add_module(str(number), module)
        return combined

    def append(self, module):
        """Append a module; return the list."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Append modules; return the list."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self):
        """Describe the modules; equal consecutive ones share a line: ``(0-2): 3 x ReLU()``."""
        runs = []
        for number, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = number
            else:
                runs.append([number, number, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [
            f"({first}): {indent(text)}" if first == last else f"({first}-{last}): {last - first + 1} x {indent(text)}"
            for first, last, text in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """Hold modules by name.

    ``modules`` is a dict or (name, module) pairs. Raise ValueError for anything but pairs.

    >>> import tensh as torch
    >>> choices = torch.nn.ModuleDict({"none": torch.nn.Identity()})
    >>> choices["none"](torch.tensor([-1., 1.]))
    tensor([-1.,  1.])
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key):
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def keys(self):
        """Return the names."""
        return self._modules.keys()

    def items(self):
        """Return the (name, module) pairs."""
        return self._modules.items()

    def values(self):
        """Return the modules."""
        return self._modules.values()

    def update(self, modules):
        """Add the modules of a dict, or of (name, module) pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            for key, module in modules.items():
                self[key] = module
            return
        for number, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{number} should be Iterable; is{type(pair).__name__}"
                )
            if len(pair) != 2:
                raise ValueError(f"ModuleDict update sequence element #{number} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]
