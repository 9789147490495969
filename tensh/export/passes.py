"""torch.export.passes: changes of exported programs."""

from tensh.engine.core.tensor import Tensor
from tensh.export.descriptions import is_tensor
from tensh.func.trees import map_leaves
from tensh.nn.parameter import Parameter, is_parameter

__all__ = ["move_to_device_pass"]


def move_to_device_pass(ep, location):
    """Move an exported program to a device; return it.

    ``location`` is the device of everything, or a dictionary from present devices to others. New tensors of the program are made
    where its operators say, and there is the CPU and "meta".

    >>> import tensh as torch
    >>> import tensh.export.passes
    >>> program = torch.export.export(torch.nn.Linear(2, 1), (torch.ones(1, 2),))
    >>> moved = torch.export.passes.move_to_device_pass(program, "meta")
    >>> moved.state_dict["weight"].device
    device(type='meta')
    """

    def find(place):
        return location.get(str(place), place) if isinstance(location, dict) else location

    def move(value):
        moved = value.detach().to(find(value.device))
        return Parameter(moved, value.requires_grad) if is_parameter(value) else moved

    for table in (ep.state_dict, ep.constants):
        table.update({path: move(value) for path, value in table.items()})
    for node in (*ep.graph.nodes, *ep._traced.graph.nodes):
        if "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": find(node.kwargs["device"])}
        if is_tensor(node.meta.get("val")):
            node.meta["val"] = move(node.meta["val"])
    if ep.example_inputs is not None:
        ep.example_inputs = map_leaves(lambda each: move(each) if isinstance(each, Tensor) else each, ep.example_inputs)
    ep.graph_module.recompile()
    return ep
