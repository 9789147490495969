"""Compiled modules: ``torch.compile(module)`` wraps one."""

import copy

from tensh.compiler.compiling import compile_function
from tensh.nn.modules.module import Module


class OptimizedModule(Module):
    """A module that runs as compiled graphs; its attributes are those of the module ``_orig_mod``."""

    def __init__(self, module, compiled):
        super().__init__()
        self._orig_mod = module
        self.__dict__["compiled"], self.__dict__["training"] = compiled, module.training
        self.__dict__["dynamo_ctx"] = compiled  # by this name libraries recognise compiled modules

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
        return recompile_module, (self._orig_mod, self.compiled.fullgraph)

    def __deepcopy__(self, memo):
        return recompile_module(copy.deepcopy(self._orig_mod, memo), self.compiled.fullgraph)


def recompile_module(module, fullgraph):
    """Make a compiled module around another one, without graphs."""
    return OptimizedModule(module, compile_function(module, fullgraph))


restart = recompile_module  # the name in pickles of earlier versions
