"""The parameters, buffers and submodules of a module: attribute access, registration, and traversal."""

from collections import OrderedDict

from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.attributes import typename
from tensh.nn.parameter import Buffer, is_parameter

REGISTERED = {"_parameters": OrderedDict(), "_buffers": OrderedDict(), "_modules": OrderedDict()}
"""The registration hooks of all modules: see ``register_module_parameter_registration_hook``."""

KINDS = ("_parameters", "_buffers", "_modules")  # the dictionaries, in the order in which names are looked up


class Members:
    """The attributes of a module, with parameters, buffers and submodules kept in dictionaries."""

    def __getattr__(self, name):
        own = self.__dict__
        if "_parameters" in own:  # unrolled, because every layer reads its weight at every call
            if name in own["_parameters"]:
                return own["_parameters"][name]
            if name in own["_buffers"]:
                return own["_buffers"][name]
            if name in own["_modules"]:
                return own["_modules"][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        if is_parameter(value):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self.__forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            self.__require(value is None, value, "parameter", name, "torch.nn.Parameter or None")
            self.register_parameter(name, value)
        elif isinstance(value, Members):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self.__forget(name, "_modules")
            self.__keep("_modules", name, value)
        elif name in own.get("_modules", ()):
            self.__require(value is None, value, "child module", name, "torch.nn.Module or None")
            self.__keep("_modules", name, value)
        elif name in own.get("_buffers", ()) or isinstance(value, Buffer):
            self.__require(
                value is None or isinstance(value, Tensor),
                value,
                "buffer",
                name,
                "torch.nn.Buffer, torch.Tensor or None",
            )
            if isinstance(value, Buffer):
                self.__forget(name, "_buffers")
                self.register_buffer(name, value, value.persistent)
            else:
                self.__keep("_buffers", name, value)
        else:
            object.__setattr__(self, name, value)

    def __keep(self, kind, name, value):
        """Store a member, or what a registration hook of all modules returns in its place."""
        for hook in REGISTERED[kind].values():
            replaced = hook(self, name, value)
            if replaced is not None:
                value = replaced
        self.__dict__[kind][name] = value

    @staticmethod
    def __require(fits, value, what, name, expected):
        if not fits:
            raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' ({expected} expected)")

    def __forget(self, name, to_be):
        """Remove a name from the dictionaries of other kinds; a member of the same kind keeps its position."""
        own = self.__dict__
        for kind in KINDS:
            if kind != to_be:
                own[kind].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)
        own.pop(name, None)

    def __delattr__(self, name):
        for kind in KINDS:
            if name in (own := getattr(self, kind)):
                del own[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__]
        for kind in KINDS:
            names += self.__dict__.get(kind, ())
        return sorted(name for name in names if not name[0].isdigit())

    # ── registration ─────────────────────────────────────────────────────────

    def register_parameter(self, name, param):
        """Add a parameter, or None under its name."""
        self.__register("parameter", "_parameters", name)
        if param is None:
            self._parameters[name] = None
            return
        if not is_parameter(param):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express "
                f"'{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self.__keep("_parameters", name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that belongs to the module's state but is no parameter; state_dict has persistent ones."""
        self.__register("buffer", "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self.__keep("_buffers", name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def __register(self, what, kind, name):
        """Refuse an invalid name."""
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[kind]:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name, module):
        """Add a submodule under a name."""
        if not isinstance(module, Members) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self.__keep("_modules", name, module)

    register_module = add_module

    # ── traversal ────────────────────────────────────────────────────────────

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Yield (path, module) for the module and all its submodules, each once unless duplicates are asked for."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + ("." if prefix else "") + name, remove_duplicate)

    def modules(self, remove_duplicate=True):
        """Yield the module itself and all its submodules, each once unless duplicates are asked for."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self):
        """Yield (name, module) for the direct submodules, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """Yield the direct submodules."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)
                yield path + ("." if path else "") + name, member

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield (path, parameter) for all parameters, in the order of registration."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """Yield all parameters, in the order of registration."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield (path, buffer) for all buffers."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Yield all buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ── by path ──────────────────────────────────────────────────────────────

    def get_submodule(self, target):
        """Return the module at a path such as ``encoder.0``; raise AttributeError if there is none."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Members):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Set the module at a path; with ``strict`` there must be one already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if not isinstance(module, Members):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Members):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """Return the parameter at a path; raise AttributeError if there is none."""
        return self.__get_member(target, is_parameter, "nn.Parameter")

    def get_buffer(self, target):
        """Return the buffer at a path; raise AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(module, name)

    def __get_member(self, target, fits, kind):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        member = getattr(module, name)
        if not fits(member):
            raise AttributeError(f"`{name}` is not an {kind}")
        return member


def add_dictionaries(module):
    """Give a module the dictionaries of its members, before any attribute is set."""
    own = module.__dict__
    own["_parameters"], own["_buffers"], own["_modules"] = {}, {}, {}
    own["_non_persistent_buffers_set"] = set()
