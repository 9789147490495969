"""States loaded into the wrong model: a part or a whole of it, other sizes, other keys, the state of an optimizer."""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.layers import find_maker, part_of
from tensh.explain.model import Explanation
from tensh.explain.situation import Situation, first_explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import set_keyword
from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

MOST = 3  # keys that are listed
SIZES = {  # parameters that the dimensions of a layer's weight correspond to
    "Linear": ("out_features", "in_features"),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "Conv1d": ("out_channels", "in_channels"),
    "Conv2d": ("out_channels", "in_channels"),
    "Conv3d": ("out_channels", "in_channels"),
}
ORDER = {"Linear": ("in_features", "out_features"), "Embedding": ("num_embeddings", "embedding_dim")}


class LoadCall(NamedTuple):
    """A call of `load_state_dict`: the situation, its node, the object whose state it sets, the state passed."""

    situation: Situation
    node: ast.Call
    owner: object
    given: dict

    @property
    def name(self):
        return ast.unparse(self.node.func.value)

    @property
    def text(self):
        """The code of the state that was passed."""
        return ast.unparse(self.node.args[0])

    def explain(self, rule, fit=None, advice=None):
        return Explanation("load_state_dict", (), rule, (fit,) if fit else (), advice)


def explain_checkpoint(situation):
    """Return the Explanation of the first mistake found in a call of `load_state_dict`."""
    loading = find_loading(situation)
    if loading is None:
        return explain_saved_object(situation)
    if not is_module(loading.owner):
        return state_for_optimizer(loading)
    return first_explanation(
        (nested_state, state_of_optimizer, state_with_prefix, state_of_a_part, other_sizes, other_keys), loading
    )


def explain_saved_object(situation):
    """Explain `torch.load(path)` of a file with a whole model, or with a method of it, in place of a state."""
    path, tree = situation.place.path(), situation.place.tree()
    node = path[-1] if path else None
    if not situation.says("Weights only load failed") or not isinstance(node, ast.Call) or not node.args:
        return None
    for saved in ast.walk(tree):
        match saved:
            case ast.Call(func=function, args=[thing, file, *_]) if ast.unparse(function) == "torch.save":
                pass
            case _:
                continue
        if ast.unparse(file) != ast.unparse(node.args[0]):
            continue
        text, line = ast.unparse(thing), saved.lineno
        if isinstance(thing, ast.Attribute) and thing.attr == "state_dict":
            rule, code = _("line {line} saves the method {text}, which was not called"), f"{text}()"
        elif is_model(situation, thing):
            if not any(isinstance(each, ast.Call) and is_loading(each) for each in path):
                rule = _("line {line} saves {text}, a whole model, and whole models are loaded only on request")
                code = set_keyword(situation.place.segment, "weights_only", "False")
                fit = replace_node(situation.place, node, code) if code else None
                return Explanation("load", (), rule.format(text=text, line=line), (fit,) if fit else ())
            rule, code = _("line {line} saves {text}, a whole model, instead of its state"), f"{text}.state_dict()"
        else:
            continue
        fit = replace_node(situation.place, thing, code)
        return Explanation("load", (), rule.format(text=text, line=line), (fit,) if fit else ())
    return None


def is_model(situation, node):
    """Return True for code of a model, or of one that is made there: `net`, `Net()`."""
    kind = situation.look_up(node.func) if isinstance(node, ast.Call) else None
    return is_module(situation.look_up(node)) or isinstance(kind, type) and hasattr(kind, "named_modules")


def is_loading(call):
    return getattr(call.func, "attr", None) == "load_state_dict"


def find_loading(situation):
    """Return the LoadCall that failed; None for another call, or if no dict was passed."""
    node = situation.place.node()
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "load_state_dict" or not node.args:
        return None
    owner, given = situation.look_up(node.func.value), situation.look_up(node.args[0])
    if given is None and situation.call is not None and situation.call.argument("state_dict"):
        given = situation.call.argument("state_dict").value
    given = situation.evaluate(node.args[0]) if given is None else given
    if given is None and situation.says('Unexpected key(s) in state_dict: "state", "param_groups"'):
        given = {"state": {}, "param_groups": []}
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        return None
    return LoadCall(situation, node, owner, given)


def nested_state(loading):
    """Explain a checkpoint that holds the state under a key."""
    wanted = {*loading.owner.state_dict()}
    for key, value in loading.given.items():
        if isinstance(value, dict) and {*value} == wanted:
            fit = replace_node(loading.situation.place, loading.node.args[0], f"{loading.text}[{key!r}]")
            rule = _("{text} is a dict of several things: the state dict is {text}[{key!r}]")
            return loading.explain(rule.format(text=loading.text, key=key), fit)
    return None


def state_of_optimizer(loading):
    """Explain `net.load_state_dict(opt.state_dict())`."""
    if {*loading.given} != {"state", "param_groups"}:
        return None
    rule = _("{text} is the state of an optimizer, but {name} is a model")
    return loading.explain(rule.format(text=loading.text, name=loading.name))


def state_for_optimizer(loading):
    """Explain `opt.load_state_dict(net.state_dict())`."""
    if not hasattr(loading.owner, "param_groups") or "param_groups" in loading.given:
        return None
    if loading.given and all(isinstance(value, Tensor) for value in loading.given.values()):
        rule = _("{text} is the state of a model, but {name} is an optimizer")
        return loading.explain(rule.format(text=loading.text, name=loading.name))
    return None


def fits_into(state, wanted):
    """Return True if the tensors of a state have the expected shapes."""
    return all(isinstance(t, Tensor) and key in wanted and t.shape == wanted[key].shape for key, t in state.items())


def state_with_prefix(loading):
    """Explain `module.0.weight` for `0.weight`: the state of a wrapped model, such as DataParallel."""
    wanted, first = loading.owner.state_dict(), next(iter(loading.given), "")
    for key in wanted:
        prefix = first.removesuffix(key)
        if not first.endswith(f".{key}") or not all(each.startswith(prefix) for each in loading.given):
            continue
        plain = {each.removeprefix(prefix): t for each, t in loading.given.items()}
        if plain.keys() == wanted.keys() and fits_into(plain, wanted):
            code = f'{{key.removeprefix("{prefix}"): value for key, value in {loading.text}.items()}}'
            rule = _("the keys of {text} begin with {prefix!r}, but those of {name} do not")
            fit = replace_node(loading.situation.place, loading.node.args[0], code)
            return loading.explain(rule.format(text=loading.text, prefix=prefix, name=loading.name), fit)
    return None


def state_of_a_part(loading):
    """Explain `weight` for `model.weight`: the state of a part of the model."""
    wanted, first = loading.owner.state_dict(), next(iter(loading.given), "")
    prefixes = [key.removesuffix(first) for key in wanted if first and key.endswith(f".{first}")]
    states = {p: {p + key: t for key, t in loading.given.items()} for p in prefixes}
    found = [
        p for p, s in states.items() if fits_into(s, wanted) and s.keys() == {k for k in wanted if k.startswith(p)}
    ]
    if len(found) != 1:
        return None
    part = "".join(f"[{each}]" if each.isdecimal() else f".{each}" for each in found[0].rstrip(".").split("."))
    rule = _("the keys of {name} begin with {prefix!r}, but those of {text} do not: it is the state of {part}")
    rule = rule.format(text=loading.text, prefix=found[0], name=loading.name, part=loading.name + part)
    fit = replace_node(loading.situation.place, loading.node.func.value, loading.name + part)
    return loading.explain(rule, fit)


def other_sizes(loading):
    """Explain the state of a model with layers of other sizes."""
    wanted = loading.owner.state_dict()
    common = [key for key in wanted if isinstance(loading.given.get(key), Tensor)]
    other = [key for key in common if loading.given[key].shape != wanted[key].shape]
    if not other:
        return None
    key = other[0]
    rule = _("{key} is {given} in {text}, but {wanted} in {name}").format(
        key=key, given=[*loading.given[key].shape], text=loading.text, wanted=[*wanted[key].shape], name=loading.name
    )
    is_all = wanted.keys() == loading.given.keys()
    fits = resized_layers(loading, other) if is_all else None
    return loading.explain(rule, fits[0]._replace(more=tuple(fits[1:])) if fits else None)


def resized_layers(loading, keys):
    """Return the Fits that make the layers with the sizes of the state; None if one of them is not in the source."""
    fits = []
    for path in dict.fromkeys(key.rpartition(".")[0] for key in keys):
        layer = loading.owner.get_submodule(path)
        made = find_maker(loading.node.func.value, loading.situation)
        for part in path.split(".") if path else ():
            made = part_of(made, part, loading.situation)
        fit = fit_layer(loading, layer, path, made)
        if fit is None:
            return None
        fits.append(fit)
    return fits if len({fit.line for fit in fits}) == len(fits) else None


def fit_layer(loading, layer, path, made):
    """Return the Fit for one layer."""
    kind, place = type(layer).__name__, f"{path}." if path else ""
    weight = loading.given.get(f"{place}weight")
    if kind not in SIZES or not isinstance(made, ast.Call) or weight is None or getattr(layer, "groups", 1) != 1:
        return None
    sizes = dict(zip(SIZES[kind], weight.shape))
    changed = {name: size for name, size in sizes.items() if getattr(layer, name) != size}
    new = ast.parse(ast.unparse(made), mode="eval").body
    given = dict(zip(ORDER.get(kind, ("in_channels", "out_channels")), new.args))
    given |= {each.arg: each.value for each in new.keywords}
    for name, size in changed.items():
        if not isinstance(given.get(name), ast.Constant):
            return None
        given[name].value = size
    code = ast.unparse(new)
    try:
        tried = Shadow({}, loading.situation.names).value(code)
    except Exception:  # the code of the program, on stand-ins
        return None
    shapes = {f"{place}{name}": t.shape for name, t in tried.state_dict().items()}
    same = all(loading.given.get(key) is not None and loading.given[key].shape == s for key, s in shapes.items())
    return replace_node(loading.situation.place, made, code) if same else None


def renamed_layers(loading, wanted):
    """Explain the state of a model whose layers have other names, but the same shapes in the same order."""
    shapes = [[(key.rpartition(".")[2], t.shape) for key, t in each.items()] for each in (wanted, loading.given)]
    if (
        shapes[0] != shapes[1]
        or len(shapes[0]) < 2
        or any(key.endswith(other) for key, other in zip(wanted, loading.given))
    ):
        return None
    pairs = [(key.rpartition(".")[0], other.rpartition(".")[0]) for key, other in zip(wanted, loading.given)]
    named = ", ".join(_("{other} for {name}").format(name=name, other=other) for name, other in dict.fromkeys(pairs))
    rule = _("the tensors of {text} and {name} have the same shapes in the same order, but other names: {named}")
    code = f"dict(zip({loading.name}.state_dict(), {loading.text}.values()))"
    fit = replace_node(loading.situation.place, loading.node.args[0], code)
    advice = _("give the layers the names that they had, or rename the keys, if it is the state of this model")
    return loading.explain(rule.format(text=loading.text, name=loading.name, named=named), fit, advice)


def other_keys(loading):
    """Explain the state of a model with other parts."""
    wanted = loading.owner.state_dict()
    missing = [key for key in wanted if key not in loading.given]
    surplus = [key for key in loading.given if key not in wanted]
    if not missing and not surplus:
        return None
    is_other = len(missing) == len(wanted)  # no key in common
    if is_other and (found := renamed_layers(loading, wanted)):
        return found
    if is_other and not any(key.endswith(f".{each}") for key in missing for each in surplus):
        rule = _("{text} and {name} have no key in common: it is the state of another model")
        return loading.explain(rule.format(text=loading.text, name=loading.name))
    rule = (
        _("{text} lacks {missing}, which {name} has") if not surplus
        else _("{name} lacks {surplus}, which {text} has") if not missing
        else _("{text} lacks {missing}, which {name} has, and has {surplus}, which {name} lacks")
    )  # fmt: skip
    rule = rule.format(text=loading.text, name=loading.name, missing=name_some(missing), surplus=name_some(surplus))
    advice = None if is_other else _("strict=False loads what both have, and leaves the rest unchanged")
    return loading.explain(rule, None, advice)


def name_some(keys):
    more = len(keys) - MOST
    return ", ".join(keys[:MOST]) + (_(" and {number} more").format(number=more) if more > 0 else "")
