"""The note on parts of a model that are not registered, so that the optimizer of the others leaves them as they are."""

from tensh.cli.session.notes.models import is_module
from tensh.cli.session.notes.texts.shared import is_optimizer, name_of, piece
from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.unregistered import parts_of, unregistered_parts, wrap_attribute
from tensh.explain.source.statements import class_of
from tensh.support.language import _


def note_unregistered(optimizer, leaves, place, names):
    """Return the note on gradients of a model's tensors that it has not registered; None if they belong to no model."""
    optimizers = [optimizer, *(each for each in names.values() if is_optimizer(each))]
    stepping = {id(p) for each in optimizers for group in each.param_groups for p in group["params"]}
    reached = {id(leaf.variable) for leaf in leaves}
    for model in models_among(names):
        if not any(id(p) in stepping for p in model.parameters()):
            continue
        for path, module in model.named_modules():
            for attribute, value, wrapper, what in unregistered_parts(module):
                if not stepping.isdisjoint(ids_of(value)) or reached.isdisjoint(ids_of(value)):
                    continue
                owner = ".".join(filter(None, (name_of(model, names, _("the model")), path)))
                message = _("{optimizer}.step() leaves {part} as it was, although backward() reaches it: it is {what}")
                fits = wrap_attribute(class_of(piece(place), type(module).__name__), attribute, wrapper)
                advice = (
                    _("line {line}: {code}").format(line=fits[0].line, code=fits[0].text)
                    if fits
                    else _("register it: self.{attribute} = {wrapper}(...)").format(
                        attribute=attribute, wrapper=wrapper
                    )
                )
                name = name_of(optimizer, names, _("the optimizer"))
                return message.format(optimizer=name, part=f"{owner}.{attribute}", what=what), advice
    return None


def models_among(names):
    """Return the modules among the values of names, including attributes of self."""
    own = names.get("self")
    values = [*names.values(), *(vars(own).values() if hasattr(own, "__dict__") else ())]
    return [each for each in values if is_module(each)]


def ids_of(value):
    """Return the ids of the tensors and parameters in a value, or in the elements of a list or dict."""
    found = set()
    for each in parts_of(value):
        found |= {id(each)} if isinstance(each, Tensor) else set(map(id, each.parameters()))
    return found
