"""Modules that are compiled in place: ``module.compile()`` changes how ``forward`` is called."""

from tensh.compiler.api import compile
from tensh.compiler.compiling import compile_function
from tensh.compiler.registry import check_backend


class CompiledForward:
    """The ``forward`` of a module compiled in place; copies and pickles of the module have a separate one."""

    def __init__(self, module, options):
        self.module, self.options = module, options
        self.compiled = self.start()

    def start(self):
        """Return the object that runs the module as graphs."""
        asked = compile(**self.options).keywords  # refuses unknown options
        backend, fullgraph, dynamic = check_backend(asked["backend"]), asked["fullgraph"], asked["dynamic"]
        if callable(backend):
            from tensh.compiler.backends import BackendFunction

            return BackendFunction(Forward(self.module), backend, fullgraph, dynamic)
        return compile_function(Forward(self.module), fullgraph, asked["disable"] or backend == "eager", dynamic)

    def __call__(self, *args, **kwargs):
        return self.compiled(args, kwargs)

    def __reduce__(self):
        return CompiledForward, (self.module, self.options)


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
