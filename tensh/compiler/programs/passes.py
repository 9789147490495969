"""Optimization passes: fold constants, merge common steps, remove dead ones, fuse chains."""

from collections import Counter

import numpy as np

from tensh.compiler.programs.steps import CALL, CHECK, EFFECT, POINTWISE, VIEW, Step, Var
from tensh.engine.arrays.owners import memory_of
from tensh.engine.dispatch.capture.lines import map_parts
from tensh.engine.operators.precision import ONES
from tensh.engine.operators.reductions.summation import PAIRS

FUSED = "fused"
TOTALS = frozenset(("sum_all", "mean_all"))
"""Reductions that join the chain which computes their operand."""
ARITHMETIC = frozenset(("add", "sub", "mul", "div", "neg"))
"""Functions whose results are exact: those of others may differ in the last digit for few elements and for many."""
LARGE = 1 << 15  # chains of at least this many elements are computed block by block; smaller arrays stay in the cache


def fold_constants(steps, constants, kept, written):
    """Compute steps whose operands are constants, and turn their results into constants.

    Variables in ``kept`` and memory in ``written`` are not folded.  ``constants`` is extended.  Return (steps, variable
    -> array).
    """
    left = []
    for step in steps:
        foldable = (
            step.kind not in (EFFECT, CHECK) and not step.line.random and all(each in constants for each in step.inputs)
        )
        foldable = foldable and (step.kind is not CALL or step.name in MAKERS)
        if foldable and not any(out in kept or id(memory_of(out.array)) in written for out in step.outs):
            constants.update((out, out.array) for out in step.outs)
        else:
            left.append(step)
    return left, constants


MAKERS = frozenset(
    """
    make_zero_gradient make_causal_mask zeros ones full empty arange tensor as_tensor scalar_tensor eye linspace
    tril_indices triu_indices zeros_like ones_like full_like
""".split()
)
"""PyTorch functions that make a tensor from numbers alone."""


def simplify(steps, kept, gradients):
    """Remove steps that undo another or change nothing: the transpose of a transpose, a reshape to the same shape.

    Return (steps, variable -> its replacement).
    """
    made, by, left = {}, {}, []
    reads = Counter(each for step in steps for each in step.inputs)
    reads.update([*kept, *gradients])
    for step in steps:
        step.args, step.options = map_parts(lambda each: by.get(each, each), Var, (step.args, step.options))
        source = step.args[0] if step.args and isinstance(step.args[0], Var) else None
        before = made.get(source)
        same = None
        if step.kind is VIEW and source is not None and step.out not in kept:
            if step.name == "t" and before is not None and before.name == "t":
                same = before.args[0]
            elif step.name in ("view", "expand", "reshape_alias") and step.out.shape == source.shape:
                same = source
            elif step.name == "view" and reads[source] == 1 and before is not None and sums_to(before, step):
                before.args, before.outs = (*before.args[:2], False, *before.args[3:]), [step.out]
                made[step.out] = before
                continue
            elif step.name == "view" and before is not None and before.name == "view":
                step.args = (before.args[0], *step.args[1:])
                same = before.args[0] if before.args[0].shape == step.out.shape else None
        if same is not None:
            by[step.out] = same
            continue
        left.append(step)
        made.update((out, step) for out in step.outs)
    return left, by


def sums_to(summed, step):
    """Return True if a view removes the dimensions that a sum has kept."""
    if summed.name != "sum_dim" or summed.args[2:3] != (True,):
        return False
    shape, dims = summed.args[0].shape, summed.args[1]
    gone = {dim % len(shape) for dim in ((dims,) if type(dims) is int else dims)} if shape else set()
    return step.out.shape == tuple(n for dim, n in enumerate(shape) if dim not in gone)


def sink_expansions(steps, kept):
    """Let pointwise steps read what an expanded variable repeats, and compute it before it is repeated.

    A mean sends one number back to all elements: it is divided once, and broadcast by the first step with other operands.
    Variables in ``kept`` are not changed.  Return the steps.
    """
    readers = {}
    for step in steps:
        for each in step.inputs:
            readers.setdefault(each, []).append(step)
    expansions = [step for step in steps if step.kind is VIEW and step.name == "expand" and step.out.dtype in ONES]
    repeated, left = {step.out: step.args[0] for step in expansions}, []  # variable -> the one that it repeats
    for step in steps:
        if any(each in repeated for each in step.inputs) and is_plain(step):
            whole = has_whole_operand(step, repeated)
            if not whole and step.out not in kept and is_early(step, repeated, readers.get(step.out, ())):
                shape = next(repeated[each].shape for each in step.inputs if each in repeated)
                out = Var(np.empty(shape, step.out.dtype))
                repeated[step.out], step.outs, whole = out, [out], True
            if whole:
                step.args = map_parts(lambda each: repeated.get(each, each), Var, step.args)
        left.append(step)
    return left


def is_early(step, repeated, readers):
    """Return True if a step may be computed before its operands are repeated: all ``readers`` broadcast its result."""
    before = {repeated[each].shape for each in step.inputs if each in repeated}
    others = [each for each in step.inputs if each not in repeated and each.size > 1]
    if step.name not in ARITHMETIC or len(before) > 1 or others:
        return False
    then = {**repeated, step.out: None}
    return all([is_plain(each) and has_whole_operand(each, then) for each in readers])


def is_plain(step):
    """Return True for a pointwise step of floats that has no options."""
    return step.kind is POINTWISE and not step.options and all([each.dtype is step.out.dtype for each in step.inputs])


def has_whole_operand(step, repeated):
    """Return True if an operand that repeats no other variable has the shape of the result."""
    return any([each not in repeated and each.shape == step.out.shape for each in step.inputs])


def merge_common(steps, kept, written, outs, own):
    """Remove steps that repeat an earlier computation; return (steps, variable -> its replacement).

    The backward pass (lines that are not among ``own``) does not reuse a result of the function: a program may write
    into it, which must not affect the values that operators have saved.
    """
    seen, merged, left = {}, {}, []
    held = {id(memory_of(each.array)) for each in kept}  # also that of results that are views
    for step in steps:
        step.args, step.options = map_parts(lambda each: merged.get(each, each), Var, (step.args, step.options))
        fixed = step.kind in (EFFECT, CALL, CHECK) or step.line.random or any(
            id(memory_of(each.array)) in written for each in (*step.outs, *step.inputs)
        )  # fmt: skip
        key = None if fixed else (step.kind, step.name, describe(step.args), describe(tuple(step.options.items())))
        again = key is not None and key in seen and not any(id(memory_of(out.array)) in held for out in step.outs)
        if again and (id(step.line) in own or outs.isdisjoint(seen[key].outs)):
            merged.update(zip(step.outs, seen[key].outs, strict=True))
            continue
        if key is not None:
            seen.setdefault(key, step)
        left.append(step)
    return left, merged


def describe(structure):
    """Return a text that identifies a structure with variables."""
    return repr(map_parts(lambda each: f"@{id(each)}", Var, structure))


def drop_dead(steps, wanted):
    """Remove steps without effects whose results are unused."""
    needed, left = set(wanted), []
    for step in reversed(steps):
        if step.kind in (EFFECT, CHECK) or step.line.random or any(out in needed for out in step.outs):
            needed.update(step.inputs)
            left.append(step)
    return left[::-1]


def split(steps, outputs, gradients, own):
    """Return (steps of the forward pass, of the backward pass): the forward pass has what outputs and effects need.

    ``own`` are the ids of the lines of the forward pass.
    """
    needed, forward = set(outputs), []
    for step in reversed(steps):
        stays = (step.kind in (EFFECT, CHECK) or step.line.random) and id(step.line) in own
        if stays or any(out in needed for out in step.outs):
            needed.update(step.inputs)
            forward.append(step)
    chosen = set(map(id, forward))
    return forward[::-1], drop_dead([step for step in steps if id(step) not in chosen], gradients)


class Group(Step):
    """Pointwise steps of one shape that are computed together, block by block; ``outs`` are read by other steps.

    The last step may be a sum or a mean of all elements of one result.
    """

    __slots__ = ("steps",)

    def __init__(self, steps):
        first = steps[0]
        super().__init__(FUSED, "+".join(step.name for step in steps), None, (), [], first.line)
        self.steps = steps

    @property
    def total(self):
        """The sum or mean, or None."""
        return self.steps[-1] if self.steps[-1].name in TOTALS else None

    @property
    def flat(self):
        """True if all operands have the shape of the results, or one element: blocks may begin anywhere."""
        shape = self.steps[0].out.shape
        return all(each.shape == shape or each.size == 1 for each in self.inputs)

    @property
    def inputs(self):
        made = {out for step in self.steps for out in step.outs}
        return list(dict.fromkeys(each for step in self.steps for each in step.inputs if each not in made))

    def settle(self, readers):
        """Determine which results are read outside: by ``readers`` (variable -> steps), or as results."""
        own = set(map(id, self.steps))
        self.outs = [
            step.out for step in self.steps if any(id(reader) not in own for reader in readers.get(step.out, ()))
        ]


def fuse(steps, wanted):
    """Gather pointwise steps over many elements into groups: see ``Group``."""
    readers, open_groups, order = {}, {}, []
    for step in steps:
        for each in step.inputs:
            readers.setdefault(each, []).append(step)
    for each in wanted:
        readers.setdefault(each, []).append(None)
    home = {}  # variable -> the shape of the open group that computes it

    def close(shape):
        group = open_groups.pop(shape)
        for step in group:
            home.pop(step.out, None)
        order.append(Group(group) if len(group) > 1 else group[0])

    for step in steps:
        own = step.out.shape if step.kind is POINTWISE and fits(step) else None
        for shape in {home[each] for each in step.inputs if each in home} - {own}:
            if shape in open_groups:
                close(shape)
        if step.kind in (EFFECT, CHECK):
            for shape in list(open_groups):
                close(shape)
        if own is None:
            order.append(step)
        else:
            open_groups.setdefault(own, []).append(step)
            home[step.out] = own
    for shape in list(open_groups):
        close(shape)
    order = join_totals(order)
    for group in order:
        if isinstance(group, Group):
            group.settle(readers)
    return order


def join_totals(steps):
    """Move sums and means of all elements into the groups that compute their operands."""
    home, left = {}, []  # home: variable -> the place of the group
    for step in steps:
        if step.kind in (EFFECT, CHECK):  # later sums may read what it wrote
            home.clear()
        plain = step.name in TOTALS and not any(each is not None for each in (*step.args[1:], *step.options.values()))
        place = home.get(step.args[0]) if plain else None
        if place is None:
            made = step.steps if isinstance(step, Group) else [step] if step.kind is POINTWISE and fits(step) else []
            home.update((each.out, len(left)) for each in made if each.out.size > PAIRS and each.out.dtype in ONES)
            left.append(step)
            continue
        own = left[place].steps if isinstance(left[place], Group) else [left[place]]
        group = Group([*own, step])
        if own[-1].name in TOTALS or not group.flat:
            left.append(step)
        else:
            left[place] = group
    return left


def fits(step):
    """Return True for a step over many elements in memory order, whose operands can be divided into blocks."""
    shape, many = step.out.shape, step.out.size >= LARGE and step.out.contiguous
    return many and shape[0] > 1 and all(len(each.shape) <= len(shape) for each in step.inputs)
