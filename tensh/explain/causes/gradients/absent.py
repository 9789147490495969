"""A gradient that is None: not required, not retained, or not computed yet."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.gradients.leaves import find_switch, requiring_grad
from tensh.explain.cuts import find_cut
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import operand_of
from tensh.explain.source.place import bindings, calls_of, iterate_scope, loop_around
from tensh.explain.source.statements import blocks_over, find_tensor_assignment
from tensh.support.language import _

UPDATES = {ast.Sub: "-=", ast.Add: "+="}


def explain_absent_gradient(situation):
    """Explain a `.grad` of None that the code computed with."""
    if not isinstance(situation.error, TypeError | AttributeError) or not situation.says("NoneType"):
        return None
    for node in ast.walk(situation.expression() or ast.Module([], [])):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            t, name = situation.look_up(node.value), ast.unparse(node.value)
            if isinstance(t, Tensor) and (not t.is_leaf or t.grad is None):
                return explain_absence(situation, t, name, node.value)
    return None


def explain_absence(situation, t, name, node):
    """Explain a tensor without a gradient."""
    if not t.requires_grad:
        rule, fits, advice = explain_not_required(situation, name, node)
    elif not t.is_leaf:
        rule, fits, advice = not_kept(situation, name)
    else:
        rule, fits, advice = explain_not_computed(situation, name)
    return Explanation(
        "grad", (operand_of(name, t),), _("{name}.grad is None: {rule}").format(name=name, rule=rule), fits, advice
    )


def explain_not_required(situation, name, node):
    """Explain the gradient of a tensor that does not require grad."""
    made = find_rebinding(situation, name)
    if made is not None and any(is_no_grad(each) for each in blocks_over(situation.place.tree(), made)):
        rule = _(
            "`{code}` on line {line} creates a new tensor under that name within torch.no_grad(), which records nothing"
        )
        update = f"{name} {UPDATES[type(made.value.op)]} {ast.unparse(made.value.right)}"
        return rule.format(code=ast.unparse(made), line=made.lineno), (Fit(update, "", made.lineno),), None
    cut = find_cut(node, situation)
    if cut is not None:
        return f"{name} {cut.sentence}", cut.fits, cut.advice
    switch = find_switch(situation, name, find_tensor_assignment(situation, name)) if name.isidentifier() else None
    if switch is not None:
        return (
            _("{name} does not require grad: line {line} switches it off").format(name=name, line=switch.line),
            (switch,),
            None,
        )
    fits = requiring_grad(situation, name) if name.isidentifier() else ()
    more, scope = first_pass(situation), situation.place.scope()
    if not more and scope is not None and not [*calls_of(scope, "backward")]:
        return (
            _("{name} does not require grad").format(name=name),
            (),
            _("{name}.requires_grad_(), then backward() on a result computed from it").format(name=name),
        )
    fits = tuple(fit._replace(more=more) for fit in fits)
    return (
        _("{name} does not require grad").format(name=name),
        fits,
        None if fits else _("{name}.requires_grad_() before computing with it").format(name=name),
    )


def not_kept(situation, name):
    """Explain the gradient of a computed tensor."""
    made = find_rebinding(situation, name)
    if made is not None:
        update = f"with torch.no_grad(): {name} {UPDATES[type(made.value.op)]} {ast.unparse(made.value.right)}"
        reset = () if is_reset(situation, name) else (Fit(f"{name}.grad = None", "", made.lineno, "after"),)
        return (
            _("`{code}` on line {line} creates a new tensor under that name, which is not a leaf").format(
                code=ast.unparse(made), line=made.lineno
            ),
            (Fit(update, "", made.lineno, "", reset),),
            None,
        )
    made = situation.find_assignment(name) if name.isidentifier() else None
    if made is None:
        return (
            _("backward keeps gradients of leaves only, but it was computed"),
            (),
            _("call {name}.retain_grad() before backward()").format(name=name),
        )
    whole = leaf_at_once(made)
    keep = Fit(f"{name}.retain_grad()", "", made.lineno, "after")
    fits = (Fit(whole, "", made.lineno),) if whole else (keep,)
    return (
        _("`{code}` computes it, but backward keeps gradients of leaves only").format(code=ast.unparse(made)),
        fits,
        None,
    )


def is_no_grad(block):
    """Return True for `with torch.no_grad():`."""
    return isinstance(block, ast.With) and any("no_grad(" in ast.unparse(each.context_expr) for each in block.items)


def is_reset(situation, name):
    """Return True if the program itself resets the gradient of a name."""
    code = ast.unparse(situation.place.tree() or ast.Module([], []))
    return any(
        text in code for text in (f"{name}.grad.zero_()", f"{name}.grad = None", f"{name}.grad.fill_(0", "zero_grad(")
    )


def find_rebinding(situation, name):
    """Return the statement `w = w - ...` in a loop around the failure, or in the code before it; None if there is none."""
    scope = situation.place.scope()
    if scope is None or not name.isidentifier():
        return None
    around = loop_around(scope, situation.place.line) or scope
    for node in iterate_scope(around):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp(left=ast.Name(id=left), op=op)):
                if target == left == name and type(op) in UPDATES:
                    return node
    return None


def leaf_at_once(made):
    """Rewrite `w = torch.randn(3, requires_grad=True) * 0.1` to require grad at the end; None for other statements."""
    if not isinstance(made, ast.Assign):
        return None
    changed = ast.parse(ast.unparse(made)).body[0]
    inner = [node for node in ast.walk(changed.value) if isinstance(node, ast.Call)]
    marked = [(node, each) for node in inner for each in node.keywords if each.arg == "requires_grad"]
    if len(marked) != 1:
        return None
    ((node, keyword),) = marked
    node.keywords.remove(keyword)
    value = ast.unparse(changed.value)
    value = value if isinstance(changed.value, ast.Call) else f"({value})"
    return f"{ast.unparse(changed.targets[0])} = {value}.requires_grad_()"


def explain_not_computed(situation, name):
    """Explain a gradient that no backward pass has computed."""
    scope, line = situation.place.scope(), situation.place.line
    if scope is None:
        return _("no backward pass has computed it"), (), None
    for node in iterate_scope(scope):
        match node:
            case ast.Expr(value=ast.Attribute(attr="backward")) if node.lineno < line:
                code = ast.unparse(node)
                return (
                    _("`{code}` on line {line} does not call backward").format(code=code, line=node.lineno),
                    (Fit(f"{code}()", "", node.lineno),),
                    None,
                )
    passes = [each for each, _ in calls_of(scope, "backward") if each < line]
    cleared = [each for each, _ in calls_of(scope, "zero_grad") if each < line and passes and each > passes[-1]]
    if cleared:
        return (
            _("zero_grad() on line {line} has set it to None after the backward pass").format(line=cleared[-1]),
            (),
            _("zero_grad() before backward()"),
        )
    if passes:
        from tensh.explain.cuts.absence import GradientQuestion, find_lost_use  # imported late: it loads the graph

        rule = _("the backward pass on line {line} did not reach {name}").format(line=passes[-1], name=name)
        result, cut = find_lost_use(name, GradientQuestion(situation.names, {"": situation.place.source})) or ("", None)
        if cut is None:
            rule, advice = explain_empty_backward(situation) or (rule, None)
            return rule, (), advice
        return f"{rule}; {result} {cut.sentence}", cut.fits, cut.advice
    return _("no backward pass has run"), first_pass(situation) or only_where_present(situation, name), None


def only_where_present(situation, name):
    """Return `w.grad.zero_()` under a condition, for the first iteration of a loop whose backward pass comes later."""
    scope, line = situation.place.scope(), situation.place.line
    around = loop_around(scope, line)
    if around is None or not any(each > line for each, _ in calls_of(around, "backward")):
        return ()
    for node in iterate_scope(around):
        code = ast.unparse(node) if isinstance(node, ast.Expr) and node.lineno == line else ""
        if code == f"{name}.grad.zero_()":
            return (Fit(f"if {name}.grad is not None: {code}", "", line),)
    return ()


def explain_empty_backward(situation):
    """Return (rule, advice) of a Function in the source whose backward returns nothing; None if there is none."""
    for definition in ast.walk(situation.place.tree()):
        if not isinstance(definition, ast.ClassDef) or not any("Function" in ast.unparse(b) for b in definition.bases):
            continue
        for method in definition.body:
            if getattr(method, "name", None) == "backward" and not any(map(is_result, iterate_scope(method))):
                rule = _("{kind}.backward (line {line}) returns nothing").format(
                    kind=definition.name, line=method.lineno
                )
                return rule, _("return a gradient for each argument of forward")
    return None


def is_result(node):
    return isinstance(node, ast.Return) and node.value is not None


def first_pass(situation):
    """Return the missing backward pass as a line before the failure; () if there is a pass."""
    scope, path = situation.place.scope(), situation.place.path()
    if scope is None or not path or [*calls_of(scope, "backward")]:
        return ()
    roots = [name for name, value in situation.names.items() if is_root(name, value) and bindings(scope, name)]
    return tuple(Fit(f"{root}.backward()", "", path[0].lineno, "before") for root in roots[-1:])


def is_root(name, value):
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() == 0 and name[0] != "_"
