"""Steps as straight-line Python: a function of arrays that can be read and debugged, and appears in tracebacks."""

import keyword
import math

import numpy as np

from tensh.compiler.breaks import ReadMismatch
from tensh.compiler.programs.kernels import DOT, RESHAPED, TRANSPOSED
from tensh.compiler.programs.notes import note
from tensh.compiler.programs.passes import FUSED
from tensh.compiler.programs.steps import CALL, CHECK, EFFECT, POINTWISE, READ, VIEW, Var
from tensh.engine.arrays.halves import HalfNumber
from tensh.engine.arrays.owners import memory_of
from tensh.engine.arrays.threads import PARALLEL_LIGHT, run
from tensh.engine.codegen.chain_writer import BY_NAME
from tensh.engine.codegen.vocabulary import ARRAYS
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.capture.lines import Value
from tensh.engine.operators.reductions.summation import add_pieces

INDENT = "    "
# Elements of a block. Threads wait for Python's lock in every step: on two cores twelve steps over four million numbers take 4.1
# milliseconds in blocks of 1 << 16, 2.2 of 1 << 17, and more with blocks that do not fit the cache.
BLOCK = 1 << 17
WORDS = frozenset("empty wrap run asarray slice min range".split())


class Writer:
    """Writes one function of a graph; ``constants`` (variable -> array) and ``namespace`` are the graph's."""

    def __init__(self, namespace, constants, taken, kept):
        self.namespace, self.constants, self.taken, self.kept = namespace, constants, taken, kept
        self.functions, self.lines = [], []
        namespace.update(empty=np.empty, wrap=wrap, run=run, asarray=np.asarray, ReadMismatch=ReadMismatch)

    # ── names ────────────────────────────────────────────────────────────────
    def name(self, var, wish=None):
        if var.name is None:
            var.name = self.free_name(wish or "v1")
        return var.name

    def free_name(self, wish):
        """Return an unused name like ``wish``."""
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in wish)
        base = f"_{base}" if base[:1].isdigit() or keyword.iskeyword(base) else base
        name, stem, n = base, base.rstrip("0123456789") or "v", 1
        while name in self.taken or name in self.namespace or name in WORDS:
            name, n = f"{stem}{n}", n + 1
        self.taken.add(name)
        return name

    def function(self, name, function):
        """Return the name of a function in the namespace."""
        wish = "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "function"
        wish = f"{wish}_" if keyword.iskeyword(wish) or wish in WORDS or wish in self.taken else wish
        while self.namespace.get(wish, function) is not function:
            wish += "_"
        self.namespace[wish] = function
        return wish

    def text(self, value, tensors=False):
        """Return the text of an argument."""
        if isinstance(value, Var):
            if value in self.constants:
                value = self.constant(self.constants[value])
                return f"wrap({value})" if tensors else value
            return f"wrap({self.name(value)})" if tensors else self.name(value)
        cls = type(value)
        if cls in (tuple, list):
            parts = [self.text(each, tensors) for each in value]
            return f"[{', '.join(parts)}]" if cls is list else f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if cls is dict and all(type(key) is str for key in value):
            return "{" + ", ".join(f"{key!r}: {self.text(each, tensors)}" for key, each in value.items()) + "}"
        if value is Ellipsis:
            return "..."
        if cls is slice:
            return f"slice({', '.join(self.text(each) for each in (value.start, value.stop, value.step))})"
        if value is None or cls in (bool, int, str) or cls is float and math.isfinite(value):
            return repr(value)
        return self.constant(value)

    def constant(self, value):
        """Return the name of a value that is kept in the namespace."""
        if id(value) not in self.kept:
            self.kept[id(value)] = name = self.free_name("c1")
            self.namespace[name] = value
        return self.kept[id(value)]

    # ── steps ────────────────────────────────────────────────────────────────
    def write(self, steps, results, reusable):
        """Append the lines of the steps; ``results`` are variables that are read afterwards."""
        last, known = {}, set()
        for place, step in enumerate(steps):
            for each in step.inputs:
                last[each] = place
        last.update((each, len(steps)) for each in results)
        for place, step in enumerate(steps):
            dying = [each for each in step.inputs if last[each] == place and each in known and each in reusable]
            for line in self.write_step(step, dying):
                self.lines.append(line)
            if step.kind in (POINTWISE, FUSED) or step.name == DOT:
                known.update(step.outs)
        return self.lines

    def write_step(self, step, dying):
        """Yield the lines of a step; its result may use the memory of a ``dying`` variable."""
        if step.kind is FUSED:
            yield from self.write_group(step)
            return
        comment = note(step)
        if step.kind is CHECK and step.name is READ:
            value, expected = step.args
            name = self.function(type(expected).__name__, type(expected))
            element = f"{self.text(value)}.item()" if value.shape else self.text(value)
            yield f"if {name}({element}) != {expected!r}: raise ReadMismatch{comment}"
            return
        if step.kind in (CALL, EFFECT, CHECK):
            yield from self.write_call(step, comment)
            return
        if step.kind is VIEW and step.name == "getitem":
            base, index = step.args
            parts = ", ".join(subscript(each) for each in index)
            yield f"{self.name(step.out)} = {self.text(base)}[{parts}]{comment}"
            return
        if (short := self.write_short(step)) is not None:
            yield f"{self.name(step.out)} = {short}{comment}"
            return
        yield self.write_kernel(step, dying) + comment
        for out in step.outs if step.several else ():
            if not out.shape:  # NumPy returns a scalar, whose memory cannot be shared
                yield f"{self.name(out)} = asarray({self.name(out)})"

    def write_short(self, step):
        """Return the text of a step that is a method of an array, or None."""
        texts = [self.text(each) for each in step.args]
        if step.name == DOT:
            return f"{texts[0]}.dot({texts[1]})"
        if step.name == TRANSPOSED:
            return f"{texts[0]}.T"
        return f"{texts[0]}.reshape({texts[1]})" if step.name == RESHAPED else None

    def write_kernel(self, step, dying=(), into=None, block=False):
        """Return the line of a kernel's call, which writes ``into`` a variable or into one that is no longer read."""
        function = step.function
        if step.kind is POINTWISE and step.out.size >= PARALLEL_LIGHT and step.name in ARRAYS and not block:
            function = ARRAYS[step.name]
        given = [self.text(each) for each in step.args] + [
            f"{key}={self.text(value)}" for key, value in step.options.items()
        ]
        name = self.function(step.name, function)
        left = ", ".join(self.name(out) for out in step.outs)
        if isinstance(step.several, (tuple, list)):  # with positions for results that are not tensors
            names = {out.value: self.name(out) for out in step.outs}
            left = ", ".join(names[each] if isinstance(each, Value) else "_" for each in step.several)
        if step.several:
            return f"{left}{',' * (len(step.outs) == 1)} = {name}({', '.join(given)})"
        if step.kind is POINTWISE and isinstance(function, np.ufunc) and function.nin == len(step.args):
            room = into or next(
                (self.name(e) for e in dying if e.shape == step.out.shape and e.dtype is step.out.dtype and e.shape),
                None,
            )
            if room is not None:
                self.taken.add(room)
                if into is None:
                    step.out.name = room
                out = f"out={room}" if function.__name__ in BY_NAME else room
                return f"{name}({', '.join([*given, out])})"
        call = f"{name}({', '.join(given)})"
        if into is not None:
            alike = all(isinstance(each, Var) and each.dtype is step.out.dtype and each.shape for each in step.args)
            if hasattr(function, "write_into") and alike and step.out.dtype.itemsize > 2:
                return f"{name}.write_into({', '.join([into, *given])})"
            return f"{into}[...] = {call}"
        is_array = step.out.shape or step.kind is VIEW or type(step.out.array) is HalfNumber
        return f"{left} = {call if is_array else f'asarray({call})'}"

    def write_call(self, step, comment):
        """Yield the lines of a step that calls a function on tensors: an effect, a check, or one with several results."""
        given = [self.text(each, True) for each in step.args]
        given += [f"{key}={self.text(value, True)}" for key, value in step.options.items()]
        call = f"{self.function(step.name, step.function)}({', '.join(given)})"
        if step.kind is EFFECT:
            yield call + comment
            target = step.args[0] if step.options.get("out") is None else step.options["out"]
            for out, of in zip(step.outs, target if isinstance(target, (tuple, list)) else [target], strict=False):
                if out is not of and out.name != self.text(of):
                    yield f"{self.name(out)} = {self.text(of)}"
            return
        if step.kind is CHECK:
            answer = step.line.result
            yield (call if answer is None else f"if {call} is not {answer}: raise ReadMismatch") + comment
            return
        paths = dict(find_paths(step.several, "r"))
        if list(paths.values()) == ["r"]:
            yield f"{self.name(step.out)} = {call}.array{comment}"
            return
        yield f"r = {call}{comment}"
        for out in step.outs:
            yield f"{self.name(out)} = {paths[out.value]}.array"

    def write_group(self, group):
        """Write a function that computes the steps block by block, and its call."""
        shape = group.steps[0].out.shape
        size = group.steps[0].out.size
        name = self.function(self.free_name(f"{group.steps[0].name}_chain"), None)
        operands, flat, total = group.inputs, group.flat, group.total
        arrays = [out for out in group.outs if total is None or out is not total.out]
        rows = size if flat else shape[0]
        most = BLOCK if flat else max(1, BLOCK // max(size // shape[0], 1))
        number = rows // most & ~1 or 1  # an even number for two cores
        block = -(-rows // number)  # blocks of equal size, because kernels treat few elements differently
        head = f"def {name}({', '.join(self.text(each) for each in operands)}):"
        lines = [
            f'"""{len(group.steps)} steps over {size:,} elements, {min(block, rows):,} {"elements" if flat else "rows"} at a time."""'
        ]
        inner, names = [], {}
        for each in group.inputs:
            own = self.text(each)
            if flat and each.shape == shape:
                lines.append(f"{own} = {own}.reshape(-1)")
            elif flat:
                if each.shape:
                    lines.append(f"{own} = {own}.reshape(())")
                continue
            if flat or len(each.shape) == len(shape) and each.shape[0] == shape[0]:
                names[each] = f"{own}_"
                inner.append(f"{own}_ = {own}[part]")
        for out in arrays:
            lines.append(f"{self.name(out)} = empty({shape}, {self.constant(out.dtype)})")
            if flat:
                lines.append(f"{out.name}_all = {out.name}.reshape(-1)")
        inner += self.write_block(group, names, flat)
        alone = size * len(group.steps) < PARALLEL_LIGHT
        if total is None:
            lines += ["def work(i):", INDENT + f"part = slice(i * {block}, min(i * {block} + {block}, {rows}))"]
            lines += [INDENT + line for line in inner]
            lines.append(f"run(work, {-(-rows // block)}{', True' if alone else ''})")
        else:
            lines += ["def work(part):", *(INDENT + line for line in inner)]
            add = self.function("add_pieces", add_pieces)
            sum = f"{add}(work, {size}, {self.constant(total.args[0].dtype)}, {alone})"
            lines.append(f"{self.name(total.out)} = asarray({sum}{f' / {size}' * (total.name == 'mean_all')})")
        results = ", ".join(self.name(out) for out in group.outs)
        lines.append(f"return {results}")
        self.functions.append("\n".join([head, *(INDENT + line for line in lines)]) + "\n")
        yield f"{results} = {name}({', '.join(self.text(each) for each in operands)})  # {' '.join(step.name for step in group.steps)}"

    def write_block(self, group, names, flat):
        """Write the lines for one block, in memory that later steps reuse."""
        last, lines, own = {}, [], {}
        for place, step in enumerate(group.steps):
            for each in step.inputs:
                last[each] = place
        kept = {each: each.name for each in {*group.inputs, *(step.out for step in group.steps)}}
        for each, name in names.items():
            each.name = name
        try:
            for place, step in enumerate(group.steps):
                out = step.out
                if step is group.total:
                    lines.append(f"return {self.name(step.args[0])}{note(step)}")
                    continue
                dying = [e for e in step.inputs if last[e] == place and e in own]
                if out in group.outs:
                    made = f"{kept[out]}_"
                    lines.append(f"{made} = {kept[out]}_all[part]" if flat else f"{made} = {kept[out]}[part]")
                    lines.append(self.write_kernel(step, into=made, block=True) + note(step))
                    out.name = made
                    continue
                out.name = None
                lines.append(self.write_kernel(step, dying, block=True) + note(step))
                own[out] = True
            return lines
        finally:
            for each, name in kept.items():
                each.name = name


def find_paths(structure, path):
    """Yield (value, expression that reaches it) for every value in the result of a call."""
    if isinstance(structure, Value):
        yield structure, path
    elif isinstance(structure, (tuple, list)):
        for number, each in enumerate(structure):
            yield from find_paths(each, f"{path}[{number}]")
    elif isinstance(structure, dict):
        for key, each in structure.items():
            yield from find_paths(each, f"{path}[{key!r}]")


def subscript(part):
    if type(part) is slice:
        texts = ["" if each is None else str(each) for each in (part.start, part.stop, part.step)]
        return ":".join(texts[:2] + texts[2:] * bool(texts[2]))
    return "..." if part is Ellipsis else str(part)


def write_function(name, parameters, writer, results):
    """Return the text of a function from its parameters, lines and returned values."""
    body = [*writer.lines, f"return {results}"]
    return f"def {name}({', '.join(parameters)}):\n" + "".join(f"{INDENT}{line}\n" for line in body)


def reusable_variables(steps, kept):
    """Return the variables of pointwise steps whose memory is not shared."""
    count = {}
    made = [out for step in steps for out in step.outs]
    for each in {*made, *(each for step in steps for each in step.inputs)}:
        memory = id(memory_of(each.array))
        count[memory] = count.get(memory, 0) + 1
    return {
        step.out
        for step in steps
        if (step.kind is POINTWISE or step.name == DOT)
        and count[id(memory_of(step.out.array))] == 1
        and step.out not in kept
    }
