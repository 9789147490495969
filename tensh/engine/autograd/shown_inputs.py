"""Hooks on nodes whose inputs are not those of PyTorch's node: only one of the two counts numbers as inputs."""

import functools

from tensh.engine.core.hooks import require_gradients
from tensh.engine.core.nodes import Node


def register_for_one(node, hook, place):
    """Register a hook on a node whose only input in PyTorch is the one at ``place``."""

    def embed(result, computed):
        return (*computed[:place], *result, *computed[place + 1 :])

    return register_between(node, hook, lambda computed: computed[place : place + 1], embed)


def register_for_more(node, hook, before, after):
    """Register a hook on a node that has further inputs in PyTorch, to which no gradient goes."""

    def cut(result, computed):
        return result[before : before + len(computed)]

    return register_between(node, hook, lambda computed: (None,) * before + computed + (None,) * after, cut)


def register_between(node, hook, show, restore):
    """Register a hook that is shown other gradients; ``restore`` turns its result into gradients of the node's inputs."""

    @functools.wraps(hook, updated=())
    def call(computed, arrived):
        shown = show(computed)
        result = hook(shown, arrived)
        return None if result is None else restore(require_gradients(result, shown, hook), computed)

    return Node.register_hook(node, call)
