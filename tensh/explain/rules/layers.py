"""Layers with inputs they were not made for, and losses with the wrong kind of target."""

import ast
import math
import re

from tensh.explain.model import Explanation
from tensh.explain.rules.one_hot import is_one_hot, one_hot_rows
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression, each, fits
from tensh.support.language import _


def explain_channels(call, text):
    """A convolution has as many channels as its weight."""
    found = re.search(r"input\[.*\] to have (\d+) channels, but got (\d+) channels", text)
    a = input_of(call)
    if not found or a is None:
        return None
    wanted, got = map(int, found.groups())
    shape = list(a.value.shape)
    spatial = len(call.module.kernel_size) if hasattr(call.module, "kernel_size") else max(len(shape) - 2, 1)
    dim = max(len(shape) - spatial - 1, 0)
    moved = [*range(dim), len(shape) - 1, *range(dim, len(shape) - 1)]  # images with their channels last
    is_last = shape[-1:] == [wanted] and wanted not in shape[dim:-1]
    orders = (
        [f".permute({', '.join(map(str, moved))}){cast}" for cast in ("", ".float()")] if a.text and is_last else []
    )
    candidates = [call.rewrite({a: append_to_expression(a.text, order)}) for order in orders]
    if wanted == 1 and a.text and len(shape) == spatial + 1:  # grey images without their channel dimension
        candidates.append(call.rewrite({a: append_to_expression(a.text, ".unsqueeze(1)")}))
    found = fits(call, candidates, most=1)
    return Explanation(
        call.symbol, (operand(a, {dim}),), (_("{symbol} expects 1 channel in dim {dim}, but got {got}") if wanted == 1 else _("{symbol} expects {wanted} channels in dim {dim}, but got {got}")).format(symbol=call.symbol, wanted=wanted, dim=dim, got=got), found,
        None if found else (_("create the layer for 1 channel, or pass it {wanted}") if got == 1 else _("create the layer for {got} channels, or pass it {wanted}")).format(got=got, wanted=wanted),
    )  # fmt: skip


def explain_image_without_batch(call, text):
    """Explain an image without batch and channels, given to a function of images."""
    a = input_of(call)
    if a is None or not a.text or a.value.dim() != 2:
        return None
    rule = _("{symbol} expects [batch, channels, height, width], but {tensor} is {shape}").format(
        symbol=call.symbol, tensor=name_or_phrase(a), shape=[*a.value.shape]
    )
    code = call.rewrite({a: append_to_expression(a.text, "[None, None]")})
    return Explanation(call.symbol, (operand(a),), rule, fits(call, [code]))


def explain_patches_without_batch(call, text):
    """Explain an image without batch and channels, given to ``unfold`` of ``nn.functional`` or its layer."""
    is_layer = type(call.module).__name__ == "Unfold"
    return explain_image_without_batch(call, text) if is_layer or call.argument("kernel_size") else None


def explain_kernel_size(call, text):
    """A kernel is no larger than its image."""
    a = input_of(call)
    sizes = re.search(r"input size per channel: \(([\d x]+)\)|Given input size: \(([\dx]+)\)", text)
    if not sizes or a is None:
        return None
    size = re.findall(r"\d+", sizes[1] or sizes[2].partition("x")[2])
    named = call.argument("kernel_size", "weight")
    given = getattr(call.module, "kernel_size", None) or (named.value if named else None)
    given = given.shape[2:] if hasattr(given, "shape") else given
    if given is None:
        return None
    given = [given] * len(size) if isinstance(given, int) else [*given]
    rule = _("the kernel of {symbol}, {kernel}, is larger than its input, {size}").format(
        symbol=call.symbol, kernel=" x ".join(map(str, given)), size=" x ".join(size)
    )
    return Explanation(
        call.symbol,
        (operand(a),),
        rule,
        (),
        _("use a smaller kernel, padding, or fewer layers before it that halve the size"),
    )


def explain_probabilities(call, text):
    """Binary cross entropy takes probabilities."""
    if "of target" in text:
        return explain_other_targets(call)
    a = input_of(call)
    if a is None or not a.text:
        return None
    return Explanation(
        call.symbol, (operand(a),), _("{symbol} expects probabilities, but {first} holds numbers outside the range 0 to 1").format(symbol=call.symbol, first=name_or_phrase(a)),
        fits(call, [call.rewrite({a: append_to_expression(a.text, ".sigmoid()")})]), _("BCEWithLogitsLoss, which accepts scores of any size"),
    )  # fmt: skip


def explain_other_targets(call):
    """Targets of binary cross entropy are 0 and 1, or numbers between them."""
    if len(call.tensors) < 2:
        return None
    target = call.tensors[1]
    rule = _("targets are numbers from 0 to 1, but {target} holds {least:g} to {most:g}").format(
        target=name_or_phrase(target, _("the target")), least=target.value.min().item(), most=target.value.max().item()
    )
    advice = _("use cross_entropy for more than two classes, or scale the targets")
    return Explanation(call.symbol, (operand(target),), rule, (), advice)


FEATURES = re.compile(
    r"should contain (\d+) elements not (\d+)|weight of shape \[(\d+)\] and input of shape \[\d+, (\d+)"
)
"""The number of features of an input, and that of a layer, in both orders."""


def explain_features(call, text):
    """Statistics are kept for the features that the layer was made for."""
    a = input_of(call)
    found = FEATURES.search(text)
    if not found or a is None:
        return None
    got, wanted = (int(found[1]), int(found[2])) if found[1] else (int(found[4]), int(found[3]))
    is_last = a.text and a.value.dim() > 2 and a.value.shape[-1] == wanted and wanted not in a.value.shape[1:-1]
    order = (0, a.value.dim() - 1, *range(1, a.value.dim() - 1))
    moved = [call.rewrite({a: append_to_expression(a.text, f".permute{order}")})] if is_last else []
    found = fits(call, moved)
    return Explanation(
        call.symbol, (operand(a, {1}),), _("{symbol} expects {wanted} features in dim 1, but got {got}").format(symbol=call.symbol, wanted=wanted, got=got), found,
        None if found else _("create the layer with {name}={got}, or pass it {wanted} features").format(
            name="num_channels" if hasattr(call.module, "num_groups") else "num_features", got=got, wanted=wanted
        ),
    )  # fmt: skip


def explain_normalized_shape(call, text):
    """Layer normalisation takes inputs that end with the dimensions it was made for."""
    a = input_of(call)
    found = re.search(r"normalized_shape=\[([\d, ]+)\]", text)
    if not found or a is None:
        return None
    wanted = [int(each) for each in found[1].split(", ")]
    got = [*a.value.shape[-len(wanted) :]]
    return Explanation(
        call.symbol, (operand(a, range(a.value.dim() - len(got), a.value.dim())),),
        _("{symbol} expects inputs whose shape ends with {wanted}, but got {got}").format(symbol=call.symbol, wanted=wanted, got=got), (),
        size_elsewhere(a, wanted) or _("create the layer with normalized_shape={got}").format(got=got[0] if len(got) == 1 else got),
    )  # fmt: skip


def size_elsewhere(a, wanted):
    """Advise to move the one dimension that has the size of a layer normalisation to the end; None if there is none."""
    dims = [dim for dim, size in enumerate(a.value.shape[1:-1], 1) if [size] == wanted]
    if len(dims) != 1 or not a.text:
        return None
    code = append_to_expression(a.text, f".movedim({dims[0]}, -1)")
    return _("{code}, which puts the {size} features of dim {dim} last, or nn.GroupNorm(1, {size})").format(
        code=code, size=wanted[0], dim=dims[0]
    )


def explain_recurrent_features(call, text):
    """A recurrent layer takes features of one size in the last dimension."""
    found = re.search(r"Expected (\d+), got (\d+)", text)
    a = input_of(call)
    if not found or a is None:
        return None
    return Explanation(
        call.symbol, (operand(a, {a.value.dim() - 1}),),
        _("{symbol} expects {wanted} features in the last dimension, but got {got}").format(symbol=call.symbol, wanted=found[1], got=found[2]), (),
        _("create the layer with input_size={got}, or pass it {wanted} features").format(got=found[2], wanted=found[1]),
    )  # fmt: skip


def explain_whole_indices(call, text):
    """Explain indices of an embedding that are not integers."""
    # the first tensor is the one that is indexed
    is_moved = call.symbol.startswith(("scatter", "gather", "index", "take"))
    named = call.argument("index", "indices", *([] if is_moved else ["input"]))
    tensors = [named] if named in call.tensors else []
    others = call.tensors[1:] if is_moved else call.tensors
    wrong = next((t for t in [*tensors, *others] if t.value.is_floating_point()), None)
    if wrong is None:
        return None
    kind = str(wrong.value.dtype).removeprefix("torch.")
    count = count_of_rows(call)
    found = one_hot_rows(call, wrong, count) if count else None
    if found is not None:
        return found
    if (wrong.text or "").startswith(("torch.rand(", "torch.randn(")):  # most would be 0 as integers
        candidates = [call.rewrite({wrong: f"torch.randint({count}, {tuple(wrong.value.shape)})"})] if count else []
    else:
        candidates = each(call, wrong, ".long()") if is_whole(wrong.value) else []
    found = fits(call, candidates)
    rule = _("indices must be whole numbers, but {wrong} holds {kind}").format(wrong=name_or_phrase(wrong), kind=kind)
    advice = None if found or not count else _("pass features that are not indices through a Linear layer")
    return Explanation(call.symbol, (operand(wrong),), rule, found, advice)


def count_of_rows(call):
    """Return the number of rows of the table that a call looks up; None if it looks up none."""
    named = call.argument("weight") if call.name.startswith("embedding") else None
    return getattr(call.module, "num_embeddings", None) or (len(named.value) if named else None)


def is_whole(t):
    """Return True if a tensor of floating point numbers holds whole numbers, each of which stays the same as an integer."""
    return t.is_meta or bool((t == t.round()).all())


def explain_row_range(call, text):
    """Indices of an embedding count its rows from 0."""
    named = call.argument("weight")
    count = getattr(call.module, "num_embeddings", None) or (named is not None and len(named.value))
    indices = next((t for t in call.tensors if not t.value.is_floating_point()), None)
    if not count or indices is None or not indices.value.numel():
        return None
    low, high = int(indices.value.min()), int(indices.value.max())
    if low >= 0 and high < count:
        return None
    outside = f"{low}" if low < 0 else f"{high}"
    swapped = exchange_sizes(call, high) if low >= 0 else None
    if swapped is not None:
        return swapped
    return Explanation(
        call.symbol, (operand(indices),), _("a table of {count} rows has the indices 0 to {last}, but {indices} holds {outside}").format(count=count, last=count - 1, indices=name_or_phrase(indices), outside=outside), (),
        _("create the table with {rows} rows, or pass it indices below {count}").format(rows=high + 1, count=count) if low >= 0 else _("use indices from 0 on"),
    )  # fmt: skip


def exchange_sizes(call, high):
    """`nn.Embedding(16, 1000)` for a vocabulary of 1000; None where the table would still be too small."""
    made = maker_of(call)
    if made is None or len(made.args) != 2 or made.keywords or call.module.embedding_dim <= high:
        return None
    count, size = map(ast.unparse, made.args)
    fit = replace_node(call.place, made, f"{ast.unparse(made.func)}({size}, {count})")
    rule = _("an Embedding expects the number of rows first, then the size of each: this one has {rows} rows of {size}")
    rule = rule.format(rows=call.module.num_embeddings, size=call.module.embedding_dim)
    return Explanation(call.symbol, tuple(map(operand, call.tensors[:1])), rule, (fit,) if fit else ())


def maker_of(call):
    """The only call in the source that makes a layer of the class that failed; None where there are more."""
    tree, kind = call.place.tree(), type(call.module).__name__
    found = [each for each in (ast.walk(tree) if tree else ()) if isinstance(each, ast.Call)]
    found = [each for each in found if ast.unparse(each.func).rpartition(".")[2] == kind]
    return found[0] if call.module is not None and len(found) == 1 else None


def explain_class_dtype(call, text):
    """Targets of cross entropy are class indices, or probabilities with the shape of the input."""
    if len(call.tensors) < 2:
        return None
    a, target = call.tensors[:2]
    if not (call.name.endswith("_loss") or "entropy" in call.name or call.module is not None):
        return None
    if "multi-target" in text and (not target.value.is_floating_point() or is_one_hot(target.value)):
        return None
    kind = str(target.value.dtype).removeprefix("torch.")
    shapes = a.value.shape, target.value.shape
    if target.value.is_floating_point() and target.value.dim() == a.value.dim() > 1 and 1 not in shapes[1][1:]:
        rule = _("a target of probabilities has the shape of the scores, {shape}, but {target} is {size}").format(
            shape=[*shapes[0]], target=name_or_phrase(target, _("the target")), size=[*shapes[1]]
        )
        if shapes[0] != shapes[1] and a.value.is_floating_point():
            return Explanation(call.symbol, (operand(a), operand(target)), rule)
    is_swapped = target.value.is_floating_point() and not a.value.is_floating_point()
    candidates = (
        [call.rewrite({a: target.text, target: a.text})]
        if is_swapped and a.text and target.text
        else each(call, target, ".long()", ".argmax(1)", ".squeeze(1).long()")
    )
    return Explanation(
        call.symbol, (operand(a), operand(target)),
        _("a target of classes holds whole numbers, but {target} holds {kind}").format(target=name_or_phrase(target, _("the target")), kind=kind),
        fits(call, candidates),
    )  # fmt: skip


def explain_class_range(call, text):
    """Class indices count from 0."""
    found = re.search(r"Target (-?\d+) is out of bounds", text)
    if not found or len(call.tensors) < 2:
        return None
    a, target = call.tensors[:2]
    dim = min(1, a.value.dim() - 1)
    count = a.value.shape[dim]
    from_one = int(target.value.min()) == 1 and int(target.value.max()) == count
    less = f"{append_to_expression(target.text, '')} - 1" if target.text else _("one less")
    return Explanation(
        call.symbol, (operand(a, {dim}), operand(target)),
        (_("1 column is class 0 only, but {target} holds {got}") if count == 1 else _("{count} columns are the classes 0 to {last}, but {target} holds {got}")).format(count=count, last=count - 1, target=name_or_phrase(target, _("the target")), got=found[1]), (),
        _("classes count from 0: {less}").format(less=less) if from_one
        else _("count classes from 0; ignore_index={got} leaves such samples out").format(got=found[1]) if int(found[1]) < 0 else _("count classes from 0, or give {first} {number} columns").format(first=name_or_phrase(a, _("the input")), number=int(found[1]) + 1),
    )  # fmt: skip


def explain_numbers_of_samples(call, text):
    """One target for each sample."""
    if len(call.tensors) < 2:
        return None
    a, target = call.tensors[:2]
    rule = _("{input} has {samples} samples, but {target} has {targets}").format(
        input=name_or_phrase(a, _("the input")), samples=len(a.value), target=name_or_phrase(target, _("the target")),
        targets=len(target.value),
    )  # fmt: skip
    found = fits(call, [call.rewrite({t: code}) for t, code in flattened(a, target) if code])
    advice = find_rows(call) if not found and len(a.value) % max(len(target.value), 1) == 0 else None
    return Explanation(call.symbol, (operand(a, {0}), operand(target, {0})), rule, found, advice)


def flattened(scores, target):
    """Yield (argument, code) where one of scores and targets has its samples in several dimensions, as in sequences."""
    if scores.text and target.value.dim() == 1 and scores.value.shape[:-1].numel() == len(target.value):
        yield scores, append_to_expression(scores.text, f".flatten(0, {scores.value.dim() - 2})")
    if target.text and scores.value.dim() == 2 and target.value.numel() == len(scores.value):
        yield target, append_to_expression(target.text, ".flatten()")
    flat = re.fullmatch(r"(\w+)\.(?:reshape|view|flatten)\((?:-1)?\)", target.text or "")
    # the scores of all steps but the last predict the steps from the second on
    if flat and ":-1" in (scores.text or ""):
        yield target, f"{flat[1]}[:, 1:].reshape(-1)"


def explain_rows_of_image(call, text):
    """Explain rows of pixels given to a convolution that takes images."""
    a, channels = input_of(call), getattr(call.module, "in_channels", None)
    if a is None or not a.text or a.value.dim() != 2 or not channels:
        return None
    count = a.value.shape[1]
    side = math.isqrt(count // channels)
    if len(call.module.kernel_size) != 2 or channels * side * side != count:
        return None
    rule = _("{symbol} expects images, but the rows of {tensor} have {count} numbers").format(
        symbol=call.symbol, tensor=name_or_phrase(a), count=count
    )
    code = append_to_expression(a.text, f".view(-1, {channels}, {side}, {side})")
    return Explanation(call.symbol, (operand(a),), rule, fits(call, [call.rewrite({a: code})]))


def find_rows(call):
    """Return the only `x.view(-1, 196)` of a source, whose number of rows follows from the rest; None if there is none."""
    tree, found = call.place.tree(), []
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="view" | "reshape", value=owner), args=[rows, _]):
                if ast.unparse(rows) == "-1":
                    found.append((node, ast.unparse(owner)))
    if len(found) != 1:
        return None
    ((node, name),) = found
    return _("`{code}` on line {line} makes as many rows as fit; {new} keeps one for each sample").format(
        code=ast.unparse(node), line=node.lineno, new=f"{name}.view({name}.size(0), -1)"
    )


def explain_topk_count(call, text):
    """topk returns no more elements than there are."""
    t, k = call.argument("input", "self"), call.argument("k")
    dim = call.argument("dim")
    dim = -1 if dim is None or type(dim.value) is not int else dim.value
    if t is None or k is None or not hasattr(t.value, "shape") or not t.value.dim():
        return None
    rule = _("dim {dim} of {tensor} has {size} elements, but {k} were requested").format(
        dim=dim % t.value.dim(), tensor=name_or_phrase(t), size=t.value.shape[dim], k=k.value
    )
    return Explanation(call.symbol, (operand(t, {dim % t.value.dim()}),), rule)


def input_of(call):
    """Return the first tensor passed to a layer or function."""
    return call.tensors[0] if call.tensors else None


def explain_weights_of_classes(call, text):
    """A loss has one weight per class."""
    found = re.search(r"for all (\d+) classes", text)
    weight = call.argument("weight") or next(
        (t for t in call.tensors if t.value.dim() == 1 and t.value.is_floating_point()), None
    )
    if not found or weight is None or not hasattr(weight.value, "shape"):
        return None
    rule = _("{count} columns mean {count} classes, but {weight} has {given} weights").format(
        count=found[1], weight=name_or_phrase(weight), given=weight.value.numel()
    )
    return Explanation(call.symbol, (operand(call.tensors[0]), operand(weight)), rule)


def explain_channels_of_pixels(call, text):
    """A pixel shuffle makes r x r pixels of as many channels."""
    found = re.search(r"size\(-3\)=(\d+) is not divisible by (\d+)", text)
    a = input_of(call)
    if a is None or not found:
        return None
    rule = _("{count} channels become one channel of larger images: {channels} is not a multiple of {count}")
    rule = rule.format(count=found[2], channels=found[1])
    marked = {a.value.dim() - 3}
    advice = _("make the layer before it with a multiple of {count} channels").format(count=found[2])
    return Explanation(call.symbol, (operand(a, marked),), rule, (), advice)
