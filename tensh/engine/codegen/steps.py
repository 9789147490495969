"""The steps of a generated function as lines of Python: parameters, operands, kernel call, result, node.

Names follow one rule: for a parameter ``input``, ``input_`` is its raw array and ``input_n`` the node that receives its
gradient.
"""

from numpy import ufunc

from tensh.engine.arrays.halves import ARITHMETIC
from tensh.engine.arrays.threads import is_light
from tensh.engine.codegen.derivatives import LIST, raw
from tensh.engine.codegen.source import INDENT
from tensh.engine.dtypes.dtype import letters_of

RETYPED = "retyped"  # view=RETYPED: the view has another dtype


# ── parameters ───────────────────────────────────────────────────────────────
def signature(op, *, out):
    """Return the text of the parameter list, with NumPy's ``axis`` and ``keepdims`` beside ``dim`` and ``keepdim``."""
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
    keywords += [f"{keyword}={usual!r}" for keyword, (usual, _) in op.keyword_variants.items()]
    keywords += ["out=None"] if out else []
    if keywords and not star:
        parts.append("*")
    return ", ".join(parts + keywords)


def aliases(op):
    """Return the parameters that also have NumPy's name: a required one only if no required one follows."""
    names = {}
    for position, (name, p) in enumerate(op.parameters.items()):
        later = list(op.parameters.values())[position + 1 :]
        last = all(other.default is not p.empty or other.kind is p.KEYWORD_ONLY for other in later)
        if op.public and name in NUMPY and (p.default is not p.empty or last):
            names[name] = NUMPY[name]
    return names


NUMPY = {"dim": "axis", "keepdim": "keepdims"}


def default(parameter, op):
    """Return the text of a default: its repr, or a name if the repr is not an expression."""
    value = parameter.default
    if value is None or isinstance(value, (bool, int, float, str, tuple)) and value == value and abs_finite(value):
        return repr(value)
    op.environment[name := f"{op.name}_{parameter.name}"] = value
    return name


def abs_finite(value):
    return not isinstance(value, float) or value - value == 0


def call(op, variants=True):
    """Return the arguments of a call that passes every parameter on."""
    arguments = [p if v.kind is not v.KEYWORD_ONLY else f"{p}={p}" for p, v in op.parameters.items()]
    return ", ".join([*arguments, *(f"{keyword}={keyword}" for keyword in op.keyword_variants if variants)])


# ── operands ─────────────────────────────────────────────────────────────────
def operand_lines(op):
    """Lines that take the raw arrays and the nodes out of the tensors."""
    if op.pointwise and len(op.inputs) == 2:
        lines = two_operand_lines(op)
    else:
        lines = ["is_view = False"] if views_matter(op) else []
        for position, p in enumerate(op.parameters, 1):
            if p not in op.inputs:
                continue
            if p == op.sequence:
                lines.append(f"{p}_, {p}_n = take_operands({p}, '{op.name}', '{p}', {position})")
                continue
            take = operand_text(op).format(p)
            lines.append(f"if isinstance({p}, Tensor): {take}")
            if op.parameters[p].default is None:
                lines.append(f"elif {p} is None: {p}_ = {p}_n = None")
            lines.append(f"else: {p}_, {p}_n = take_operand({p}, '{op.name}', '{p}', {position})")
    return lines + check_lines(op)


def two_operand_lines(op, first="isinstance({0}, Tensor) and "):
    """Lines for two pointwise operands: tensors of one dtype, a number that keeps the dtype, anything else.

    ``first`` is the check of the first operand: Python calls operators on tensors only.
    """
    a, b = op.inputs
    take, first = operand_text(op), first.format(a)
    lines = ["is_view = False"] if views_matter(op) else []
    lines += [
        f"if {first}isinstance({b}, Tensor):",
        INDENT + take.format(a),
        INDENT + take.format(b),
        INDENT + f"if {a}_.dtype is not {b}_.dtype: {a}_, {b}_ = promote({a}_, {b}_, '{op.name}')",
    ]
    if b in op.numbers:
        lines.append(f"elif {first}type({b}) in {weak(op)}[{a}.array.dtype.kind]:")
        lines.append(INDENT + take.format(a) + f"; {b}_ = {scalars(op)}[{b}, {a}_.dtype]; {b}_n = None")
    return [*lines, f"else: {a}_, {b}_, {a}_n, {b}_n = mix('{op.name}', {a}, {b})"]


def matrix_lines(op):
    """Lines for the operands of a matrix product; ``beyond`` computes operands with other numbers of dimensions."""
    a, b = op.inputs
    op.environment[f"{op.name}_beyond"] = op.beyond
    node = "{0}_n = {0}.node if {0}._base is None else refresh_node({0})"
    return [
        f"if not isinstance({b}, Tensor): return NotImplemented",
        f"{a}_ = {a}.array; {b}_ = {b}.array",
        f"if {a}_.ndim != 2 or {b}_.ndim != 2: return {op.name}_beyond({a}, {b})",
        node.format(a),
        node.format(b),
    ]


def operand_text(op):
    """Return the text that takes the raw array out of a tensor and, where there is a derivative, the node."""
    if op.derivatives:
        node = "(is_view := True) and refresh_node({0})" if op.pointwise else "refresh_node({0})"
        return "{0}_ = {0}.array; {0}_n = {0}.node if {0}._base is None else " + node
    return "{0}_ = {0}.array" if op.pointwise else "{0}_ = {0}.array; {0}.node"  # may raise Lift


def scalars(op):
    """Return the name of the cache of numbers as second operands."""
    return "EXACT_SCALARS" if [*op.inputs][1] in op.exact else "SCALARS"


def weak(op):
    """Return the table of numbers that keep a dtype: smaller where numbers are checked before they meet integers."""
    return "STRICT" if op.mixing or op.floats else "WEAK"


def check_lines(op):
    """Lines that refuse unsupported dtypes, and cast integers for a floating point function."""
    lines, first = [], next(iter(op.inputs))
    if op.types != "biufcW":
        operands = "".join(f", {p}_" for p in op.inputs) if op.pointwise else ""
        lines.append(f"if {first}_.dtype.char not in {op.letters!r}:")
        if not op.derivatives:  # otherwise the node has been read already, which refuses stale views
            lines += [f"{INDENT}if isinstance({p}, Tensor): refresh_node({p})" for p in op.inputs]
        lines.append(f"{INDENT}refuse_dtype({op.name!r}, {first}_.dtype{operands})")
    if op.floats:
        casts = "; ".join(f"{p}_ = as_float({p}_, {op.name!r})" for p in op.inputs)
        lines.append(f"if {first}_.dtype.char in {letters_of('iubW8')!r}: {casts}")
    if lines and "f" in op.types:  # float32 needs no look at its kind, which takes three times as long
        return [f"if {first}_.dtype is not F4:", *(INDENT + line for line in lines)]
    return lines


def own_letters(op):
    """Return the letters of the NumPy dtypes that the kernel takes without a cast."""
    return letters_of(t for t in op.types if not op.floats or t not in "biuW")


# ── the kernel ───────────────────────────────────────────────────────────────
def argument_text(op):
    """Return the arguments of the kernel: raw arrays for tensors, all else unchanged."""
    return ", ".join(
        (f"{p}={p}" if v.kind is v.KEYWORD_ONLY else p) + ("_" if p in op.inputs else "")
        for p, v in op.parameters.items()
    )


def kernel_lines(op):
    """Return the kernel call in a ``try``, which is free until NumPy raises; then the error becomes PyTorch's."""
    op.environment[f"{op.name}_kernel"] = getattr(op.kernel, "quick", op.kernel)
    operands = "".join(f"{p}_, " for p in op.inputs)
    return [
        f"try: out_ = {kernel_call(op, f'{op.name}_kernel({argument_text(op)})')}",
        f"except Exception as error: raise translate_error(error, '{op.name}', ({operands})) from None",
    ]


def kernel_call(op, call, into=None):
    """Return the kernel call; elementwise functions of many elements are called in blocks (see arrays/threads.py)."""
    if not op.parallel or into is None and hasattr(op.kernel, "in_blocks"):  # the kernel itself divides into blocks
        return call
    arrays = [f"{p}_" for p in op.parameters if p in op.inputs]
    others = "".join(f"{p}, " for p, v in op.parameters.items() if p not in op.inputs and v.kind is not v.KEYWORD_ONLY)
    options = "".join(f", {p}={p}" for p, v in op.parameters.items() if v.kind is v.KEYWORD_ONLY)
    arguments = f"({', '.join(arrays)},), ({others}), {into}{options}"
    least = "PARALLEL_LIGHT" if is_light(op.kernel) else "PARALLEL_HEAVY"
    if into and (op.returns_bool or not isinstance(op.kernel, ufunc)):
        least = "BLOCK"  # a whole result would have to be copied
    if op.kernel in ARITHMETIC:
        few = f"{arrays[0]}.size < MANY_HALVES or {arrays[0]}.size < {least} and {arrays[0]}.itemsize > 2"
    elif len(arrays) == 1:  # 16 bit numbers are looked up in a table
        few = f"{arrays[0]}.size <= TABULATED or {arrays[0]}.size < {least} and {arrays[0]}.itemsize > 2"
    else:
        few = f"{arrays[0]}.size < {least}"
    return f"{call} if {few} else parallel_map({op.name}_kernel, {arguments})"


# ── the result ───────────────────────────────────────────────────────────────
ANNOUNCED = "if listeners: announce(node, {0})"
IN_ROWS = "if {0}_.ndim > 1 and not {0}_.flags.c_contiguous: {0}_ = row_major({0}_)"
EACH_IN_ROWS = (
    "row_major(array) if type(array) is ndarray and array.ndim > 1 and not array.flags.c_contiguous else array"
)
BLANK = "{0} = new(); {0}.array = {0}_; {0}.node = {0}._base = {0}._kept = None"


def reduces(op):
    """Return True for a reduction along dimensions, whose results are row-major for any order of the operand."""
    return not op.view and {"dim", "keepdim"} <= op.parameters.keys()


def views_matter(op):
    """Return True for elementwise functions: NumPy may lay their results out in another order if an operand is a view."""
    return bool(op.pointwise and op.derivatives)


def ask_for_views(op):
    """Return the question whether an operand of an elementwise function is a view, or None.

    Comparisons do not ask: it would cost them 4 %, functions of three operands 2 %.
    """
    if views_matter(op):
        return "is_view"
    if op.pointwise or not op.parallel or len(op.inputs) < 3:
        return None
    given = {p: f"{p}_ is not None and " if op.parameters[p].default is None else "" for p in op.inputs}
    return " or ".join([f"{present}{p}_.base is not None" for p, present in given.items()])


def result_lines(op):
    """Lines that wrap the kernel's result and record the node."""
    if op.outs:
        return _results(op)
    lines = [] if op.view else ["if type(out_) is not ndarray: out_ = asarray(out_)"]
    if reduces(op):
        lines.append(f"el{IN_ROWS.format('out')}")
    if (asked := ask_for_views(op)) is not None:
        first, operands = next(iter(op.inputs)), " ".join(f"{p}," for p in op.inputs)
        in_rows = f"out_.flags.c_contiguous and {first}_.flags.c_contiguous"
        lines.append(f"elif ({asked}) and not ({in_rows}): out_ = arrange(out_, ({operands}))")
    lines.append(BLANK.format("out"))
    if op.derivatives:
        lines.append(_wants_gradient(op, op.derivatives) + " and mode.grad:")
        if "dtype" in op.parameters and op.parameters["dtype"].default is None:
            lines.append(INDENT + "if dtype is not None: require_differentiable(out_.dtype)")
        lines.append(INDENT + f"out.node = node = {_node(op)}(); " + _record(op))
        lines.append(INDENT + "node.shape = out_.shape; node.dtype = out_.dtype; node.time = tick()")
        lines.append(INDENT + ANNOUNCED.format("(out,)"))
    if op.view:
        first, *rest = op.parameters
        call = f", {op.name}_fn, ({' '.join(p + ',' for p in rest)})" if op.view == RETYPED else ""
        if call:
            lines.append(f"record_retyped_view({first}, out{call})")
        else:
            seen = f"out._base = {first}; out._view_info = None; out._time = clock.last_write"
            lines += [f"if {first}._base is None and mode.grad: {seen}", f"else: record_view({first}, out)"]
    return lines


def _results(op):
    """Lines for several outputs: a named tuple of fixed outputs, or a tuple of any length (``outs=LIST``)."""
    first = next(iter(op.parameters))
    if op.many:  # every output has its own gradient: Output nodes lead to the node that computes
        lines = [f"out_ = [{EACH_IN_ROWS} for array in out_]"] if reduces(op) else []
        lines.append("outs = [wrap(array) for array in out_]")
        chosen = "range(len(outs))" if op.outs == LIST else repr(op.differentiable)
        if op.derivatives:
            lines.append(_wants_gradient(op, op.derivatives) + " and mode.grad:")
            if op.outs != LIST:
                lines.append(INDENT + f"{' '.join(o + '_,' for o in op.outs)} = out_")
            lines.append(INDENT + f"node = {op.name}_node(); " + _record(op))
            facts = "node.shape = [(array.shape, array.dtype) for array in out_]; node.dtype = None"
            lines.append(INDENT + f"{facts}; node.time = tick()")
            lines.append(INDENT + f"for i in reversed({chosen}): outs[i].node = Output(node, i, node.shape[i])")
            lines.append(INDENT + ANNOUNCED.format("outs"))
        if op.view:
            lines.append(f"for o in outs: record_view({first}, o, MULTIPLE)")
        return [*lines, f"outs = {op.name}_outs(outs)"]
    names = [f"{o}_" for o in op.outs]
    lines = [f"{', '.join(names)} = out_"]
    if reduces(op):  # all in the order of the first
        lines.append(f"if type({names[0]}) is ndarray and {IN_ROWS.format(op.outs[0]).removeprefix('if ')}")
        lines[-1] += "".join(f"; {name} = row_major({name})" for name in names[1:])
    for o in op.outs:
        lines.append(
            f"if type({o}_) is ndarray: {o} = new(); {o}.array = {o}_; {o}.node = {o}._base = {o}._kept = None"
        )
        lines.append(f"else: {o} = wrap({o}_); {o}_ = {o}.array")
    if op.derivatives:
        lines.append(_wants_gradient(op, op.derivatives) + " and mode.grad:")
        lines.append(INDENT + f"{op.outs[0]}.node = node = {op.name}_node(); " + _record(op))
        lines.append(INDENT + f"node.shape = {names[0]}.shape; node.dtype = {names[0]}.dtype; node.time = tick()")
        lines.append(INDENT + ANNOUNCED.format(f"({op.outs[0]},)"))
    return [*lines, f"outs = {op.name}_outs(({', '.join(op.outs)}))"]


def _node(op):
    """Return the class of the new node, whose name differs where an operand is a number."""
    name = f"{op.name}_node"
    for operand, node in op.numbers.items():
        if node:
            name = f"{op.name}_{operand}_node if not isinstance({operand}, Tensor) else {name}"
    return f"({name})" if " " in name else name


def _wants_gradient(op, who):
    tests = [f"any_wants_gradient({p}_n)" if p == op.sequence else f"{p}_n is not None" for p in who]
    return f"if ({' or '.join(tests)})" if len(tests) > 1 else f"if {tests[0]}"


def _record(op):
    """Return the slots of the new node except its facts and its time.

    A value is saved only if an input whose derivative reads it wants a gradient.
    """
    nodes = f"tuple({op.sequence}_n)" if op.sequence else f"({' '.join(p + '_n,' for p in op.derivatives)})"
    saved = []
    for read, who in op.saves.items():
        value = raw(read, op)
        everyone = set(who) == set(op.derivatives)
        saved.append(value if everyone else f"{value} if {' or '.join(f'{p}_n is not None' for p in who)} else None")
    return f"node.inputs = {nodes}; node.saved = ({' '.join(s + ',' for s in saved)}); node.hooks = None"
