"""A module that computes its graph."""

import copy
import itertools
import re

from tensh.engine.core.tensor import Tensor
from tensh.fx.folder import write_folder
from tensh.fx.generated import call_generated, compile_function
from tensh.fx.graph import Graph
from tensh.fx.names import CUSTOM_NAMES, indent, list_customs
from tensh.fx.pytree_codegen import PyTreeCodeGen
from tensh.fx.tracer import Tracer
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter

__all__ = ["GraphModule", "reduce_graph_module"]

WRITTEN = ("_code", "_lineno_map", "_prologue_start")
"""Attributes of a module whose code has been written."""
HOOKS = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class LateForward:
    """Stands for the ``forward`` of a module that is compiled when it is first called."""

    def __init__(self, module):
        self.module = module

    def __get__(self, module, owner):
        self.module._compile()
        return (owner if module is None else module).forward


class GraphModule(Module):
    """A module made from a ``Graph``, whose ``forward`` is the graph's code.

    ``root`` is a module, or a dictionary from paths to values, with the members to which the nodes refer; only these
    are copied. After changing the graph, call ``recompile`` to update the code; assigning ``graph`` does so, and with ``_late``
    the first use. Raise RuntimeError if a dictionary lacks a target.

    >>> import tensh as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    >>> for node in gm.graph.nodes:
    ...     if node.target is torch.relu:
    ...         node.target = torch.neg
    >>> _ = gm.recompile()
    >>> gm(torch.tensor([1., -2.]))
    tensor([-1.,  2.])
    """

    def __new__(cls, *args, **kwargs):
        base = next(each for each in cls.__mro__ if each.__qualname__.rpartition(".")[2] != "GraphModuleImpl")

        class GraphModuleImpl(base):  # a class for each object, since each has its own forward
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root, graph, class_name="GraphModule", _late=False):
        super().__init__()
        self.__dict__["_late"] = _late
        type(self).__name__ = class_name
        if not isinstance(root, (Module, dict)):
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        targets = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = getattr(root, "training", True)
            if isinstance(root, CodeOnly):
                members = (root.named_children(), root.named_buffers(), root.named_parameters())
                targets = [name for each in members for name, _ in each] + targets
            for target in targets:
                copy_member(root, self, target)
        else:
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for target in sorted(targets, key=lambda each: each.count(".")):
                assign_member(root[target], self, target)
        tracer_cls = graph._tracer_cls
        self._tracer_cls = tracer_cls if tracer_cls and "<locals>" not in tracer_cls.__qualname__ else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta = {}
        self.graph = graph

    # ── the graph and its code ───────────────────────────────────────────────

    @property
    def graph(self):
        """The graph; after changing it, call ``recompile``."""
        return self._graph

    @graph.setter
    def graph(self, graph):
        if not isinstance(graph, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(graph)}")
        self.__dict__["_graph"] = graph
        graph.owning_module = self
        if not self.__dict__.get("_late"):
            self._compile()
            return
        for name in WRITTEN:
            self.__dict__.pop(name, None)
        type(self).forward = LateForward(self)

    def __getattr__(self, name):
        if name in WRITTEN and self.__dict__.get("_late"):
            self._compile()
            return self.__dict__[name]
        return super().__getattr__(name)

    @property
    def code(self):
        """The Python code of ``forward``."""
        return self._code

    def recompile(self):
        """Update ``forward`` and ``code`` from the graph, also in the graph modules within, and return the code."""
        made = self._compile()
        for module in self.children():
            if isinstance(module, GraphModule):
                module.recompile()
        return made

    def _compile(self):
        """Update ``forward`` and ``code`` from the graph of this module alone."""
        if isinstance(self._graph._codegen, PyTreeCodeGen):
            self._in_spec, self._out_spec = self._graph._codegen.pytree_info[1:]
        made = self._graph.python_code(root_module="self")
        self._code, self._lineno_map, self._prologue_start = made.src, made._lineno_map, made._prologue_start
        cls = type(self)
        cls.forward = compile_function(made.src, made.globals, fields=self._graph._co_fields)
        return made

    def __call__(self, *args, **kwargs):
        return call_generated(super().__call__, *args, **kwargs)

    def __str__(self):
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])

    def print_readable(
        self, print_output=True, include_stride=False, include_device=False, colored=False, *, fast_sympy_print=False,
        expanded_def=False, additional_meta=None,
    ):  # fmt: skip
        """Print the code as a class, with shapes and places if known, and return it."""
        text = write_readable(
            self, self._get_name(), include_stride=include_stride, include_device=include_device, colored=colored,
            expanded_def=expanded_def, additional_meta=additional_meta,
        )  # fmt: skip
        if print_output:
            print(text)
        return text

    def to_folder(self, folder, module_name="FxModule"):
        """Write the module and its tensors as a Python package, whose ``module.py`` can be read and changed."""
        write_folder(self, folder, module_name)

    # ── submodules ───────────────────────────────────────────────────────────

    def add_submodule(self, target, m):
        """Add a module at a path, with empty modules above it if necessary; return False if the path is taken."""
        *parents, name = target.split(".")
        owner = self
        for parent in parents:
            if getattr(owner, parent, None) is None:
                setattr(owner, parent, Module())
            owner = getattr(owner, parent)
            if not isinstance(owner, Module):
                return False
        owner.add_module(name, m)
        return True

    def delete_submodule(self, target):
        """Delete the module at a path; return False if there is none."""
        *parents, name = target.split(".")
        owner = self
        for parent in (*parents, None):
            if not isinstance(owner, Module):
                return False
            if parent is not None:
                owner = getattr(owner, parent, None)
        if not isinstance(getattr(owner, name, None), Module):
            return False
        delattr(owner, name)
        return True

    def delete_all_unused_submodules(self):
        """Delete all modules that no node calls or reads."""
        used = {""}
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                used.update(itertools.accumulate(node.target.split("."), "{}.{}".format))
            if node.op == "call_module":
                try:
                    below = self.get_submodule(node.target).named_modules()
                except AttributeError:
                    continue
                used.update(f"{node.target}.{name}" for name, _ in below if name)
        for name in [name for name, _ in self.named_modules() if name not in used]:
            self.delete_submodule(name)

    # ── copies and pickles ───────────────────────────────────────────────────

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        values = copy.deepcopy(self.__dict__, memo)
        GraphModule.__init__(made, CodeOnly(values), values["_graph"], type(self).__name__)
        for name in HOOKS:
            if name in values:
                made.__dict__[name] = values[name]
        made.meta = values["meta"]
        return made

    def __copy__(self):
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = self.meta
        return made

    def __reduce__(self):
        values = {name: value for name, value in self.__dict__.items() if name != "_graph"}
        return reduce_graph_module, (values, write_imports(self.recompile().globals))


class CodeOnly(Module):
    """A module that holds the members of a copied or unpickled graph module."""

    def __init__(self, body):
        super().__init__()
        self.__dict__ = body


def copy_member(source, module, target):
    """Copy the member of ``source`` at a path to ``module``."""
    *parents, name = target.split(".")
    for parent in parents:
        source, before = getattr(source, parent), module
        module = getattr(module, parent, None)
        if module is source:
            return
        if module is None:
            module = Module()
            setattr(before, parent, module)
    set_member(module, name, getattr(source, name))


def assign_member(value, module, target):
    """Set a member of ``module`` at a path."""
    *parents, name = target.split(".")
    for parent in parents:
        if getattr(module, parent, None) is None:
            setattr(module, parent, Module())
        module = getattr(module, parent)
    set_member(module, name, value)


def set_member(module, name, value):
    """Set an attribute; a tensor that is not a parameter becomes a buffer."""
    if isinstance(value, Tensor) and not is_parameter(value):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def get_member(module, path):
    """Return the attribute at a path."""
    for name in path.split("."):
        module = getattr(module, name)
    return module


def write_class(graph, name, **options):
    """Return the code of a graph as the ``forward`` of a class."""
    code = graph.python_code(root_module="self", verbose=True, **options).src.lstrip("\n")
    return re.sub("(?m)^ +$", "", indent(f"class {name}(torch.nn.Module):\n{code}"))


def write_readable(module, name, **options):
    """Return the code of a graph module and its submodules, as classes."""
    text = write_class(module.graph, name, **options)
    options.pop("expanded_def", None)
    below = [write_readable(each, path, **options) for path, each in module.named_children() if hasattr(each, "graph")]
    return re.sub("(?m)^ +$", "", text + indent("\n".join(["", *below])))


def write_imports(values):
    """Return the import statements for the global names of generated code."""
    customs = list_customs()
    lines = {
        customs[name].import_str
        if name in CUSTOM_NAMES
        else f"from {value.__module__} import {value.__qualname__} as {name}"
        for name, value in values.items()
    }
    return "\n".join(sorted(lines))


def reduce_graph_module(body, import_block):
    """Rebuild a pickled graph module from its attributes, its code, and the imports of the code.

    The code runs: as with any pickle, open only files that you trust.
    """
    customs = {custom.import_str: (name, custom.value) for name, custom in list_customs().items()}
    imports = "".join(f"{line}\n" for line in import_block.split("\n") if line not in customs)
    forward = compile_function(imports + (body.get("_code") or body["code"]), dict(customs.values()))
    cls = body.get("_tracer_cls") or Tracer

    class Leaves(cls):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    root = type("CodeOnly", (CodeOnly,), {"forward": forward})(dict(body))
    graph = Leaves().trace(root, **body.get("_tracer_extras", {}))
    graph._tracer_cls = cls
    made = GraphModule(root, graph, body.get("_graphmodule_cls_name", "GraphModule"))
    for name, value in body.items():
        if not hasattr(made, name):
            setattr(made, name, value)
    return made


# names in PyTorch, which libraries import
_CodeOnlyModule, _copy_attr, _assign_attr = (CodeOnly, copy_member, assign_member)
_get_attr, _USER_PRESERVED_ATTRIBUTES_KEY = get_member, "_user_preserved_attributes"
