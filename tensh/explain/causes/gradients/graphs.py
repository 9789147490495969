"""Backward passes without a graph, or through a graph that was released."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.gradients.absent import explain_not_required, find_rebinding, is_no_grad
from tensh.explain.causes.gradients.leaves import requiring_grad
from tensh.explain.cuts import find_cut
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import operand_of
from tensh.explain.source.history import follow, names_before
from tensh.explain.source.pieces import names_in
from tensh.explain.source.place import bindings, calls_of, iterate_scope, loop_around
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import blocks_over
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

MOST_LEAVES = 2


def explain_cut_graph(situation):
    """Explain a backward pass from a tensor without a graph, by where its history was cut."""
    is_number = isinstance(situation.error, AttributeError) and situation.says("no attribute 'backward'")
    is_retained = situation.says("can't retain_grad on Tensor that has requires_grad=False") or situation.says(
        "cannot register a hook on a tensor that doesn't require gradient"
    )
    if not situation.says("does not require grad and does not have a grad_fn") and not is_number and not is_retained:
        return None
    node = root_node(situation)
    if node is None:
        return None
    text = ast.unparse(node)
    given = tuple(operand_of(each.text, each.value) for each in situation.call.tensors[:1]) if situation.call else ()
    cut = find_cut(node, situation)
    if cut is not None:
        return Explanation("backward", given, f"{text} {cut.sentence}", cut.fits, cut.advice)
    if is_number:
        return None
    rebound = explain_rebound(situation, node, given)
    if rebound is not None:
        return rebound
    unknown = find_unknown(node, situation)
    if unknown:  # as at a prompt, where the source lacks earlier lines
        rule = _("{text} has no history: nothing that requires grad was recorded on the way to it").format(text=text)
        advice = _("%why {name} explains why").format(name=unknown)
        return Explanation("backward", given, rule, (), advice)
    return explain_constants(situation, node, given)


def explain_constants(situation, node, given):
    """Explain a backward pass from a tensor that was computed from constants only."""
    text, value = ast.unparse(node), situation.look_up(node)
    value = situation.evaluate(node) if value is None else value
    if isinstance(value, Tensor) and not (value.is_floating_point() or value.is_complex()):
        kind = str(value.dtype).removeprefix("torch.")
        rule = _("{text} holds {kind}: only floating point numbers have derivatives").format(text=text, kind=kind)
        advice = _("create {text} from floating point numbers, such as 1. instead of 1, with requires_grad=True")
        return Explanation("backward", given, rule, (), advice.format(text=text))
    names = [name for name in names_before(node, situation) if not situation.names[name].requires_grad]
    fits = [fit for name in find_differentiated(situation, names) for fit in requiring_grad(situation, name)]
    rule = _("nothing that {text} was computed from requires grad").format(text=text)
    advice = _("call requires_grad_() on the tensors to differentiate with respect to, before computing with them")
    return Explanation("backward", given, rule, tuple(fits[:MOST_LEAVES]), None if fits else advice)


def explain_rebound(situation, node, given):
    """Explain `w = w - ...` within torch.no_grad() in a loop: from the second iteration on w requires no grad."""
    for step in follow(node, situation):
        for name in sorted(names_in(ast.unparse(step.node))):
            value, made = situation.names.get(name), find_rebinding(situation, name)
            if made is None or not isinstance(value, Tensor) or value.requires_grad:
                continue
            if any(is_no_grad(each) for each in blocks_over(situation.place.tree(), made)):
                rule, fits, _advice = explain_not_required(situation, name, node)
                return Explanation("backward", given, rule, fits)
    return None


def find_unknown(node, situation):
    """Return a tensor's name in an expression that the source never assigns; None if there is none."""
    for name in sorted(names_in(ast.unparse(node))):
        value = situation.names.get(name)
        if isinstance(value, Tensor) and not is_bound(situation, name):
            return name
    return None


def is_bound(situation, name):
    """Return True if the source assigns a name: by an assignment, a loop, an import, or as an argument."""
    tree = situation.place.tree()
    return tree is not None and any(
        isinstance(node, ast.Name)
        and node.id == name
        and not isinstance(node.ctx, ast.Load)
        or isinstance(node, ast.arg)
        and node.arg == name
        or isinstance(node, ast.alias)
        and name in (node.asname, node.name)
        for node in ast.walk(tree)
    )


def find_differentiated(situation, names):
    """Return the names whose gradients the program uses; all names if there are none."""
    code = ast.unparse(situation.place.tree() or ast.Module([], []))
    read = [name for name in names if f"{name}.grad" in code or re.search(rf"\bgrad\([^\n]*\b{name}\b", code)]
    return read or names


def explain_several_numbers(situation):
    """Explain a pass from a tensor with several elements, by the statement that made it if that is used afterwards."""
    if not situation.says("grad can be implicitly created only for scalar outputs"):
        return None
    node = root_node(situation)
    value = situation.look_up(node) if node is not None else None
    if not isinstance(value, Tensor):
        return None
    text = ast.unparse(node)
    rule = _("backward starts from one number, but {text} has {count}: which one is meant?").format(
        text=text, count=value.numel()
    )
    shown = (operand_of(text, value),)
    made = situation.find_assignment(text) if isinstance(node, ast.Name) and not value.is_leaf else None
    if isinstance(made, ast.Assign) and isinstance(made.targets[0], ast.Name) and is_used_after(situation, text):
        ways = ("mean", "sum") if "loss" in text else ("sum", "mean")
        code = append_to_expression(ast.unparse(made.value), "")
        fits = tuple(Fit(f"{text} = {code}.{way}()", f"{list(value.shape)} -> []", made.lineno) for way in ways)
        return Explanation("backward", shown, rule, fits)
    call = getattr(situation.expression(), "value", None)
    if not isinstance(call, ast.Call) or not call.args or ast.unparse(call.args[0]) != text:
        return None
    call.args[0] = ast.parse(f"{append_to_expression(text, '')}.sum()", mode="eval").body
    advice = _("grad_outputs=torch.ones_like({text}), which is equivalent").format(text=text)
    return Explanation("grad", shown, rule, (Fit(ast.unparse(call)),), advice)


def is_used_after(situation, name):
    """Return True if code after the failing line reads a name."""
    tree = situation.place.tree()
    return tree is not None and any(
        isinstance(node, ast.Name) and node.id == name and node.lineno > situation.place.line for node in ast.walk(tree)
    )


def root_node(situation):
    """Return the expression that backward is called on."""
    for node in ast.walk(situation.expression() or ast.Module([], [])):
        match node:
            case ast.Attribute(attr="backward" | "retain_grad" | "register_hook", value=owner):
                return owner
            case ast.Call(func=ast.Attribute(attr="grad"), args=[first, *_]):
                return first
    return None


def explain_second_pass(situation):
    """Explain a name that carries the graph of an earlier iteration, or of an earlier pass."""
    if not situation.says("Trying to backward through the graph a second time"):
        return None
    scope, line = situation.place.scope(), situation.place.line
    loop = loop_around(scope, line) if scope is not None else None
    shared = find_shared(situation, scope) if scope is not None else None
    if shared is not None:
        return shared
    if loop is not None:
        return find_carried(situation, loop) or find_computed_before(situation, loop)
    return find_earlier_pass(situation, scope) if scope is not None else None


def find_shared(situation, scope):
    """Explain two losses of two optimizers that share a value, as of a GAN: only the second needs its graph."""
    line, root = situation.place.line, root_node(situation)
    passes = [(each, code) for each, code in calls_of(scope, "backward") if each < line]
    first, code = passes[-1] if passes else (line, "")
    if not find_steps(scope, first, line) or not code.endswith(".backward()") or not isinstance(root, ast.Name):
        return None
    losses = [situation.find_assignment(name) for name in (code.removesuffix(".backward()"), root.id)]
    if not all(isinstance(each, ast.Assign) for each in losses) or losses[0].lineno >= first:
        return None
    uses = [[each for each in ast.walk(made.value) if isinstance(each, ast.Name)] for made in losses]
    shared = [each for each in uses[0] if each.id in {other.id for other in uses[1]} and has_graph(each.id, situation)]
    made = situation.find_assignment(shared[0].id) if len(shared) == 1 else None
    if not isinstance(made, ast.Assign) or made.lineno >= losses[0].lineno:
        return None
    name = shared[0].id
    rule = _("{name} is in the graphs of both losses, and the pass on line {first} freed its graph")
    fit = replace_node(situation.place, shared[0], f"{name}.detach()")
    operands = (operand_of(name, situation.names[name]),)
    rule = rule.format(name=name, first=first)
    return Explanation("backward", operands, rule, (fit,)) if fit else None


def find_steps(scope, first, line):
    """Return the lines of the steps of optimizers between a pass and the failing one; the first may stand beside it."""
    return [each for each, _code in calls_of(scope, "step") if first <= each < line]


def has_graph(name, situation):
    """Return True if a name refers to a tensor that was computed from others with gradients."""
    value = situation.names.get(name)
    return isinstance(value, Tensor) and value.grad_fn is not None


def find_carried(situation, loop):
    """Explain a value that each iteration of a loop takes over from the one before."""
    for name, first in find_carried_names(loop):
        value = situation.names.get(name)
        tensors = value if type(value) is tuple else (value,)
        if any(isinstance(t, Tensor) and t.grad_fn is not None for t in tensors):
            several = type(value) is tuple
            code = f"{name} = tuple(each.detach() for each in {name})" if several else f"{name} = {name}.detach()"
            rule = _(
                "{name} carries the graph of the previous iteration into this one (line {line}), but that graph was used already"
            ).format(name=name, line=first.lineno)
            shown = tuple(operand_of(name, t) for t in tensors if isinstance(t, Tensor))
            return Explanation("backward", shown[:1], rule, (Fit(code, "", first.lineno, "before"),))
    return None


def find_carried_names(loop):
    """Yield (name, first statement that reads it) for each name that a loop's body reads before binding it."""
    bound = (
        {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)} if hasattr(loop, "target") else set()
    )
    for statement in loop.body:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
        for name in sorted(read - bound):
            if bindings(ast.Module(loop.body, []), name):
                yield name, statement
        bound |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def find_computed_before(situation, loop):
    """Explain a value with a graph that was computed before the loop and is used in every iteration."""
    body = ast.Module(loop.body, [])
    for node in iterate_scope(body):
        if not isinstance(node, ast.Name) or bindings(body, node.id):
            continue
        value, made = situation.names.get(node.id), situation.find_assignment(node.id)
        if isinstance(value, Tensor) and value.grad_fn is not None and isinstance(made, ast.Assign):
            rule = _(
                "{id} was computed once, on line {line}, before the loop: every iteration uses the same graph"
            ).format(id=node.id, line=made.lineno)
            lines = [*find_makers(situation, made.value), made]
            again = Fit("; ".join(map(ast.unparse, lines)), "", loop.body[0].lineno, "before")
            return Explanation("backward", (operand_of(node.id, value),), rule, (again,))
    return None


def find_makers(situation, expression):
    """Return the statements that computed the tensors with graphs of an expression, in their order."""
    found = {}
    for node in ast.walk(expression):
        made = (
            situation.find_assignment(node.id) if isinstance(node, ast.Name) and has_graph(node.id, situation) else None
        )
        if isinstance(made, ast.Assign) and made.value is not expression:
            found |= {each.lineno: each for each in (*find_makers(situation, made.value), made)}
    return [found[line] for line in sorted(found)]


def find_pass_of_graph(situation, before):
    """Return the (line, code) of the pass that freed the graph.

    That is the first pass from the same root, or else the last that names one of its tensors, or the last.
    """
    root = root_node(situation)
    names = names_in(ast.unparse(root)) if root is not None else set()
    related = [each for each in before if names & names_in(each[1])]
    made = situation.find_assignment(root.id) if isinstance(root, ast.Name) else None
    if made is not None:
        same = [each for each in related if each[1].startswith(f"{root.id}.") and each[0] > made.lineno]
        related = same[:1] or related
    return (related or before)[-1]


def explain_not_differentiated(situation):
    """Explain `torch.autograd.grad(y, x)` of a tensor that does not require grad."""
    if not situation.says("One of the differentiated Tensors does not require grad"):
        return None
    call = situation.expression()
    call = getattr(call, "value", None)
    if not isinstance(call, ast.Call):
        return None
    given = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "inputs"), None)
    for node in given.elts if isinstance(given, ast.List | ast.Tuple) else [given] if given is not None else ():
        t = situation.tensor_of(node)
        if t is not None and not t.requires_grad:
            name = ast.unparse(node)
            rule, fits, advice = explain_not_required(situation, name, node)
            return Explanation("grad", (operand_of(name, t),), rule, fits, advice)
    return None


def find_earlier_pass(situation, scope):
    """Explain a second pass by the first, which may retain the graph."""
    line = situation.place.line
    before = [(each, code) for each, code in calls_of(scope, "backward") if each < line and "retain_graph" not in code]
    if not before:
        return None
    first, code = find_pass_of_graph(situation, before)
    kept = (
        code.replace("backward()", "backward(retain_graph=True)")
        if code.endswith("backward()")
        else f"{code[:-1]}, retain_graph=True)"
    )
    rule = _("the pass on line {first} freed the values saved in the graph, and this pass needs them again").format(
        first=first
    )
    steps, root = find_steps(scope, first, line), root_node(situation)
    if steps and root is not None:  # the values that the graph would keep were changed
        advice = _("compute {root} again after the step on line {line}").format(root=ast.unparse(root), line=steps[-1])
        return Explanation("backward", (), rule, (), advice)
    is_same = code == situation.place.segment
    return Explanation(
        "backward", (), rule, (Fit(kept, "", first),), None if is_same else _("one backward() of the sum of both")
    )
