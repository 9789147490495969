"""Samples whose parts cannot be joined into a batch: None, objects, lists of several lengths, dicts with other keys."""

import ast
import re

from tensh.explain.causes.data.loops import loop_over_loader
from tensh.explain.causes.names.definitions import explain_without_return, function_in_source
from tensh.explain.model import Explanation
from tensh.explain.situation import first_explanation, message_of
from tensh.support.language import _

FOUND = re.compile(r"default_collate: batch must contain .*; found <class '([\w.]+)'>")


def explain_part_without_batch(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_part_of_another_kind,
            explain_lists_of_many_lengths,
            explain_key_of_some_samples,
            explain_joined_samples,
            explain_batch_of_none,
        ),
        situation,
    )


def explain_batch_of_none(situation):
    """Explain a batch that is None because the function for collate_fn has no `return`."""
    if not situation.says("NoneType"):
        return None
    for loop in ast.walk(situation.place.tree() or ast.Module([], [])):
        if not isinstance(loop, ast.For):
            continue
        names = [each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)]
        loader = next((each for each in ast.walk(loop.iter) if is_loader(situation, each)), None)
        if loader is None or any(situation.names.get(name) is not None for name in names):
            continue
        function = situation.look_up(loader).collate_fn
        defined = function_in_source(situation, function)
        if defined is not None:
            return explain_without_return(defined, function.__name__)
    return None


def is_loader(situation, node):
    return hasattr(situation.look_up(node), "collate_fn")


def explain_part_of_another_kind(situation):
    """Explain samples that hold None, a set or an object of the program."""
    found = FOUND.fullmatch(message_of(situation.error))
    if not found:
        return None
    kind = found[1].rpartition(".")[2]
    if kind == "NoneType":
        rule = _("the samples hold None, which cannot be joined into a batch")
        return Explanation("DataLoader", (), rule, (), _("leave it out of the samples, or put a number in its place"))
    rule = _("the samples hold values of type {kind}, which cannot be joined into a batch").format(kind=kind)
    advice = _("return tensors, numbers, texts, or lists and dicts of them, or pass collate_fn=")
    return Explanation("DataLoader", (), rule, (), advice)


def explain_lists_of_many_lengths(situation):
    """Explain samples with lists of several lengths, whose elements are joined place by place."""
    if not situation.says("each element in list of batch should be of equal size"):
        return None
    rule = _("lists are joined element by element, but those of the samples have different lengths")
    advice = _("make them tensors of one length, or pass collate_fn=, with nn.utils.rnn.pad_sequence")
    return Explanation("DataLoader", (), rule, (), advice)


def explain_key_of_some_samples(situation):
    """Explain samples that are dicts, of which some lack a key of the first."""
    key = situation.error.args[0] if type(situation.error) is KeyError and len(situation.error.args) == 1 else None
    if type(key) is not str or loop_over_loader(situation) is None:
        return None
    rule = _("each sample of a batch must have the keys of the first one, but one lacks {key}").format(key=repr(key))
    return Explanation("DataLoader", (), rule, (), _("give every sample the same keys"))


def explain_joined_samples(situation):
    """Explain `torch.stack(batch)` of samples that consist of several parts, in a function for collate_fn."""
    node = situation.place.node()
    if not situation.says("expected Tensor as element 0 in argument 0, but got tuple") or not isinstance(
        node, ast.Call
    ):
        return None
    given = node.args[0] if node.args else None
    samples = situation.look_up(given) if isinstance(given, ast.Name) else None
    if type(samples) not in (list, tuple) or not all(type(each) is tuple for each in samples):
        return None
    names = ", ".join("xyzuvw"[: len(samples[0])])
    rule = _("{name} is a list of samples, each of which has {count} parts: zip gives the parts of all samples")
    advice = f"{names} = zip(*{given.id})"
    return Explanation("collate", (), rule.format(name=given.id, count=len(samples[0])), (), advice)
