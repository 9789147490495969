"""Compiled modules: ``torch.compile(module)`` wraps one, ``module.compile()`` changes how it is called."""

import copy

from tensh.compiler.compiling import compile_function
from tensh.compiler.registry import check_backend
from tensh.nn.modules.module import Module


class OptimizedModule(Module):
    """A module that runs as compiled graphs; its attributes are those of the module ``_orig_mod``."""

    def __init__(self, module, compiled):
        super().__init__()
        self._orig_mod = module
        self.__dict__["compiled"], self.__dict__["training"] = compiled, module.training

    def forward(self, *args, **kwargs):
        return self.compiled(args, kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)

    def __setattr__(self, name, value):
        if name in ("_orig_mod", "compiled") or name in self.__dict__ and name != "training":
            super().__setattr__(name, value)
            return
        if name == "training":
            self.__dict__["training"] = value
        setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name):
        delattr(self._modules["_orig_mod"], name)

    def __len__(self):
        return len(self._orig_mod)

    def __getitem__(self, key):
        return self._orig_mod[key]

    def __iter__(self):
        return iter(self._orig_mod)

    def __dir__(self):
        return dir(self._orig_mod)

    def __reduce__(self):
        return restart, (self._orig_mod, self.compiled.fullgraph)

    def __deepcopy__(self, memo):
        return restart(copy.deepcopy(self._orig_mod, memo), self.compiled.fullgraph)


def restart(module, fullgraph):
    """Make a compiled module around another one, without graphs."""
    return OptimizedModule(module, compile_function(module, fullgraph))


class CompiledForward:
    """The ``forward`` of a module compiled in place; copies and pickles of the module have a separate one."""

    def __init__(self, module, compiled=None, options=()):
        self.module, self.options = module, dict(options)
        self.compiled = compiled or self.start()

    def start(self):
        """Return the object that runs the module as graphs."""
        from tensh.compiler.api import compile

        asked = compile(**self.options).keywords  # refuses unknown options
        backend, fullgraph, dynamic = check_backend(asked["backend"]), asked["fullgraph"], asked["dynamic"]
        if callable(backend):
            from tensh.compiler.backends import BackendFunction

            return BackendFunction(Forward(self.module), backend, fullgraph, dynamic)
        return compile_function(Forward(self.module), fullgraph, asked["disable"] or backend == "eager", dynamic)

    def __call__(self, *args, **kwargs):
        return self.compiled(args, kwargs)

    def __reduce__(self):
        return CompiledForward, (self.module, None, tuple(self.options.items()))


class Forward:
    """The module's ``forward``, as its class defines it."""

    def __init__(self, module):
        self.module = module
        self.__qualname__ = type(module).__name__

    def __call__(self, *args, **kwargs):
        return type(self.module).forward(self.module, *args, **kwargs)

    @property
    def forward(self):
        return type(self.module).forward.__get__(self.module)
