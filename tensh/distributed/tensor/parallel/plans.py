"""Applying a plan, which says by name how the layers of a module are cut."""

from fnmatch import fnmatch

from tensh.distributed.tensor.api import current_mesh
from tensh.distributed.tensor.parallel.styles import ParallelStyle
from tensh.engine.errors.warnings import warn


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    """Cut the layers of a module by a plan: a style, or path of a submodule -> style, in which ``*`` stands for any name.

    Return the module.  The elements are those of the first process.  Raise TypeError for another plan, NotImplementedError
    for a style that does not fit a layer; warn about paths without a submodule.

    >>> import tensh as torch
    >>> from tensh.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mesh = dist.device_mesh.init_device_mesh("cpu", (1,))
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    >>> model = parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    >>> model[0].weight.placements, model[2].weight.placements
    ((Shard(dim=0),), (Shard(dim=1),))
    >>> dist.destroy_process_group()
    """
    mesh = device_mesh or current_mesh()
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this parallelize_module "
            "call will do nothing."
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        name, _, rest = path.partition(".")
        found = [module] if not path else [each for key, each in module.named_children() if fnmatch(key, name)]
        if not found:
            warn(
                f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{name}' in module "
                f"{module}, skipping this plan entry."
            )
        for each in found:
            parallelize_module(each, mesh, {rest: style} if rest else style, src_data_rank=src_data_rank)
    return module


parallelize_module.__module__ = "torch.distributed.tensor.parallel"
