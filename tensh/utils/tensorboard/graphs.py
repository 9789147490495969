"""The graph of a model for TensorBoard: the nodes of a trace, in boxes named by the modules that they belong to."""

import operator
import warnings

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef

from tensh.engine.core.tensor import Tensor
from tensh.fx.node import Node
from tensh.jit._trace import trace
from tensh.jit.graphs.ir import operator_name
from tensh.nn.modules.module import Module

PRODUCER = 22  # the version of graphs that TensorBoard reads so


def graph(model, args, verbose=False, use_strict_trace=True):
    """Return (GraphDef, RunMetadata) of a model, traced with example inputs in evaluation mode."""
    training = isinstance(model, Module) and model.training
    if training:
        model.eval()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            traced = trace(model, args, check_trace=False, strict=use_strict_trace).graph
    finally:
        if training:
            model.train()
    if verbose:
        print(traced)
    stats = StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")])
    nodes = Boxes(model).convert(traced)
    return GraphDef(node=nodes, versions=VersionDef(producer=PRODUCER)), RunMetadata(step_stats=stats)


class Boxes:
    """Names of nodes, such as ``Net/Linear[hidden]/linear``: the path of a node through the modules."""

    def __init__(self, model):
        modules = dict(model.named_modules()) if isinstance(model, Module) else {}
        self.kinds = {path: type(each).__name__ for path, each in modules.items()}
        self.whole = self.kinds.get("") or getattr(model, "__name__", type(model).__name__)
        self.names = {}

    def box(self, path):
        """Return the box of a module, by its path."""
        parts, found = path.split(".") if path else [], [self.whole]
        for end, part in enumerate(parts, 1):
            found.append(f"{self.kinds.get('.'.join(parts[:end]), 'Module')}[{part}]")
        return "/".join(found)

    def convert(self, traced):
        """Return the nodes of a traced graph as protocol buffers."""
        found = []
        for node in traced.program.graph.nodes:
            match node.op:
                case "placeholder":
                    found.append(self.make(node, f"input/{node.target}", "IO Node"))
                case "get_attr":
                    path, _, name = node.target.rpartition(".")
                    found.append(self.make(node, f"{self.box(path)}/{name}/{node.name}", "prim::GetAttr"))
                case "output":
                    ends = node.args[0] if isinstance(node.args[0], (tuple, list)) else [node.args[0]]
                    for number, each in enumerate(ends, 1):
                        if isinstance(each, Node):
                            found.append(self.make(each, f"output/output.{number}", "IO Node", [self.names[each]]))
                case _:
                    found.append(self.make_call(node))
        return found

    def make_call(self, node):
        stack = node.meta.get("nn_module_stack")
        name = f"{self.box(list(stack)[-1] if stack else '')}/{node.name}"
        kind = "prim::TupleUnpack" if node.target is operator.getitem else operator_name(node)
        inputs = list(dict.fromkeys(self.names[each] for each in node.all_input_nodes))
        constants = [each for each in (*node.args, *node.kwargs.values()) if not isinstance(each, Node)]
        return self.make(node, name, kind, inputs, ", ".join(map(str, constants)))

    def make(self, node, name, kind, inputs=(), text=""):
        """Return a node, with the shape of its value."""
        self.names.setdefault(node, name)
        attributes = {"attr": AttrValue(s=text.encode())}
        value = node.meta.get("val")
        if isinstance(value, Tensor):
            shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=int(size)) for size in value.shape])
            attributes["_output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=[shape]))
        return NodeDef(name=name, op=kind, input=inputs, attr=attributes)
