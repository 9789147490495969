"""Elementwise optimizers: everything but the rule of each."""

from numpy import ndarray

from tensh.engine.arrays.memory import overlaps_itself
from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.autograd.modes import enable_grad, no_grad
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.tensor import SPARSE, Tensor
from tensh.engine.dispatch.override.state import dispatches
from tensh.engine.errors.messages import too_large
from tensh.engine.operators.shapes.layout import view_as_real
from tensh.optim.checks import CAPTURING, refuse_sparse_gradients, require_fusible
from tensh.optim.optimizer import Optimizer, evaluate
from tensh.optim.raw import update_in_pieces
from tensh.optim.together import FEWEST, Division
from tensh.support.naming import Shared


class Elementwise(Shared, Optimizer):
    """A subclass defines the state of a parameter (``begin``) and the update of its elements (``rule``).

    Its options include ``differentiable``, and ``maximize`` where gradients may be negated. ``LATER`` has the options that
    groups of older checkpoints lack. See Note [One rule, two readings] in raw.py.
    """

    SHARED = ("step",)
    ARRAYS = ()  # names of state of the parameter's shape
    COUNTERS = ("step",)  # names of state that is one number
    CAPTURED = "params and state_steps"  # names of state that would have to be on a capturing device
    DEVICES = CAPTURING

    def refuse_sparse(self, group):
        """Raise RuntimeError for sparse gradients that the group does not support."""
        refuse_sparse_gradients(type(self).__name__)

    def begin(self, p, group):
        """The state of a parameter before its first step."""
        raise NotImplementedError

    def rule(self, p, group, state, step):
        """Compute the terms that all elements share; return the function that updates some of the elements.

        It takes tensors, or arrays with the methods of tensors: the parameter, its gradient, and each of ``ARRAYS``
        that the state has, by name.
        """
        raise NotImplementedError

    def step(self, closure=None):
        """Change the parameters; ``closure``, if given, computes the loss and its gradients first; its result is returned."""
        loss = evaluate(closure)
        if self.defaults["differentiable"]:
            with enable_grad():
                self._step(self._step_on_tensors, _squeeze)
        else:
            try:
                with Uninterrupted():
                    self._step(self._step_on_arrays, _number, self._step_small)
            except MemoryError as error:
                raise too_large(error) from None
        return loss

    def _step(self, change, number, change_small=None):
        for place, group in enumerate(self.param_groups):
            if group.get("fused"):
                require_fusible(group["params"])
            if SPARSE and any(p.grad is not None and type(p.grad.array) in SPARSE for p in group["params"]):
                self.refuse_sparse(group)
            values = _fill_numbers(group, number)
            states, params = self.state, group["params"]
            members = [
                (p, g, states.get(p) or self._begin_state(p, group)) for p in params if (g := p.grad) is not None
            ]
            if members and group.get("capturable"):
                raise AssertionError(
                    f"If capturable=True, {self.CAPTURED} must be on supported devices: {self.DEVICES}."
                )
            if change_small is not None and len(members) >= FEWEST:
                members = change_small(members, values, place)
            for p, grad, state in members:
                change(p, grad, values, state)

    def _step_small(self, members, group, place):
        """Step small parameters together, and return the others: see Note [Small parameters together] in together.py.

        The division of the group at a ``place`` is kept for the next step.
        """
        divisions = self.__dict__.setdefault("_divisions", {})
        division = divisions.get(place)
        if division is None or not division.fits(members):
            division = divisions[place] = Division(members, self.ARRAYS)
        for batch in division.batches:
            for i in batch.places:
                step = count_step(members[i][2])
            p, _, state = members[batch.places[0]]
            batch.step(members, self._change(p, group, state, step))
        return [members[i] for i in division.others]

    def _begin_state(self, p, group):
        """Return the state of a parameter before its first step, and keep it if there is any."""
        state = self.begin(p, group)
        if state:
            self.state[p] = state
        return state

    def _step_on_arrays(self, p, grad, group, state):
        """One step of one parameter, on arrays."""
        kind = p.array.dtype.kind
        other = type(p.array) is not ndarray and (type(p.array) in SPARSE or dispatches(type(p)))
        other = other or type(grad.array) is not ndarray and dispatches(type(grad))
        if other or kind in "biu" or overlaps_itself(p.array) and not group.get("fused"):
            with no_grad():  # the operators raise their own errors for integers and overlapping memory
                self._step_on_tensors(p, grad, group, state)
            return
        if type(grad.array) in SPARSE:
            grad = grad.to_dense()
        update = self._change(p, group, state, count_step(state))
        names = [name for name in self.ARRAYS if state.get(name) is not None] if state else ()
        if kind in "cV" and p.is_complex():
            arrays = [view_as_real.fn(each).array for each in (p.detach(), grad.detach(), *map(state.get, names))]
        else:
            arrays = [p.array, grad.array, *[state[name].array for name in names]]
        try:
            update_in_pieces(update, arrays, names)
        finally:  # where memory is lacking, some elements may have been changed
            stamp_write(p.array)

    def _change(self, p, group, state, step):
        """Return the function that updates the elements of a parameter, with its gradient negated to maximize."""
        update = self.rule(p, group, state, step)
        if not group.get("maximize"):
            return update
        return lambda p, grad, **others: update(p, grad.neg(), **others)

    def _step_on_tensors(self, p, grad, group, state):
        """Compute the rule on tensors, for a differentiable step."""
        update = self._change(p, group, state, count_step(state))
        tensors = {name: state[name] for name in self.ARRAYS if state.get(name) is not None}
        if p.is_complex():
            p, grad = view_as_real.fn(p), view_as_real.fn(grad)
            tensors = {name: view_as_real.fn(each) for name, each in tensors.items()}
        update(p, grad, **tensors)


def keep(value):
    """Return an operand that a recorded operation saves and a later one writes: a copy of a tensor, or the array itself."""
    return value.clone() if isinstance(value, Tensor) else value


def decay_weights(grad, p, weight_decay):
    """Return the gradient plus that of the penalty ``weight_decay / 2 * p**2``."""
    if isinstance(weight_decay, Tensor):
        return grad.addcmul(keep(p), weight_decay)
    return grad.add(p, alpha=weight_decay) if weight_decay != 0 else grad


def weigh(grad, p, group):
    """Return the gradient plus that of the penalty; decoupled weight decay shrinks ``p`` itself instead."""
    weight_decay = group["weight_decay"]
    if not group["decoupled_weight_decay"]:
        return decay_weights(grad, p, weight_decay)
    if weight_decay != 0:
        p.mul_(1 - group["lr"] * weight_decay)
    return grad


def add_scaled_(p, update, scale):
    """``p += scale * update``, for a scale that may be a tensor."""
    if isinstance(scale, Tensor):
        p.add_(keep(update).mul(scale))
    else:
        p.add_(update, alpha=scale)


def add_ratio_(p, update, denominator, scale):
    """``p += scale * update / denominator``, for a scale that may be a tensor."""
    if isinstance(scale, Tensor):
        p.addcdiv_(keep(update).mul(scale), denominator)
    else:
        p.addcdiv_(keep(update), denominator, value=scale)


def average_(average, value, beta):
    """Update an exponential average, of which ``beta`` remains."""
    average.lerp_(value, 1 - beta)


def average_square_(average, value, beta):
    """Update a running mean of squares."""
    if isinstance(beta, Tensor):
        average.lerp_(value.square(), 1 - beta)
    else:
        average.mul_(beta).addcmul_(value, value, value=1 - beta)


def count_step(state):
    """Count a step; return the number of steps as a Python number."""
    if "step" not in state:
        return None
    step = state["step"].array
    step[...] = step.item() + 1  # a fifth of the time of adding in place
    return step.item()


PLAIN = frozenset((bool, int, float, type(None), list))
"""The types of most options."""


def _fill_numbers(group, number):
    """Return the group with ``number`` of each tensor among its options, also within tuples."""
    others = [value for value in group.values() if type(value) not in PLAIN]
    if not any(
        [isinstance(each, Tensor) for value in others for each in (value if type(value) is tuple else (value,))]
    ):
        return group
    return {
        name: number(value)
        if isinstance(value, Tensor)
        else tuple(map(number, value))
        if type(value) is tuple
        else value
        for name, value in group.items()
    }


def _number(value):
    return value.array.reshape(())[()] if isinstance(value, Tensor) else value


def _squeeze(value):
    return value.squeeze() if isinstance(value, Tensor) else value
