"""torch.fx._pytree: the leaves of nested arguments, by the structure recorded in a trace."""

from tensh.func.trees import NAMED, flatten

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree, spec):
    """List the leaves of ``pytree`` by the structure ``spec``; keys that the structure lacks are ignored.

    Raise RuntimeError for another structure.
    """
    if spec.is_leaf():
        return [pytree]
    if spec.type is dict:
        children = [pytree[key] for key in spec.context]
    elif spec.type in (list, tuple, NAMED):
        children = [pytree[place] for place in range(spec.num_children)]
    else:
        leaves, real_spec = flatten(pytree)
        if real_spec != spec:
            raise RuntimeError(
                f"Real spec {real_spec} of object {pytree} is different from expected spec {spec}. Please file an issue at "
                "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml"
            )
        return leaves
    return [leaf for child, part in zip(children, spec.children()) for leaf in tree_flatten_spec(child, part)]
