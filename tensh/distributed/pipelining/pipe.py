"""A model that is taken apart into stages: where ``split_spec`` names modules, or where it calls ``pipe_split``."""

import enum
import operator

from tensh.distributed.pipelining.stage import PipelineStage, _PipelineStage
from tensh.engine.dispatch.override.state import state
from tensh.export.exporting import export
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule, assign_member
from tensh.fx.node import map_arg
from tensh.nn.modules.module import Module
from tensh.tracing.recording.recorder import Recorder

__all__ = ["Pipe", "SplitPoint", "build_stage", "pipe_split", "pipeline"]

PREFIX = "submod_pp_"


class SplitPoint(enum.Enum):
    """The place where a stage begins: before a module, or after it.

    >>> import tensh as torch
    >>> torch.distributed.pipelining.SplitPoint.BEGINNING
    <SplitPoint.BEGINNING: 1>
    """

    BEGINNING = 1
    END = 2


SplitPoint.__module__ = "torch.distributed.pipelining._IR"


def pipe_split():
    """Begin the next stage here, where ``pipeline`` records the call of a model; elsewhere, do nothing.

    >>> import tensh as torch
    >>> torch.distributed.pipelining.pipe_split()
    """
    for each in state.modes:
        if isinstance(each, Recorder):
            each.graph.call_function(pipe_split)


def pipeline(module, mb_args, mb_kwargs=None, split_spec=None, split_policy=None):
    """Record a model on an example part of a batch, and return its stages as a ``Pipe``.

    Args:
        mb_args: the arguments of the example, ``mb_kwargs`` its keywords.
        split_spec: path of a submodule -> where a stage begins at it.
            Without it, stages begin where the model calls ``pipe_split``.
        split_policy: a function that changes the recorded graph module, and may insert calls of ``pipe_split``.

    Raise AttributeError for a path at which there is no module, ValueError for a module that is not called.

    >>> import tensh as torch
    >>> from tensh.distributed.pipelining import SplitPoint, pipeline
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    >>> pipe = pipeline(model, (torch.ones(1, 2),), split_spec={"2": SplitPoint.BEGINNING})
    >>> pipe.num_stages, [name for name, _ in pipe.get_stage_module(1).named_parameters()]
    (2, ['2.weight', '2.bias'])
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    for path in split_spec or {}:
        module.get_submodule(path)
    program = export(module, tuple(mb_args), dict(mb_kwargs or {}))
    graph = program._traced.graph
    if split_policy is not None:
        graph = split_policy(GraphModule(program._traced.attributes(), graph)).graph
    members = {**program.state_dict, **program.constants}
    return Pipe(assign_stages(graph, split_spec or {}), graph, members)


# ── where stages begin ───────────────────────────────────────────────────────
def assign_stages(graph, split_spec):
    """Return node -> the number of its stage, for the nodes that compute."""
    nodes = [node for node in graph.nodes if node.op not in ("placeholder", "get_attr", "output")]
    begins = {number for number, node in enumerate(nodes) if node.target is pipe_split}
    for path, point in split_spec.items():
        within = [number for number, node in enumerate(nodes) if path in list_paths(node)]
        if not within:
            raise ValueError(f"the model does not call the module {path!r}, where a stage should begin")
        begins.add(within[0] if point is SplitPoint.BEGINNING else within[-1] + 1)
    begins -= {0, len(nodes)}
    stages, stage = {}, 0
    for number, node in enumerate(nodes):
        stage += number in begins
        stages[node] = stage
    return {node: stage for node, stage in stages.items() if node.target is not pipe_split}


def list_paths(node):
    """Return the paths of the modules in whose calls a node was recorded."""
    return [path for path, _ in node.meta.get("nn_module_stack", {}).values()]


class Pipe(Module):
    """A model in stages: ``split_gm`` calls them one after the other, as the pipe itself does.

    ``num_stages`` is their number, ``get_stage_module(i)`` the module of one, and ``build_stage(i, device)`` the stage
    for a schedule.
    """

    __module__ = "torch.distributed.pipelining._IR"

    def __init__(self, stages, graph, members):
        super().__init__()
        self.num_stages = max(stages.values(), default=0) + 1
        self.has_loss_and_backward = False
        self.split_gm = join(graph, stages, self.num_stages, members)

    def forward(self, *args, **kwargs):
        """Compute the model in this process."""
        found = self.split_gm(*args, **kwargs)
        return found[0] if isinstance(found, tuple) and len(found) == 1 else found

    def get_stage_module(self, stage_idx):
        """Return the module of a stage.  Raise ValueError for an index out of range."""
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return getattr(self.split_gm, f"{PREFIX}{stage_idx}")

    def build_stage(self, stage_index, device, group=None):
        """Return the stage that a schedule runs in this process."""
        return _PipelineStage(self.get_stage_module(stage_index), stage_index, self.num_stages, device, group=group)

    def print_readable(self):
        """Print the code of all stages."""
        self.split_gm.print_readable()

    def __str__(self):
        return str(self.split_gm)

    __repr__ = __str__


def build_stage(stage_module, stage_index, pipe_info, device, group=None):
    """Return a stage of the ``Pipe`` ``pipe_info`` that runs ``stage_module`` in place of the pipe's module.

    >>> import tensh as torch
    >>> callable(torch.distributed.pipelining.build_stage)
    True
    """
    return PipelineStage(stage_module, stage_index, pipe_info.num_stages, device, group=group)


# ── the modules of stages ────────────────────────────────────────────────────
def join(graph, stages, count, members):
    """Return the graph module that calls the modules of all stages, with the values from earlier stages that they need."""
    last = {}  # node -> the last stage that needs its value
    for node in graph.nodes:
        stage = count - 1 if node.op == "output" else stages.get(node, 0)
        for each in node.all_input_nodes:
            if each.op != "get_attr":
                last[each] = max(last.get(each, 0), stage)
    output = graph.output_node()
    root, main = Module(), Graph()
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    values = {node: copy_value(main.placeholder(node.target), node) for node in inputs}
    for stage in range(count):
        own = [node for node, number in stages.items() if number == stage]
        live = [node for node in values if node in last and last[node] >= stage] if stage else inputs
        given = [node for node in (*live, *own) if last.get(node, -1) > stage]
        results = output.args[0] if stage == count - 1 else given[0] if len(given) == 1 else tuple(given)
        name = f"{PREFIX}{stage}"
        setattr(root, name, make_module(live, own, results, members))
        called = main.call_module(name, tuple(values[node] for node in live))
        if stage == count - 1:
            main.output(called)
        else:
            values = {
                node: copy_value(
                    called if len(given) == 1 else main.call_function(operator.getitem, (called, place)), node
                )
                for place, node in enumerate(given)
            }
    return GraphModule(root, main)


def copy_value(node, source):
    """Return a node with the example value of another."""
    node.meta["val"] = source.meta.get("val")
    return node


def make_module(inputs, nodes, results, members):
    """Make the module of a stage: its inputs, operations and results."""
    graph, made = Graph(), {}
    for node in inputs:
        made[node] = copy_value(graph.placeholder(node.name), node)

    def read(node):
        if node not in made:  # an attribute
            made[node] = copy_value(graph.get_attr(node.target), node)
        return made[node]

    for node in nodes:
        for each in node.all_input_nodes:
            read(each)
        made[node] = graph.node_copy(node, read)
    graph.output(map_arg(results, read))
    root = Module()
    for node in graph.find_nodes(op="get_attr"):
        assign_member(members[node.target], root, node.target)
    return GraphModule(root, graph)
