"""Names of parameters without what wrappers add to them."""

from tensh.nn.parallel import DistributedDataParallel

CHECKPOINTED = "_checkpoint_wrapped_module."
COMPILED = "_orig_mod"


def plain_name(model, name):
    """Return the name that a parameter, buffer or submodule of a model has without wrappers.

    >>> import tensh as torch
    >>> from tensh.distributed.checkpoint.parameter_names import plain_name
    >>> plain_name(torch.compile(torch.nn.Linear(1, 1)), "_orig_mod.weight")
    'weight'
    """
    kept, here = [], model
    for part in name.replace(CHECKPOINTED, "").split("."):
        if part != COMPILED and not (part == "module" and isinstance(here, DistributedDataParallel)):
            kept.append(part)
        here = getattr(here, part, None)
    return ".".join(kept)


def list_prefixes(model, submodules):
    """Return how the names of what belongs to some submodules begin."""
    chosen = {id(module) for module in submodules}
    return [f"{plain_name(model, name)}." for name, module in model.named_modules() if id(module) in chosen]


def list_names(model):
    """Return id of a parameter -> its names without wrappers, of which shared ones have several."""
    found = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        found.setdefault(id(parameter), []).append(plain_name(model, name))
    return found
