"""Random numbers: an error, the same for all samples, or different, by the randomness of each running call of ``vmap``.

While a call is running, the generator raises ``Lift`` (or the error) before it draws; the rules below then draw for
whole batches, in PyTorch's order: numbers that differ have batch dimensions, numbers that are the same have none.
"""

from functools import partial
from itertools import product

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor, align_batches, expand_batches, make_batched, value_of
from tensh.engine.dispatch.vmap.equal_samples import have_equal_samples, take_sample
from tensh.engine.dispatch.vmap.levels import drawing, refuse_errors, running
from tensh.engine.dispatch.vmap.rules.leading import DIM
from tensh.engine.dispatch.vmap.rules.shared import levels_of, ndim_of, reshape_value, wrap_result
from tensh.engine.operators.shapes.rearrangement import stack
from tensh.engine.operators.shapes.views import permute, select
from tensh.engine.random.generator import Generator, default_generator


def find_differing_levels():
    """Return (the levels with randomness "different", the sizes of their batches)."""
    levels = [each for each in running.levels if each.randomness == "different"]
    return tuple([each.number for each in levels]), tuple([each.size for each in levels])


def sizes():
    """Return a dict from level to batch size for all running calls."""
    return {each.number: each.size for each in running.levels}


def densify(t, levels):
    """Return the value of ``t`` with all batch dimensions, contiguous, because numbers are drawn in memory order."""
    return expand_batches(t, levels, sizes()).contiguous() if levels else t


# ── draws with tensor parameters ─────────────────────────────────────────────
def draw_for_tensors(draw, tensors, given=()):
    """Call ``draw(values)`` on tensors that vary with every level of different randomness, or have equal samples.

    A generator among the arguments ``given`` is the one that draws.
    """
    refuse_errors()
    levels, _ = find_differing_levels()
    fixed = {*levels_of(tensors)} - {*levels}
    if fixed:
        for each in tensors:
            if type(each) is BatchedTensor and not have_equal_samples(each, fixed.intersection(each.levels)):
                raise RuntimeError(errors.SAME)
        source = next((each for each in given if isinstance(each, Generator)), default_generator)
        return repeat_draw(lambda selected: draw_for_tensors(draw, selected), tensors, source)
    with drawing():
        return wrap_result(draw([densify(t, levels) for t in tensors]), levels)


def elements(op):
    """Make the rule of an operator that draws for every element."""

    def rule(*args, **options):
        places = [place for place, each in enumerate(args) if isinstance(each, Tensor)]

        def draw(values):
            given = list(args)
            for place, value in zip(places, values, strict=True):
                given[place] = value
            return op.fn(*given, **options)

        return draw_for_tensors(draw, [args[place] for place in places], (*args, *options.values()))

    return rule


def draw_for_list(op):
    """Make the rule of an operator that draws for a list of tensors."""
    return lambda inputs, draw, name: draw_for_tensors(lambda values: op.fn(values, draw, name), list(inputs))


def multinomial(fn, args, options):
    """Draw from rows of weights: batches are more rows."""
    options = dict(options)
    input = args[0] if args else options.pop("input")
    n = ndim_of(input)

    def draw(values):
        value = values[0]
        rows = reshape_value(value, (-1, value.array.shape[-1])) if n else value
        drawn = fn(rows, *args[1:], **options)
        return reshape_value(drawn, (*value.array.shape[:-1], drawn.array.shape[-1]))

    return draw_for_tensors(draw, [input], (*args, *options.values()))


# ── dropout and similar functions ────────────────────────────────────────────
def drop(fn, args, options):
    """Draw for the elements of the first argument, or for whole channels with ``feature``."""
    refuse_errors()
    levels, _ = find_differing_levels()
    if not args:
        args, options = (options["input"],), {name: each for name, each in options.items() if name != "input"}
    input, *rest = args
    if not levels or not {*levels_of((input,))} <= {*levels}:
        return draw_for_samples(fn, args, options) if levels else same_for_all(fn, args, options)
    value = densify(input, levels)
    with drawing():
        if not options.get("feature"):
            return make_batched(fn(value, *rest, **options), levels)
        shape, k = value.array.shape, len(levels)
        together = reshape_value(value, (-1, *shape[k + 1 :]))
        return make_batched(reshape_value(fn(together, *rest, **options), shape), levels)


def slope(fn, args, options):
    """Draw a slope for each negative element, as ``drop`` does; outside of training all slopes are the mean."""
    training = options.get("training", args[3] if len(args) > 3 else False)
    if training:
        return drop(fn, args, options)
    names = dict(zip(("input", "lower", "upper", "training"), args)) | options
    input = names.pop("input")
    levels = levels_of((input,))
    return make_batched(fn(densify(input, levels), **names), levels)


def same_for_all(fn, args, options):
    """Draw the same numbers for all samples: the function reads only shapes before it draws."""
    with drawing():
        return fn(*args, **options)


def draw_for_samples(fn, args, options):
    """Draw different numbers for some levels, and the same for the other levels."""
    return repeat_draw(lambda selected: drop(fn, selected, options), args)


def repeat_draw(draw, args, source=default_generator):
    """Call ``draw(args)`` with the samples of levels that draw the same, one by one from the same state of a generator."""
    numbers, _ = find_differing_levels()
    fixed = tuple([each for each in levels_of(args) if each not in numbers])
    state, results = source.get_state(), []
    for place in product(*[range(sizes()[each]) for each in fixed]):
        source.set_state(state)
        at = dict(zip(fixed, place, strict=True))
        results.append(value_of(draw(tuple([select_samples(each, at) for each in args]))))
    whole = stack.fn(results, 0)
    shape = whole.array.shape
    whole = reshape_value(whole, (*[sizes()[each] for each in fixed], *shape[1:]))
    have = (*fixed, *numbers)
    order = [have.index(each) for each in sorted(have)]
    whole = permute.fn(whole, (*order, *range(len(order), whole.array.ndim)))
    return make_batched(whole, tuple(sorted(have)))


def select_samples(t, at):
    """Select places of some levels of a batched tensor."""
    if type(t) is not BatchedTensor:
        return t
    value, levels = t.value, t.levels
    for number, place in at.items():
        if number in levels:
            value = select.fn(value, levels.index(number), place)
            levels = tuple([each for each in levels if each != number])
    return make_batched(value, levels)


def gumbel(fn, args, options):
    """Compute ``gumbel_softmax``, which draws where batch dimensions are in memory, and whose ``dim`` also counts them."""
    levels, batch = find_differing_levels()
    names = ("logits", "tau", "hard", "eps", "dim")
    given = {"dim": -1} | dict(zip(names, args, strict=False)) | options
    logits = given.pop("logits")
    if levels:
        given["dim"] = DIM(given["dim"], ndim_of(logits), batch)
    if not levels or not {*levels_of((logits,))} <= {*levels}:
        return drop(partial(fn, **given), (logits,), {})
    refuse_errors()
    value = expand_batches(logits, levels, sizes())
    order = order_in_memory(value, len(levels))
    given["dim"] = order.index(given["dim"])
    with drawing():
        drawn = fn(permute.fn(value, order), **given)
    return make_batched(permute.fn(drawn, tuple([order.index(dim) for dim in range(len(order))])), levels)


def order_in_memory(value, batches):
    """Return the order of dimensions in which ``value`` is contiguous, if only batch dimensions move, or their own order."""
    strides, dims = value.stride(), range(value.array.ndim)
    order = tuple(sorted(dims, key=lambda dim: -strides[dim]))
    samples = [dim for dim in order if dim >= batches]
    return order if samples == sorted(samples) and permute.fn(value, order).is_contiguous() else tuple(dims)


# ── new tensors ──────────────────────────────────────────────────────────────
def factory(fn, args, options):
    """Call a function of a size."""
    levels, batch = find_differing_levels()
    refuse_errors()
    with drawing():
        if "size" in options:
            return make_batched(fn(*args, **options | {"size": batch + tuple(options["size"])}), levels)
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return make_batched(fn(batch + tuple(size), **options), levels)


def permutation(fn, args, options):
    """Compute ``randperm``, one sample after the other."""
    refuse_errors()
    levels, batch = find_differing_levels()
    with drawing():
        if not levels:
            return fn(*args, **options)
        each = [fn(*args, **options) for _ in product(*map(range, batch))]
    whole = stack.fn(each, 0)
    return make_batched(reshape_value(whole, (*batch, *whole.array.shape[1:])), levels)


def draw_like(fn, args, options):
    """Call a function that takes size, dtype and order in memory from a tensor."""
    levels, _ = find_differing_levels()
    input = args[0] if args else options["input"]
    template = select_samples(input, dict.fromkeys([each for each in levels_of((input,)) if each not in levels], 0))
    value = expand_batches(template, levels, sizes()) if levels else template
    rest = {name: each for name, each in options.items() if name != "input"}
    refuse_errors()
    with drawing():
        return make_batched(fn(value, *args[1:], **rest), levels)


# ── in place ─────────────────────────────────────────────────────────────────
def fill(name):
    """Make the rule of a method that fills a tensor."""

    def rule(fn, args, options):
        refuse_errors()
        self, levels = args[0], find_differing_levels()[0]
        own = self.levels if type(self) is BatchedTensor else ()
        probability = options.get("p")
        if isinstance(probability, Tensor):
            wanted = levels_of((probability,))
            if not {*wanted} <= {*levels}:
                probability, wanted = take_sample(probability, errors.SAME), ()
            if not {*wanted} <= {*own}:
                raise RuntimeError(errors.SMALLER.format("inplace bernoulli"))
            options = options | {"p": densify(probability, levels)}
        if not {*levels} <= {*own}:
            raise RuntimeError(errors.UNBATCHED)
        with drawing():
            if own == levels:
                fn(self.value if own else self, *args[1:], **options)
                return self
            shape = tuple([sizes()[each] for each in levels]) + self.array.shape
            drawn = make_batched(self.value.new_empty(shape), levels)
            fn(drawn.value if levels else drawn, *args[1:], **options)
        self.value.copy_(align_batches(drawn, own) if levels else drawn)
        return self

    return rule


OPERATORS = {
    "bernoulli_each": elements, "normal_mean": elements, "normal_std": elements, "normal_both": elements,
    "poisson_of": elements, "standard_gamma_of": elements, "underivable": draw_for_list,
}  # fmt: skip
FUNCTIONS = {
    **dict.fromkeys(("rand", "randn", "randint", "normal"), factory),
    **dict.fromkeys(("rand_like", "randn_like", "randint_like"), draw_like),
    "drop": drop, "rrelu": slope,
    **{
        name: fill(name)
        for name in "uniform_ normal_ log_normal_ exponential_ cauchy_ geometric_ random_ bernoulli_".split()
    },
    "randperm": permutation, "multinomial": multinomial, "gumbel_softmax": gumbel,
}  # fmt: skip
"""Rules that receive the function as an argument, and call it."""
