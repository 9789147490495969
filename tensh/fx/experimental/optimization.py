"""Simplified graphs: normalisations fused with the layer before, dropout removed."""

import copy

from tensh.fx._symbolic_trace import symbolic_trace
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.interpreter import Transformer
from tensh.fx.node import Node
from tensh.fx.tracer import Tracer
from tensh.nn.modules import batchnorm, conv, dropout, linear
from tensh.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = [
    "extract_subgraph",
    "fuse",
    "matches_module_pattern",
    "optimize_for_inference",
    "remove_dropout",
    "replace_node_module",
]

FUSED = (
    ((conv.Conv1d, batchnorm.BatchNorm1d), fuse_conv_bn_eval),
    ((conv.Conv2d, batchnorm.BatchNorm2d), fuse_conv_bn_eval),
    ((conv.Conv3d, batchnorm.BatchNorm3d), fuse_conv_bn_eval),
    ((linear.Linear, batchnorm.BatchNorm1d), fuse_linear_bn_eval),
)
"""Pairs of consecutive layers, and the function that fuses them."""


def matches_module_pattern(pattern, node, modules):
    """Return True if ``node`` calls the second module of a pair on the result of the first; ``modules`` maps paths."""
    if not node.args:
        return False
    return all(
        isinstance(each, Node) and each.op == "call_module" and type(modules.get(each.target)) is expected
        for expected, each in zip(pattern, (node.args[0], node))
    )


def replace_node_module(node, modules, new_module):
    """Replace the module at the path that a node calls."""
    parent, _, name = node.target.rpartition(".")
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model, inplace=False, no_trace=False):
    """Fuse normalisations in evaluation with the convolution or linear layer before; return a ``GraphModule``.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.optimization import fuse
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU()).eval()
    >>> [node.name for node in fuse(model).graph.nodes]
    ['input_1', '_0', '_2', 'output']
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules, graph = dict(traced.named_modules()), copy.deepcopy(traced.graph)
    for pattern, fuse_pair in FUSED:
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            layer, norm = modules[node.args[0].target], modules[node.target]
            if norm.track_running_stats:
                replace_node_module(node.args[0], modules, fuse_pair(layer, norm))
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)
    return GraphModule(traced, graph)


class DropoutRemover(Transformer):
    """A transformer that removes calls of Dropout."""

    def call_module(self, target, args, kwargs):
        if isinstance(self.submodules[target], dropout.Dropout):
            return args[0]
        return super().call_module(target, args, kwargs)


def remove_dropout(model):
    """Return the graph module of a model without its Dropout layers."""
    return DropoutRemover(symbolic_trace(model)).transform()


def extract_subgraph(orig_module, nodes, inputs, outputs):
    """Return the graph module of some nodes of a graph, from ``inputs`` to ``outputs``, which are nodes, too."""
    graph, made = Graph(), {}
    for node in inputs:
        made[node] = graph.placeholder(node.name)
    for node in nodes:
        made[node] = graph.node_copy(node, lambda each: made[each])
    graph.output([made[node] for node in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def optimize_for_inference(model, pass_config=None, tracer=Tracer):
    """Fuse normalisations and remove dropout; return the graph module of a model in evaluation.

    ``pass_config`` switches steps off: ``conv_bn_fuse``, ``remove_dropout``. Its entry for layouts of MKL-DNN, False or
    a dictionary with a ``heuristic``, changes nothing, for there is one layout.  Raise RuntimeError for a dictionary
    without one.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.optimization import optimize_for_inference
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Dropout()).eval()
    >>> [node.name for node in optimize_for_inference(model).graph.nodes]
    ['input_1', '_0', 'output']
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": False} | (pass_config or {})
    layout = config["mkldnn_layout_optimize"]
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    if isinstance(layout, dict) and "heuristic" not in layout:
        raise RuntimeError("Heuristic not found in mkldnn_layout_optimize config")
    if layout and not isinstance(layout, dict):
        raise RuntimeError("mkldnn_layout_optimize config is not a dict")
    if not layout:
        return model
    walked = tracer()
    graph = walked.trace(copy.deepcopy(model))
    return GraphModule(walked.root, graph)
