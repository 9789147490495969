"""The only code generator: writes the function of an operator from its declaration, as one would by hand.

Every operator has up to five generated functions, each written when first needed:

- ``function_source``   the function: true signature, saves only the values that the derivatives read
- ``public_source``     the function as users call it, and ``public_inplace_source`` (see arguments/public_wrapper.py)
- ``operator_source``   the Python operator (``a * b``), which returns NotImplemented instead of raising
- ``inplace_source``    ``mul_`` where the kernel is a ufunc that can write into its first operand

Their steps are in steps.py, and the generated derivatives in derivatives.py.
Read the result with ``print(tensh.engine.codegen.vocabulary.OPS[name].text)``.
"""

import inspect

from numpy import ufunc

from tensh.engine.arguments.quick_checks import checks_of
from tensh.engine.codegen.source import INDENT, indent_lines
from tensh.engine.codegen.steps import (
    aliases,
    argument_text,
    call,
    check_lines,
    default,
    kernel_call,
    kernel_lines,
    matrix_lines,
    operand_lines,
    own_letters,
    result_lines,
    scalars,
    signature,
    two_operand_lines,
    weak,
)

UNRECORDED = "unrecorded"  # inplace=UNRECORDED: a method that is not recorded, as in PyTorch


# ── the function ─────────────────────────────────────────────────────────────
def function_source(op):
    """Return the function, with its true signature."""
    head, lines = [f"def {op.name}({signature(op, out=op.out)}):", repr(op.doc)], []
    for parameter, alias in aliases(op).items():
        lines.append(f"if {alias} is not None: {parameter} = {alias}")
        if op.parameters[parameter].default is inspect.Parameter.empty:
            lines.append(f"elif {parameter} is REQUIRED: raise_missing({op.name!r}, {parameter!r})")
    if op.out:
        op.environment[f"{op.name}_out"] = None if op.out is True else op.out
        strict = "" if op.out is True and not op.apart and not op.parallel else f", {op.name}_out"
        if strict:
            strict += f", ({' '.join(p + ',' for p in op.inputs)}){', False' * (op.apart is not True)}"
        lines.append("if out is not None:")
        lines += [INDENT + line for line in _write_out(op, strict)]
    lines += _keyword_variants(op, "return {}") + operand_lines(op) + kernel_lines(op) + result_lines(op)
    lines.append(f"return {'out' if op.outs == () else 'outs'}")
    return indent_lines([*head, *add_batch_exit(lines, _write_batch_call(op, out=op.out))])


def _write_out(op, strict):
    """Lines that compute and write into ``out``, after checks in PyTorch's order where something may refuse that."""
    inputs = f"({' '.join(p + ',' for p in op.inputs)})"
    lines = ["if dtype is None and isinstance(out, Tensor): dtype = out.dtype"] if op.into_dtype else []
    result, plain = f"{op.name}_fn({call(op)})", not op.outs
    if plain:
        lines += _write_plain(op, inputs, result)
        result += " if result is None else result"
    lines.append(f"require_outs(out, '{op.name}', {bool(op.outs)})")
    if op.derivatives and op.node != "NotImplemented":
        lines += [f"check_out(out, '{op.name}', {inputs})"]
    else:
        lines += [f"check_out(out, 'aten::{op.name}', ())"] if op.pointwise and not op.returns_bool else []
    apart = f"if isinstance(out, Tensor): refuse_overlap(out.array, '{op.name}'); refuse_overlap_in_part(out, {inputs})"
    lines += [apart] if op.pointwise else []
    if op.takes_out:
        op.environment[f"{op.name}_takes_out"] = op.takes_out
        lines.append(f"{op.name}_takes_out('{op.name}', {', '.join(op.inputs)}, out)")
    into = "write_out" if op.derivatives or op.outs else "write_constant_out"
    if not op.pointwise or len(op.inputs) != 2:
        return [*lines, f"return {into}(out, {result}, '{op.name}'{strict})"]
    given = f"error, '{op.name}', {', '.join(op.inputs)}, out"
    lines.append(f"try: result = {result}")
    lines.append(f"except NotImplementedError as error: raise make_cast_error({given}) from None")
    lines.append(f"refuse_growth(out, result, {inputs})")
    return [*lines, f"return {into}(out, result, '{op.name}'{strict})"]


def _write_plain(op, inputs, result):
    """Lines that write into a tensor of the right shape and dtype, and otherwise set ``result`` to the result or to None.

    What cannot be computed is computed again after the checks, which may raise another error.
    """
    lines = ["result = None", f"if is_plain(out, {inputs}{', True' * (op.apart is True)}):"]
    if op.pointwise and op.parallel and not op.keyword_variants:
        op.environment[f"{op.name}_op"] = op
        numbers, options = _other_arguments(op)
        straight = f"compute_plain(out, {op.name}_op, {inputs}, ({numbers}){options})"
        lines.append(INDENT + f"if out.array.size > BLOCK and {straight}: return out")
    lines.append(INDENT + f"try: result = {result}")
    lines.append(INDENT + "except Exception: pass")
    return [*lines, INDENT + "if result is not None and write_plain(out, result): return out"]


def _other_arguments(op):
    """Return the arguments other than the inputs: those by position, and those by name."""
    others = [p for p in op.parameters.values() if p.name not in op.inputs]
    numbers = "".join(f"{p.name}, " for p in others if p.kind is not p.KEYWORD_ONLY)
    return numbers, "".join(f", {p.name}={p.name}" for p in others if p.kind is p.KEYWORD_ONLY)


def add_batch_exit(lines, answer):
    """Return the lines, with ``answer`` as the result for a batched tensor: see Note [Batches] in core/lift.py."""
    return ["try:", *(INDENT + line for line in lines), f"except Lift: return {answer}"]


def _write_batch_call(op, suffix="", out=False):
    """Return the expression that calls the port of vmap for the operator, or for its in-place form."""
    return f"ports.batched_operator({op.name + suffix!r}, {call(op, variants=False)}{', out=out' if out else ''})"


def _keyword_variants(op, answer, made="fn"):
    """Lines that pass an unusual value of a keyword to the operator that handles it."""
    op.environment.update((f"usual_{keyword}", usual) for keyword, (usual, _) in op.keyword_variants.items())
    return [
        f"if {keyword} is not usual_{keyword}: "
        + answer.format(f"OPS[{other!r}].{made}({', '.join(op.parameters)}, {keyword})")
        for keyword, (_, other) in op.keyword_variants.items()
    ]


def operator_source(op):
    """Return the function as a Python operator: NotImplemented for an operand that is neither a tensor nor a number."""
    first, other = op.inputs
    if op.beyond is not None:
        operands = matrix_lines(op)
    else:
        *operands, mixing = two_operand_lines(op, "")
        operands += [
            f"elif not operand({other}): return foreign('{op.name}', {', '.join(op.inputs)})",
            mixing,
            *check_lines(op),
        ]
    given = ", ".join(op.inputs)
    batched = _write_batch_call(op)
    if op.whole is not None:
        op.environment[f"{op.name}_whole"] = op.whole
        batched = f"ports.batched_function('{op.whole.__name__}', {op.name}_whole, ({given}), {{}})"
    lines = add_batch_exit([*operands, *kernel_lines(op), *result_lines(op), "return out"], batched)
    return indent_lines(
        [
            f"def {op.name}_operator({given}=ABSENT, *surplus):",  # x.__add__() and x.__add__(y, z), too
            "if surplus: return NotImplemented",
            *lines,
            "except AttributeError:",
            INDENT + f"if not isinstance({first}, Tensor): refuse_receiver('__{op.name}__', {first})",
            INDENT + "raise",
        ]
    )


# ── its public form ──────────────────────────────────────────────────────────
def public_source(op, name, known):
    """Return the function as users call it (see arguments/public_wrapper.py); ``known`` names the wrapper's facts."""
    if op.environment[known].method and op.other_forms:
        op.environment[f"{op.name}_forms"] = op.other_forms
        first, rest = op.parameters
        header, given = f"{first}=REQUIRED, *{rest}, **options", f"({first}, *{rest})"
        other = f"options or not {rest} or type({rest}[0]) is not int"
        start = [f"if {other}: return {op.name}_forms({first}, *{rest}, **options)"]
        lifted = f"ports.batched_function({name!r}, {op.name}_forms, {given}, options) if {other} else {_write_batch_call(op)}"
    else:
        header, given, start = _public_start(op, known)
        lifted = _write_batch_call(op)
    body = [
        *start,
        *operand_lines(op),
        *kernel_lines(op),
        *result_lines(op),
        f"return {'out' if op.outs == () else 'outs'}",
    ]
    return _public(op, name, header, add_batch_exit(body, lifted), f"{known}.refuse({given}, options)")


def public_inplace_source(op, name, known):
    """Return the in-place form as users call it."""
    header, given, start = _public_start(op, known, "_")
    lines = add_batch_exit([*start, *_inplace(op)], _write_batch_call(op, "_"))
    return _public(op, name, header, lines, f"{known}.refuse({given}, options)")


def _public_start(op, known, suffix=""):
    """Return (parameters, arguments, first lines) of a public wrapper: keywords and odd arguments take the slow path."""
    parts, names, absent, keywords, missing = [], "", "", [], ""
    for p in op.parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            keywords.append(f"{p.name} = {default(p, op)}")
            continue
        required = p.default is p.empty
        parts.append(f"{p.name}={'REQUIRED' if required else default(p, op)}")
        names += f"{p.name}, "
        missing += f" or {p.name} is REQUIRED" if required else ""
        absent += f" or {p.name} is REQUIRED" if required and p.name not in op.inputs else ""
    given = f"({names}*surplus,)"
    known_positional = {n: p for n, p in op.parameters.items() if p.kind is not p.KEYWORD_ONLY}
    checks = "".join(f" or {check}" for check in checks_of(known_positional))
    slow = [f"if surplus or options{absent}{checks}:"]
    if op.environment[known].keywords:
        named = f"if not (surplus{missing}{checks}) and {known}.accepts(options)"
        slow.append(f"{INDENT}{named}: return {op.name}{suffix}_fn({names}**options)")
    slow.append(f"{INDENT}return {known}.call_bound({given}, options)")
    return ", ".join([*parts, "*surplus", "**options"]), given, [*slow, *keywords]


def _public(op, name, header, lines, refuse):
    return indent_lines(
        [
            f"def {name}({header}):",
            repr(op.doc),
            *lines,
            "except Exception:",
            f"{INDENT}if answer := {refuse}: return answer[0]",
            f"{INDENT}raise",
        ]
    )


# ── the in-place form ────────────────────────────────────────────────────────
def inplace_source(op):
    """``mul_``: with nothing to record, a write straight into the array; otherwise ``write_inplace``."""
    lines = [f"def {op.name}_({signature(op, out=False)}):", f"'In-place version of {op.name}.'"]
    body = [*_keyword_variants(op, "return {}", "inplace_fn"), *_inplace(op)]
    return indent_lines([*lines, *add_batch_exit(body, _write_batch_call(op, "_"))])


def _inplace(op):
    """Return the lines of the in-place form."""
    a, *others = op.inputs
    name, value = f"{op.name}_", f"{op.name}_fn({call(op, variants=False)})"
    if op.inplace_node:
        value = f"name_node({value}, {op.inplace_node!r})"
    lines = _write_straight(op, a, *others) if op.pointwise else []
    lines.append(f"if not isinstance({a}, Tensor): take_operand({a}, '{name}', '{a}', 1)")
    lines.append("since = " + ("None" if op.inplace == UNRECORDED else f"begin_write({', '.join(op.inputs)})"))
    if op.pointwise:
        lines += [f"keep_dtype({a}, {', '.join(others)})"] if op.keeps_dtype else []
        lines.append(f"refuse_overlap({a}.array, '{op.name}')")
    if op.inplace == UNRECORDED and others:
        lines.append(f"refuse_overlap_in_part({a}, ({others[0]},))")
    if op.parallel and not op.pointwise and len(others) > 1:
        op.environment[f"{op.name}_op"] = op
        keywords = "".join(f", {p}={p}" for p in op.parameters if p not in op.inputs)
        straight = f"write_elementwise({a}, {op.name}_op, ({', '.join(others)},){keywords})"
        return [
            *lines,
            f"if {a}.array.size >= DIRECT and {straight}: return {a}",
            f"try: return write_inplace({a}, since, {value}, '{name}')",
            f"except NotImplementedError as error: raise make_write_error(error, {', '.join(op.inputs)}) from None",
        ]
    if not others or not op.pointwise:
        return [
            *lines,
            *([f"dtype = require_own_dtype({a}, dtype)"] if op.into_dtype else []),
            f"return write_inplace({a}, since, {value}, '{name}')",
        ]
    return [
        *lines,
        f"if not isinstance({others[0]}, Tensor): require_operand('{op.name}', {others[0]})",
        f"try: return write_inplace({a}, since, {value}, '{name}')",
        f"except (NotImplementedError, RuntimeError) as error: raise make_cast_error(error, '{op.name}', {a}, {others[0]}) from None",
    ]


def _write_straight(op, a, b=None):
    """Lines that write into the array of ``a`` if nothing is recorded and the dtypes agree.

    A view is written straight if its base has no node and the view has no ``ViewInfo``.
    """
    fits = [f"{a}_.dtype.char in {own_letters(op)!r}"] if op.floats or op.types != "biufcW" else []
    free = f"{a}._base is None or {a}._base.node is None and {a}._view_info is None"
    lines = [
        f"if isinstance({a}, Tensor) and ({a}.node is None or not mode.grad) and ({free}) and not differentiating:",
        INDENT + f"{a}_ = {a}.array",
        INDENT + f"if {a}_.base is not None: refuse_overlap({a}_, '{op.name}')",
    ]
    if b is not None:
        take = f"{b}_ = {b}.array; {b}_n = {b}.node if {b}._base is {a}._base is None else operand_node({a}_, {b})"
        lines.append(INDENT + f"if isinstance({b}, Tensor): {take}")
        if b in op.numbers:
            lines.append(
                INDENT
                + f"elif type({b}) in {weak(op)}[{a}_.dtype.kind]: {b}_ = {scalars(op)}[{b}, {a}_.dtype]; {b}_n = None"
            )
        lines.append(INDENT + f"else: {b}_ = NO_ARRAY")
        fits += [f"{b}_.dtype is {a}_.dtype", f"({b}_n is None or not mode.grad)"]
    depth = INDENT
    if fits:
        lines.append(INDENT + f"if {' and '.join(fits)}:")
        depth += INDENT
    operands = f"({a}_, {b}_)" if b else f"({a}_,)"
    failed = f"except WRITE_FAILURES as error: raise translate_error(error, '{op.name}_', {operands}, True) from None"
    done = [f"stamp_write({a}_)", f"return {a}"]
    if isinstance(op.kernel, ufunc) and not op.returns_bool:  # NumPy would convert bools one by one
        call = f"{op.name}_kernel({operands[1:-1].rstrip(',')}, {a}_)"
        tried = [kernel_call(op, call, f"{a}_"), *done]
    else:
        tried = [f"out_ = {kernel_call(op, f'{op.name}_kernel({argument_text(op)})', f'{a}_')}"]
        if (
            op.parallel
            and not op.returns_bool
            and hasattr(op.kernel, "write_into")
            and not hasattr(op.kernel, "in_blocks")
        ):
            op.environment[f"{op.name}_write"] = op.kernel.write_into
            apart = f" and {b}_.base is None and {b}_ is not {a}_.base" if b else ""
            straight = f"if {a}_.dtype is F4 and DIRECT <= {a}_.size <= BLOCK{apart}"
            tried = [
                f"{straight}: {op.name}_write({a}_, {argument_text(op)}); out_ = {a}_",
                "else:",
                INDENT + tried[0],
            ]
        same = (
            f"(out_.dtype is {a}_.dtype or {a}_.dtype.kind in 'biufcV')"
            if op.returns_bool
            else f"out_.dtype is {a}_.dtype"
        )
        tried += [f"if out_.shape == {a}_.shape and {same}:"]
        tried += [INDENT + line for line in (f"if out_ is not {a}_: {a}_[...] = out_", *done)]
    written = [
        "try:",
        *[INDENT + line for line in tried],
        failed,
    ]  # ^C may come before the stamp: see ``translate_error``
    return lines + [depth + line for line in written]
