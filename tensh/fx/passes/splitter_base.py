"""Splitting of a graph module into parts for an accelerator and parts for the CPU, by what the accelerator supports."""

import argparse
import copy
from typing import NamedTuple

from tensh.func.trees import map_leaves
from tensh.fx.node import Node
from tensh.fx.passes.operator_support import CALLABLE_NODE_OPS, get_node_target
from tensh.fx.passes.split_utils import split_by_tags
from tensh.fx.passes.tools_common import is_node_output_tensor

__all__ = [
    "FxNetAccNodesFinder",
    "FxNetSplitterInternalError",
    "Subgraph",
    "generate_inputs_for_submodules",
]


class FxNetSplitterInternalError(Exception):
    """Raised for a graph that cannot be split, as one that has been split before."""


class Subgraph(NamedTuple):
    """A part: its nodes, and whether it is for the accelerator."""

    is_acc: bool
    nodes: list


class _SplitterSettingBase:
    """Settings of a splitter.

    ``min_acc_module_size`` is the least number of nodes of a part for the accelerator, ``max_acc_splits`` the most such
    parts (-1: any number). With ``allow_non_tensor``, numbers may pass between parts.
    """

    def __init__(
        self,
        min_acc_module_size=1,
        skip_fusion=False,
        allow_non_tensor=False,
        max_acc_splits=-1,
    ):
        given = read_arguments()
        self.min_acc_module_size = given.min_acc_module_size or min_acc_module_size
        self.skip_fusion = given.skip_fusion or skip_fusion
        self.allow_non_tensor = given.allow_non_tensor or allow_non_tensor
        self.max_acc_splits = max_acc_splits


def read_arguments():
    """Return the settings on the command line of the program; others are left to it."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--min-acc-module-size", "--min_acc_module_size", type=int)
    parser.add_argument("--skip-fusion", "--skip_fusion", action="store_true")
    parser.add_argument("--allow-non-tensor", "--allow_non_tensor", action="store_true")
    return parser.parse_known_args()[0]


class FxNetAccNodesFinder:
    """Finds the nodes for the accelerator: those that it supports, as far as only tensors pass between the two kinds."""

    def __init__(self, module, operator_support, allow_non_tensor=False):
        self.module, self.operator_support, self.allow_non_tensor = module, operator_support, allow_non_tensor

    def __call__(self):
        """Return the set of nodes."""
        submodules = dict(self.module.named_modules())
        found = {
            node
            for node in self.module.graph.nodes
            if node.op in CALLABLE_NODE_OPS and self.operator_support.is_node_supported(submodules, node)
        }
        while not self.allow_non_tensor and (refused := [node for node in found if passes_number(node, found)]):
            found.difference_update(refused)
        return found


def passes_number(node, found):
    """Return True if a number passes between a node for the accelerator and one for the CPU."""
    if not is_node_output_tensor(node) and any(user.op == "output" or user not in found for user in node.users):
        return True
    given = (each for each in node.all_input_nodes if each.op in CALLABLE_NODE_OPS and each not in found)
    return not all(map(is_node_output_tensor, given))


class _SplitterBase:
    """Splits a graph module, whose nodes ``ShapeProp`` has described, into ``_run_on_acc_N`` and ``_run_on_cpu_N``.

    A call returns the module of the parts. Subclasses lower parts to their accelerator.
    """

    def __init__(
        self,
        module,
        sample_input,
        operator_support,
        settings,
        non_acc_submodule_name="_run_on_cpu_",
        return_tuple=False,
        nodes_finder=None,
    ):
        self.module, self.sample_input = module, sample_input
        self.settings, self.operator_support = settings, operator_support
        finder = nodes_finder or FxNetAccNodesFinder(module, operator_support, settings.allow_non_tensor)
        self.acc_nodes = finder()
        self.deps = {
            node: {each for each in node.all_input_nodes if each.op in CALLABLE_NODE_OPS}
            for node in module.graph.nodes
            if node.op in CALLABLE_NODE_OPS
        }
        self.non_acc_submodule_name, self._return_tuple, self.tags = non_acc_submodule_name, return_tuple, []

    def __call__(self):
        """Return the module that calls the parts."""
        subgraphs = self.remove_small_acc_subgraphs(self.put_nodes_into_subgraphs())
        accelerated = sum(each.is_acc for each in subgraphs)
        print(f"Got {accelerated} acc subgraphs and {len(subgraphs) - accelerated} non-acc subgraphs")
        if 0 < self.settings.max_acc_splits < accelerated:
            raise ValueError(
                "Cannot fulfill max_acc_splits limit. This may cause split fragmentation and result in performance issues."
            )
        self.tag(subgraphs)
        return self.split()

    def put_nodes_into_subgraphs(self):
        """Return parts of both kinds in turn, each of all nodes that may run by then."""
        left, seen, found = list(self.deps), set(), []
        is_acc = not any(not self.deps[node] for node in left if node not in self.acc_nodes)
        while left:
            nodes = []
            for node in left:
                if (node in self.acc_nodes) is is_acc and self.deps[node] <= seen:
                    nodes.append(node)
                    seen.add(node)
            if nodes:
                found.append(Subgraph(is_acc, nodes))
            left, is_acc = [node for node in left if node not in seen], not is_acc
        return found

    def remove_small_acc_subgraphs(self, subgraphs):
        """Return the parts with those for the accelerator that are too small joined to the part before."""
        least, found = self.settings.min_acc_module_size, []
        for subgraph in subgraphs:
            if subgraph.is_acc and len(subgraph.nodes) >= least:
                found.append(subgraph)
                continue
            if subgraph.is_acc:
                print(
                    f"Eliminating acc subgraph because it's smaller than the threshold: {len(subgraph.nodes)} < {least}"
                )
            if found and (subgraph.is_acc or not found[-1].is_acc):
                found[-1].nodes.extend(subgraph.nodes)
            else:
                found.append(Subgraph(False, subgraph.nodes))
        return found

    def tag(self, subgraphs):
        """Name the part of each node (``node.tag``).  Raise FxNetSplitterInternalError for a node that has a part."""
        for node in (each for subgraph in subgraphs for each in subgraph.nodes):
            if hasattr(node, "tag"):
                raise FxNetSplitterInternalError(f"Node {node} was already tagged")
        self.tags = []
        for number, subgraph in enumerate(subgraphs):
            tag = f"{'_run_on_acc_' if subgraph.is_acc else self.non_acc_submodule_name}{number}"
            self.tags.append(tag)
            for node in subgraph.nodes:
                node.tag = tag

    def split(self, remove_tag=False):
        """Return the module of the parts; with ``remove_tag``, nodes lose their tags."""
        made = split_by_tags(self.module, self.tags, return_tuple=self._return_tuple)
        for node in self.module.graph.nodes if remove_tag else ():
            if hasattr(node, "tag"):
                del node.tag
        return made

    def node_support_preview(self, dump_graph=False):
        """Print which functions and modules the accelerator supports, with their arguments' dtypes, and return the text."""
        submodules = dict(self.module.named_modules())
        kinds = {True: {}, False: {}}
        for node in self.module.graph.nodes:
            if node.op in CALLABLE_NODE_OPS:
                dtypes = tuple(dtype_of(each) for each in node.args if isinstance(each, Node))
                named = {name: dtype_of(each) for name, each in node.kwargs.items() if isinstance(each, Node)}
                line = f"{get_node_target(submodules, node)}: ({dtypes}, {named})\n"
                kinds[self.operator_support.is_node_supported(submodules, node)][line] = None
        text = "\nSupported node types in the model:\n" + "".join(kinds[True])
        text += "\nUnsupported node types in the model:\n" + "".join(kinds[False])
        print(text)
        return text


def dtype_of(node):
    """Return the dtype of the result of a node, if that is known."""
    return getattr(node.meta.get("tensor_meta"), "dtype", None)


def generate_inputs_for_submodules(model, inputs, target_submodules, deepcopy=False):
    """Return path -> arguments of submodules in a call of a model; ``deepcopy`` keeps them as they are now.

    >>> import tensh as torch
    >>> from tensh.fx.passes.splitter_base import generate_inputs_for_submodules
    >>> model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
    >>> generate_inputs_for_submodules(model, [torch.ones(1)], {"1": None})
    {'1': (tensor([1.]),)}
    """
    handles, found, names = [], {}, {module: name for name, module in model.named_modules()}

    def note(module, args):
        found[names[module]] = copy.deepcopy(args) if deepcopy else map_leaves(lambda each: each, args)

    try:
        for name, module in model.named_modules():
            if name in target_submodules:
                handles.append(module.register_forward_pre_hook(note))
        model(*inputs)
    finally:
        for each in handles:
            each.remove()
    return found
