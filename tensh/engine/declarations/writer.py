"""From a declaration to the function you would have typed by hand: the only code generator.

For every operator it writes up to six pieces of Python, each when first needed:

- ``function_source``   the function: true signature, saves only what the derivatives read
- ``face_source``       the same as users call it, and ``inplace_face_source`` (see calls/faces.py)
- ``operator_source``   the same as a Python operator (``a * b``), which answers NotImplemented instead of raising
- ``inplace_source``    ``mul_`` where the kernel is a ufunc that can write into its first operand
- ``backward_source``   the derivatives, compiled once for raw arrays and once for tensors (see vocabulary.py)

The naming is always the same: for a parameter ``input``, ``input_`` is its raw array and ``input_n`` the node that its
gradient goes to.  Read the result with ``print(tensh.engine.declarations.table.OPS["mul"].text)``.
"""

import ast
import functools
import inspect
import linecache

from numpy import ufunc

from tensh.engine.arrays.cores import is_light
from tensh.engine.declarations.scaling import with_named_numbers

INDENT = "    "


def compiled(source, title, namespace):
    """Execute ``source`` in ``namespace``; tracebacks and debuggers can show its lines."""
    filename = f"<tensh {title}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)


# ── what a derivative reads ──────────────────────────────────────────────────
def reads(text, names):
    """The saved values a derivative needs, in order: names, and ``name.shape`` kept without its array."""
    found, parents = {}, {}
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            parent = parents.get(node)
            of = isinstance(parent, ast.Attribute) and parent.attr in ("shape", "dtype", "ndim") and names[node.id]
            found[f"{node.id}.{parent.attr}" if of else node.id] = None
    return list(found)


def saves(op):
    """What the operator keeps for its derivatives: saved expression -> the inputs whose derivative reads it."""
    tensors = {*op.inputs, *op.outs, "out"}
    names = {name: name in tensors for name in (*op.parameters, *tensors)}
    kept = {}
    for parameter, text in op.derivatives.items():
        for let in (*op.let.values(), text) if op.let else (text,):
            for read in reads(let, names):
                kept.setdefault(read, {})[parameter] = None
    return {read: list(who) for read, who in kept.items()}


def words_of(text):
    """The names that a derivative speaks of, but for those that its own comprehensions bind."""
    names = [node for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return [node.id for node in names if node.id not in bound]


def variable(read):
    """The local name of a saved expression: ``input.shape`` -> ``input_shape``."""
    return read.replace(".", "_")


def raw(name, op):
    """The expression of a saved value inside the function: the raw array of a tensor, anything else as it is."""
    base, _, attribute = name.partition(".")
    if base == op.sequence and attribute:
        return f"[each.{attribute} for each in {base}_]"
    if base in op.inputs or base == "out" or base in op.outs:
        base += "_"
    return f"{base}.{attribute}" if attribute else base


# ── the function ─────────────────────────────────────────────────────────────
def signature(op, *, out):
    """The text of the parameter list, with NumPy's ``axis`` and ``keepdims`` beside ``dim`` and ``keepdim``."""
    parts, star = [], False
    for p in op.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if p.default is not p.empty:
            parts.append(f"{p.name}={default(p, op)}")
        else:
            parts.append(f"{p.name}=REQUIRED" if p.name in aliases(op) else p.name)
    keywords = [f"{alias}=None" for alias in aliases(op).values()]
    keywords += [f"{keyword}={usual!r}" for keyword, (usual, _) in op.rare.items()]
    keywords += ["out=None"] if out else []
    if keywords and not star:
        parts.append("*")
    return ", ".join(parts + keywords)


def aliases(op):
    """The parameters that may also be given under NumPy's name: a required one only if nothing required follows it."""
    names = {}
    for position, (name, p) in enumerate(op.parameters.items()):
        later = list(op.parameters.values())[position + 1 :]
        last = all(other.default is not p.empty or other.kind is p.KEYWORD_ONLY for other in later)
        if op.public and name in NUMPY and (p.default is not p.empty or last):
            names[name] = NUMPY[name]
    return names


NUMPY = {"dim": "axis", "keepdim": "keepdims"}


def default(parameter, op):
    """How a default is written: as itself, or by name where its repr is no expression."""
    value = parameter.default
    if value is None or isinstance(value, (bool, int, float, str, tuple)) and value == value and abs_finite(value):
        return repr(value)
    op.environment[name := f"{op.name}_{parameter.name}"] = value
    return name


def abs_finite(value):
    return not isinstance(value, float) or value - value == 0


def call(op, rare=True):
    """The parameters as the arguments of a call with the same signature."""
    arguments = [p if v.kind is not v.KEYWORD_ONLY else f"{p}={p}" for p, v in op.parameters.items()]
    return ", ".join([*arguments, *(f"{keyword}={keyword}" for keyword in op.rare if rare)])


def function_source(op):
    """The function, with its true signature."""
    head, lines = [f"def {op.name}({signature(op, out=op.out)}):", repr(op.doc)], []
    for parameter, alias in aliases(op).items():
        lines.append(f"if {alias} is not None: {parameter} = {alias}")
        if op.parameters[parameter].default is inspect.Parameter.empty:
            lines.append(f"elif {parameter} is REQUIRED: missing({op.name!r}, {parameter!r})")
    if op.out:
        op.environment[f"{op.name}_out"] = None if op.out is True else op.out
        strict = f", {op.name}_out, ({' '.join(p + ',' for p in op.inputs)})" if op.out is not True or op.apart else ""
        lines.append("if out is not None:")
        lines += [INDENT + line for line in _out(op, strict)]
    lines += _rare(op, "return {}") + _operands(op) + _compute(op) + _result(op)
    lines.append(f"return {'out' if op.outs == () else 'outs'}")
    return indented([*head, *lifting(lines, _lifted(op, out=op.out))])


def _out(op, strict):
    """Lines that compute and write into ``out``: what PyTorch refuses first is refused first."""
    inputs = f"({' '.join(p + ',' for p in op.inputs)})"
    if op.derivatives and op.node != "NotImplemented":
        lines = [f"before_out(out, '{op.name}', {inputs})"]
    else:
        lines = [f"before_out(out, 'aten::{op.name}', ())"] if op.pointwise and not op.truth else []
    apart = f"if isinstance(out, Tensor): refuse_overlap(out.array, '{op.name}'); refuse_overlap_in_part(out, {inputs})"
    lines += [apart] if op.pointwise else []
    lines += ["if dtype is None: dtype = out.dtype"] if op.into_dtype else []
    into = "into" if op.derivatives or op.outs else "constant_into"
    if not op.pointwise or len(op.inputs) != 2:
        return [*lines, f"return {into}(out, {op.name}_fn({call(op)}), '{op.name}'{strict})"]
    given = f"error, '{op.name}', {', '.join(op.inputs)}, out"
    lines.append(f"try: result = {op.name}_fn({call(op)})")
    lines.append(f"except NotImplementedError as error: raise refused_cast({given}) from None")
    lines.append(f"refuse_growth(out, result, {inputs})")
    return [*lines, f"return {into}(out, result, '{op.name}'{strict})"]


def lifting(lines, answer):
    """The lines, with the ``answer`` to a tensor with a hidden batch dimension: see Note [Lifting]."""
    return ["try:", *(INDENT + line for line in lines), f"except Lift: return {answer}"]


def _lifted(op, suffix="", out=False):
    """The expression that answers for the operator, or for its in-place form."""
    return f"lifting.operator({op.name + suffix!r}, {call(op, rare=False)}{', out=out' if out else ''})"


def face_source(op, name, known):
    """The function as users call it under a name (see calls/faces.py); ``known`` is the name of what the face knows."""
    if op.environment[known].method and op.other_forms:
        op.environment[f"{op.name}_forms"] = op.other_forms
        first, rest = op.parameters
        header, given = f"{first}=REQUIRED, *{rest}, **options", f"({first}, *{rest})"
        other = f"options or not {rest} or type({rest}[0]) is not int"
        start = [f"if {other}: return {op.name}_forms({first}, *{rest}, **options)"]
        lifted = f"lifting.function({name!r}, {op.name}_forms, {given}, options) if {other} else {_lifted(op)}"
    else:
        header, given, start = _face_start(op, known)
        lifted = _lifted(op)
    body = [*start, *_operands(op), *_compute(op), *_result(op), f"return {'out' if op.outs == () else 'outs'}"]
    return _face(op, name, header, lifting(body, lifted), f"{known}.refuse({given}, options)")


def inplace_face_source(op, name, known):
    """The in-place form as users call it."""
    header, given, start = _face_start(op, known)
    lines = lifting([*start, *_inplace(op)], _lifted(op, "_"))
    return _face(op, name, header, lines, f"{known}.refuse({given}, options)")


def _face_start(op, known):
    """(parameters, what was given, first lines) of a face: keywords and what is not as expected go the slow way."""
    parts, names, absent, keywords = [], "", "", []
    for p in op.parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            keywords.append(f"{p.name} = {default(p, op)}")
            continue
        required = p.default is p.empty
        parts.append(f"{p.name}={'REQUIRED' if required else default(p, op)}")
        names += f"{p.name}, "
        absent += f" or {p.name} is REQUIRED" if required and p.name not in op.inputs else ""
    given = f"({names}*surplus,)"
    slow = f"if surplus or options{absent}: return {known}.called({given}, options)"
    return ", ".join([*parts, "*surplus", "**options"]), given, [slow, *keywords]


def _face(op, name, header, lines, refuse):
    return indented([f"def {name}({header}):", repr(op.doc), *lines, f"except Exception: {refuse}; raise"])


def operator_source(op):
    """The function as a Python operator: an operand that is no tensor and no number is somebody else's business."""
    other = list(op.inputs)[1]
    if op.beyond is not None:
        operands = _two_matrices(op)
    else:
        *operands, mixing = _two_operands(op)
        operands += [
            f"elif not operand({other}): return foreign('{op.name}', {', '.join(op.inputs)})",
            mixing,
            *_checks(op),
        ]
    given = ", ".join(op.inputs)
    lines = lifting([*operands, *_compute(op), *_result(op), "return out"], _lifted(op))
    return indented([f"def {op.name}_operator({given}):", *lines])


def _rare(op, answer, made="fn"):
    """Lines that hand a keyword with another value than the usual one to the operator that computes with it."""
    op.environment.update((f"usual_{keyword}", usual) for keyword, (usual, _) in op.rare.items())
    return [
        f"if {keyword} is not usual_{keyword}: "
        + answer.format(f"OPS[{other!r}].{made}({', '.join(op.parameters)}, {keyword})")
        for keyword, (_, other) in op.rare.items()
    ]


def _operands(op):
    """Lines that take the raw arrays and the nodes out of the tensors."""
    if op.pointwise and len(op.inputs) == 2:
        lines = _two_operands(op)
    else:
        lines = []
        for position, p in enumerate(op.parameters, 1):
            if p not in op.inputs:
                continue
            if p == op.sequence:
                lines.append(f"{p}_, {p}_n = given_list({p}, '{op.name}', '{p}', {position})")
                continue
            take = taken(op).format(p)
            optional = ", True" if op.parameters[p].default is None else ""
            lines.append(f"if isinstance({p}, Tensor): {take}")
            lines.append(f"else: {p}_, {p}_n = given({p}, '{op.name}', '{p}', {position}{optional})")
    return lines + _checks(op)


def taken(op):
    """The text that takes the raw array out of a tensor and, where there is a derivative, the node."""
    if op.derivatives:
        return "{0}_ = {0}.array; {0}_n = {0}.node if {0}._base is None else edge({0})"
    return "{0}_ = {0}.array" if op.pointwise else "{0}_ = {0}.array; {0}.node"  # which may raise Lift


def _checks(op):
    """Lines that refuse dtypes the operator does not know, and cast integers for a floating point function."""
    lines, first = [], next(iter(op.inputs))
    if op.types != "biufcW":
        known = op.types + ("V" if "f" in op.types else "")
        operands = "".join(f", {p}_" for p in op.inputs) if op.pointwise else ""
        lines.append(f"if {first}_.dtype.kind not in {known!r}:")
        if not op.derivatives:  # or else ``edge`` was asked before: it refuses views that may not be used any more
            lines += [f"{INDENT}if isinstance({p}, Tensor): edge({p})" for p in op.inputs]
        lines.append(f"{INDENT}refuse_dtype({op.name!r}, {first}_.dtype{operands})")
    if op.floats:
        casts = "; ".join(f"{p}_ = as_float({p}_, {op.name!r})" for p in op.inputs)
        lines.append(f"if {first}_.dtype.kind in 'iubW': {casts}")
    return lines


def kinds(op):
    """The kinds of NumPy dtypes that the kernel takes as they are: ``types``, with "V" for bfloat16."""
    types = "".join(t for t in op.types if not op.floats or t not in "biuW")
    return types + ("V" if "f" in types else "")


def _two_matrices(op):
    """Two operands of a product of matrices; ``beyond`` takes those with another number of dimensions."""
    a, b = op.inputs
    op.environment[f"{op.name}_beyond"] = op.beyond
    node = "{0}_n = {0}.node if {0}._base is None else edge({0})"
    return [
        f"if not isinstance({b}, Tensor): return NotImplemented",
        f"{a}_ = {a}.array; {b}_ = {b}.array",
        f"if {a}_.ndim != 2 or {b}_.ndim != 2: return {op.name}_beyond({a}, {b})",
        node.format(a),
        node.format(b),
    ]


def _two_operands(op):
    """Two operands of a pointwise operator: tensors of one dtype, a number that keeps the dtype, anything else."""
    a, b = op.inputs
    take = taken(op)
    lines = [
        f"if isinstance({a}, Tensor) and isinstance({b}, Tensor):",
        INDENT + take.format(a),
        INDENT + take.format(b),
        INDENT + f"if {a}_.dtype is not {b}_.dtype: {a}_, {b}_ = promote({a}_, {b}_, '{op.name}')",
    ]
    if b in op.numbers:
        lines.append(f"elif isinstance({a}, Tensor) and type({b}) in {weak(op)}[{a}.array.dtype.kind]:")
        lines.append(INDENT + take.format(a) + f"; {b}_ = SCALARS[{b}, {a}_.dtype]; {b}_n = None")
    return [*lines, f"else: {a}_, {b}_, {a}_n, {b}_n = mix('{op.name}', {a}, {b})"]


def _arguments(op):
    """What the kernel is called with: the raw arrays of the tensors, anything else as it is."""
    return ", ".join(
        (f"{p}={p}" if v.kind is v.KEYWORD_ONLY else p) + ("_" if p in op.inputs else "")
        for p, v in op.parameters.items()
    )


def _compute(op):
    """The kernel call.  ``try`` costs nothing until something fails; then NumPy's words become PyTorch's."""
    op.environment[f"{op.name}_kernel"] = op.kernel
    operands = "".join(f"{p}_, " for p in op.inputs)
    return [
        f"try: out_ = {_kernel(op, f'{op.name}_kernel({_arguments(op)})')}",
        f"except Exception as error: raise explained(error, '{op.name}', ({operands})) from None",
    ]


def _kernel(op, call, into=None):
    """The call; of a function of elements, in blocks from many elements on (see arrays/cores.py)."""
    if not op.spread:
        return call
    arrays = [f"{p}_" for p in op.parameters if p in op.inputs]
    others = "".join(f"{p}, " for p, v in op.parameters.items() if p not in op.inputs and v.kind is not v.KEYWORD_ONLY)
    options = "".join(f", {p}={p}" for p, v in op.parameters.items() if v.kind is v.KEYWORD_ONLY)
    arguments = f"({', '.join(arrays)},), ({others}), {into}{options}"
    least = "SPREAD_LIGHT" if is_light(op.kernel) else "SPREAD"
    return f"{call} if {arrays[0]}.size < {least} else spread({op.name}_kernel, {arguments})"


BLANK = "{0} = new(); {0}.array = {0}_; {0}.node = {0}._base = {0}._grad = None"


def _result(op):
    """Lines that wrap the kernel's result and record the node."""
    if op.outs:
        return _results(op)
    lines = [] if op.view else ["if type(out_) is not ndarray: out_ = asarray(out_)"]
    lines.append(BLANK.format("out"))
    if op.derivatives:
        lines.append(_wanted(op, op.derivatives) + " and mode.grad:")
        lines.append(INDENT + f"out.node = k = {_node(op)}(); " + _record(op))
        lines.append(INDENT + "k.shape = out_.shape; k.dtype = out_.dtype; k.time = tick()")
    if op.view:
        first, *rest = op.parameters
        call = f", {op.name}_fn, ({' '.join(p + ',' for p in rest)})" if op.view == RETYPED else ""
        if call:
            lines.append(f"see_retyped({first}, out{call})")
        else:
            seen = f"out._base = {first}; out._how = None; out._time = clock.last_write"
            lines += [f"if {first}._base is None and mode.grad: {seen}", f"else: see({first}, out)"]
    return lines


def _results(op):
    """The same for several outputs: a named tuple of fixed outputs, or a tuple of any length (``outs=LIST``)."""
    first = next(iter(op.parameters))
    if op.many:  # every output has its own gradient: Output nodes lead to the one that computes
        lines = ["outs = [wrap(array) for array in out_]"]
        chosen = "range(len(outs))" if op.outs == LIST else repr(op.differentiable)
        if op.derivatives:
            lines.append(_wanted(op, op.derivatives) + " and mode.grad:")
            if op.outs != LIST:
                lines.append(INDENT + f"{' '.join(o + '_,' for o in op.outs)} = out_")
            lines.append(INDENT + f"k = {op.name}_node(); " + _record(op))
            facts = "k.shape = [(array.shape, array.dtype) for array in out_]; k.dtype = None"
            lines.append(INDENT + f"{facts}; k.time = tick()")
            lines.append(INDENT + f"for i in {chosen}: outs[i].node = Output(k, i, k.shape[i])")
        if op.view:
            lines.append(f"for o in outs: see({first}, o, MULTIPLE)")
        return [*lines, f"outs = {op.name}_outs(outs)"]
    names = [f"{o}_" for o in op.outs]
    lines = [f"{', '.join(names)} = out_", *(f"{o} = wrap({o}_); {o}_ = {o}.array" for o in op.outs)]
    if op.derivatives:
        lines.append(_wanted(op, op.derivatives) + " and mode.grad:")
        lines.append(INDENT + f"{op.outs[0]}.node = k = {op.name}_node(); " + _record(op))
        lines.append(INDENT + f"k.shape = {names[0]}.shape; k.dtype = {names[0]}.dtype; k.time = tick()")
    return [*lines, f"outs = {op.name}_outs(({', '.join(op.outs)}))"]


RETYPED = "retyped"  # view=RETYPED: the view has another dtype
UNRECORDED = "unrecorded"  # inplace=UNRECORDED: a method that the graph knows nothing of, as in PyTorch
LIST = "list"  # outs=LIST: as many outputs as the kernel returns


def weak(op):
    """The table of numbers that keep a dtype: fewer where numbers are looked at before they are mixed with integers."""
    return "STRICT" if op.mixing or op.floats else "WEAK"


def _node(op):
    """The class of the new node, which has another name where an operand is a number."""
    name = f"{op.name}_node"
    for operand, node in op.numbers.items():
        if node:
            name = f"{op.name}_{operand}_node if not isinstance({operand}, Tensor) else {name}"
    return f"({name})" if " " in name else name


def _wanted(op, who):
    tests = [f"wanted({p}_n)" if p == op.sequence else f"{p}_n is not None" for p in who]
    return f"if ({' or '.join(tests)})" if len(tests) > 1 else f"if {tests[0]}"


def _record(op):
    """The slots of the new node, but for its facts and, last, its time: whoever replaces ``tick`` finds it complete.

    A value is saved only if an input whose derivative reads it wants a gradient.
    """
    nodes = f"tuple({op.sequence}_n)" if op.sequence else f"({' '.join(p + '_n,' for p in op.derivatives)})"
    saved = []
    for read, who in op.saves.items():
        value = raw(read, op)
        everyone = set(who) == set(op.derivatives)
        saved.append(value if everyone else f"{value} if {' or '.join(f'{p}_n is not None' for p in who)} else None")
    return f"k.inputs = {nodes}; k.saved = ({' '.join(s + ',' for s in saved)}); k.hooks = None"


def inplace_source(op):
    """``mul_``: with nothing to record the result is written straight into the array; ``put`` does the rest."""
    lines = [f"def {op.name}_({signature(op, out=False)}):", f"'In-place version of {op.name}.'"]
    body = [*_rare(op, "return {}", "inplace_fn"), *_inplace(op)]
    return indented([*lines, *lifting(body, _lifted(op, "_"))])


def _inplace(op):
    """The lines of the in-place form."""
    a, *others = op.inputs
    name = f"{op.name}_"
    lines = _written_straight(op, a, *others) if op.pointwise else []
    lines.append(f"if not isinstance({a}, Tensor): given({a}, '{name}', '{a}', 1)")
    lines.append("since = " + ("None" if op.inplace == UNRECORDED else f"begin({', '.join(op.inputs)})"))
    if op.pointwise:
        lines += [f"keep_dtype({a}, {', '.join(others)})"] if op.keeps else []
        lines.append(f"refuse_overlap({a}.array, '{op.name}')")
    if op.inplace == UNRECORDED and others:
        lines.append(f"refuse_overlap_in_part({a}, ({others[0]},))")
    if op.spread and not op.pointwise and len(others) > 1:
        return [
            *lines,
            f"try: return put({a}, since, {op.name}_fn({call(op, rare=False)}), '{name}')",
            f"except NotImplementedError as error: raise refused_write(error, {', '.join(op.inputs)}) from None",
        ]
    if not others or not op.pointwise:
        return [
            *lines,
            *([f"dtype = own_dtype({a}, dtype)"] if op.into_dtype else []),
            f"return put({a}, since, {op.name}_fn({call(op, rare=False)}), '{name}')",
        ]
    return [
        *lines,
        f"if not isinstance({others[0]}, Tensor): require_operand('{op.name}', {others[0]})",
        f"try: return put({a}, since, {op.name}_fn({call(op, rare=False)}), '{name}')",
        f"except (NotImplementedError, RuntimeError) as error: raise refused_cast(error, '{op.name}', {a}, {others[0]}) from None",
    ]


def _written_straight(op, a, b=None):
    """Lines that write into the array of ``a`` where no gradient, no view and no other dtype is in the way."""
    fits = [f"{a}_.dtype.kind in {kinds(op)!r}"] if op.floats or op.types != "biufcW" else []
    lines = [
        f"if isinstance({a}, Tensor) and {a}._base is None and ({a}.node is None or not mode.grad):",
        INDENT + f"{a}_ = {a}.array",
        INDENT + f"if {a}_.base is not None: refuse_overlap({a}_, '{op.name}')",
    ]
    if b is not None:
        take = f"{b}_ = {b}.array; {b}_n = {b}.node if {b}._base is None else beside({a}_, {b})"
        lines.append(INDENT + f"if isinstance({b}, Tensor): {take}")
        if b in op.numbers:
            lines.append(
                INDENT + f"elif type({b}) in {weak(op)}[{a}_.dtype.kind]: {b}_ = SCALARS[{b}, {a}_.dtype]; {b}_n = None"
            )
        lines.append(INDENT + f"else: {b}_ = NO_ARRAY")
        fits += [f"{b}_.dtype is {a}_.dtype", f"({b}_n is None or not mode.grad)"]
    depth = INDENT
    if fits:
        lines.append(INDENT + f"if {' and '.join(fits)}:")
        depth += INDENT
    operands = f"({a}_, {b}_)" if b else f"({a}_,)"
    failed = f"except Exception as error: raise explained(error, '{op.name}_', {operands}, True) from None"
    done = [f"wrote({a}_)", f"return {a}"]
    if isinstance(op.kernel, ufunc):
        call = f"{op.name}_kernel({operands[1:-1].rstrip(',')}, {a}_)"
        written = [f"try: {_kernel(op, call, f'{a}_')}", failed, *done]
    else:
        written = [f"try: out_ = {_kernel(op, f'{op.name}_kernel({_arguments(op)})', f'{a}_')}", failed]
        written += [f"if out_.shape == {a}_.shape and out_.dtype is {a}_.dtype:"]
        written += [INDENT + line for line in (f"if out_ is not {a}_: {a}_[...] = out_", *done)]
    return lines + [depth + line for line in written]


# ── the derivatives ──────────────────────────────────────────────────────────
def backward_source(op, recorded, derivatives):
    """``backward(self, g)``: unpack what was saved, and one expression for every differentiable input."""
    lines = [f"def {'backward_graph' if recorded else 'backward'}(self, g):", *_unpacked(op, recorded)]
    if op.many:
        names = "gs" if op.outs == LIST else " ".join(f"g_{o}," for o in op.outs)
        lines.append(f"{names} = filled(self, g)")
    said = functools.partial(local, op=op, recorded=recorded)
    lines += [f"{name} = {said(text)}" for name, text in op.let.items()]
    if op.sequence:
        lines.append(f"return {said(derivatives[op.sequence])}")
        return indented(lines)
    if len(derivatives) == 1:
        lines.append(f"return ({said(next(iter(derivatives.values())))},)")
        return indented(lines)
    lines.append(f"{' '.join(p + '_n,' for p in derivatives)} = self.inputs")
    values = [f"None if {p}_n is None else {said(text)}," for p, text in derivatives.items()]
    lines.append(f"return ({' '.join(values)})")
    return indented(lines)


def _unpacked(op, recorded):
    """The line that gives the saved values their names."""
    saved = "self.unpack()" if recorded else "self.saved"
    return [f"{' '.join(variable(read) + ',' for read in op.saves)} = {saved}"] if op.saves else []


def forward_source(op, recorded, derivatives):
    """``forward(self, tangents)`` of an operator that works element by element: see Note [Forward from backward]."""
    lines = ["def forward(self, tangents):", *_unpacked(op, recorded)]
    lines += [f"{' '.join(p + '_t,' for p in derivatives)} = tangents", "total = None"]
    said = functools.partial(local, op=op, recorded=recorded)
    for p, text in derivatives.items():
        share = [f"g = {p}_t", *(f"{name} = {said(let)}" for name, let in op.let.items()), f"share = {said(text)}"]
        share.append("total = share if total is None else total + share")
        lines += [f"if {p}_t is not None:", *(INDENT + line for line in share)]
    return indented([*lines, "return total"])


def local(text, op, recorded):
    """The derivative with ``input.shape`` and its kin as the local names of the saved values."""
    if recorded:
        text = with_named_numbers(text, op.parameters.keys() - op.inputs.keys())
    for read in op.saves:
        if "." in read:
            text = text.replace(read, variable(read))
    return text


def indented(lines):
    return lines[0] + "\n" + "".join(f"{INDENT}{line}\n" for line in lines[1:])
