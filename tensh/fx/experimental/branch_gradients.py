"""Gradients of branches in a trace: the backward pass of a branch is a branch, too."""

from contextlib import contextmanager

from tensh._aten.recording import shadow_of
from tensh.autograd import Function, grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad
from tensh.func.trees import flatten, leaves_of, unflatten

__all__ = ["BranchGradients"]


class BranchGradients:
    """The part of a recorder of operators for a branch whose operands require grad."""

    def record_higher_order(self, called, args):
        """Record a call of a higher-order operator on tensors; the results of a branch have a history."""
        result = super().record_higher_order(called, args)
        wanted = [each for each in self.taken if each.requires_grad and each.is_floating_point()]
        if called.name() != "cond" or not mode.grad or not wanted:
            return result
        leaves, spec = flatten(result)
        return unflatten(list(attach(called, args, self.taken, wanted, leaves)), spec)


@contextmanager
def cut_off(tensors):
    """Make tensors leaves temporarily, so that gradients do not reach the tensors that they were computed from."""
    known = []
    for each in tensors:
        if type(each.node) is not AccumulateGrad:
            holders = [each] if shadow_of(each) is None else [each, shadow_of(each)]
            known += [(holder, holder.node) for holder in holders]
            leaf = AccumulateGrad(each)
            for holder in holders:
                holder.node = leaf
    try:
        yield
    finally:
        for each, node in known:
            each.node = node


def attach(called, args, taken, wanted, leaves):
    """Return the results of a branch with a node, which calls the branch that computes the gradients of ``wanted``.

    ``taken`` are all operands, including the tensors that the functions take from enclosing code.
    """
    pred, first, second, operands = args

    def differentiate(function):
        def backward(*given):
            given = given[len(taken) :]
            with cut_off(wanted):
                with enable_grad():
                    results = leaves_of(function(*operands))
                pairs = [(each, g) for each, g in zip(results, given) if each.requires_grad]
                roots, weights = [each for each, _ in pairs], [g for _, g in pairs]
                found = grad(roots, wanted, weights, create_graph=mode.grad, materialize_grads=True)
            known = {id(each) for each in (*given, *wanted)}
            return [each.clone() if id(each) in known else each for each in found]

        backward.gives_list = True
        return backward

    class Branch(Function):
        @staticmethod
        def forward(*inputs):
            return tuple(leaves)

        @staticmethod
        def setup_context(context, inputs, output):
            pass

        @staticmethod
        def backward(context, *given):
            return tuple(called(pred, differentiate(first), differentiate(second), (*taken, *given)))

    return Branch.apply(*wanted)
