"""Dispatch of operators on batched tensors: by a rule if there is one, otherwise by a loop over the samples."""

from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core import ports
from tensh.engine.dispatch.override.dispatch import any_dispatches, any_has
from tensh.engine.dispatch.override.points import armed
from tensh.engine.dispatch.override.wrappers import restore_held
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor
from tensh.engine.dispatch.vmap.loop import call_by_samples
from tensh.engine.dispatch.vmap.rules import random, unsupported
from tensh.engine.dispatch.vmap.rules.creation import NEW
from tensh.engine.dispatch.vmap.rules.shared import NoRule
from tensh.engine.dispatch.vmap.rules.table import FUNCTIONS, OPERATORS
from tensh.engine.dispatch.vmap.rules.writes import method_write_rule, resize, write_rule

CALLERS = random.FUNCTIONS | unsupported.FUNCTIONS  # rules that receive the function, and call it
RULES: dict = {}  # the rules made so far: name -> function of the operator's arguments


def operator(name, /, *args, out=None, **options):
    """Apply the operator ``name`` to batches; "add_" is the in-place form of "add"."""
    if armed.lasting:
        kept = restore_held(args)
        if any_dispatches(kept) and not any_has("hides_batches", (*kept, *options.values())):
            return ports.dispatch_lifted(name, kept, options)
    if out is not None:
        raise RuntimeError(errors.OUT.format(name))
    rule = RULES.get(name)
    if rule is None:
        rule = RULES[name] = rule_of(name)
    try:
        return rule(*args, **options)
    except NoRule:
        fn = OPS[name].fn if name in OPS else OPS[name[:-1]].inplace_fn
        return call_by_samples(fn, args, options)


def rule_of(name):
    """Return the rule of an operator, or of its in-place form."""
    if name not in OPS:
        return write_rule(name)
    op = OPS[name]
    # the copying twin of a view
    maker = OPERATORS.get(name) or OPERATORS.get(name.removesuffix("_copied").removesuffix("_copy"))
    if maker is not None:
        return maker(op)
    if op.pointwise:
        return OPERATORS["*"](op)
    return lambda *args, **options: call_by_samples(op.fn, args, options)


def function(name, fn, args, options, /):
    """Apply a composite to batches."""
    if armed.lasting:
        kept = restore_held(args)
        if any_dispatches(kept) and not any_has("hides_batches", (*kept, *options.values())):
            return ports.dispatch_lifted(name, kept, options)
    if options.get("out") is not None:
        raise RuntimeError(errors.OUT.format(name))
    if name in CALLERS:
        return CALLERS[name](fn, args, options)
    rule = FUNCTIONS.get(name)
    try:
        if rule is not None:
            return rule(*args, **options)
        if name.endswith("_"):
            return method_write_rule(name)(*args, **options)
    except NoRule:
        pass
    return call_by_samples(fn, args, options)


for _name, _method in (*NEW.items(), ("resize_", resize)):
    setattr(BatchedTensor, _name, _method)
