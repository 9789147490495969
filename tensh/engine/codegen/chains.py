"""Chains of pointwise steps: kernels and derivatives that compute an expression block by block.

NumPy reads and writes whole arrays in every step; a chain of ten steps over 4 MB waits for memory twenty times.  Here all
steps of a block are computed while it is in the cache, in registers: buffers that the next steps and blocks use again.
Results are bit for bit those of the same steps over whole arrays, for any block size.
"""

import ast
import functools
import inspect

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.halves import CLIP, convert
from tensh.engine.arrays.tabulated import compute_halves
from tensh.engine.arrays.threads import PARALLEL_HEAVY, even_share, lines_of, parallel_map, run
from tensh.engine.codegen.chain_writer import NUMBERS, OPERATORS, NoChain, StepWriter, choose, give_sign, keep
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.registers import lines_of_call
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.source import compile_source, indent_lines
from tensh.engine.codegen.vocabulary import ARRAYS

SHARE = 1 << 17  # elements of a thread's job, which is computed in blocks
# Elements of a block.  Nine steps of gelu over a million numbers on one core: 1.0 ms in blocks of 1 << 13, 0.71 of 1 << 15, 0.67 of
# 1 << 16, and functions of few steps take 0.8 to 0.9 of their time; with more, a register of each kind no longer fits the cache of a
# small core.
BLOCK = 1 << 16
WIDE_BLOCK = 1 << 14  # the same where float32 is computed in float64
FEW = 1 << 11  # elements below which functions of float32 are computed in float64
F4, F8 = np.dtype(np.float32), np.dtype(np.float64)


class Wide(dict):
    """(number, float64) -> the number as float32 holds it, as a 0-d array of float64, by way of ``scalars``."""

    def __init__(self, scalars):
        self.scalars = scalars

    def __missing__(self, key):
        number = self.scalars[key[0], F4].item()
        wide = SCALARS[number, F8]
        if number and number == number and len(self) < SCALARS.LIMIT:
            self[key] = wide
        return wide


WIDE = {"unchecked": Wide(SCALARS), "checked": Wide(FITTING)}


# ── kernels ──────────────────────────────────────────────────────────────────
class Chain:
    """A kernel of pointwise steps, written and compiled at its first call.

    ``arrays`` and ``numbers`` are the texts of its parameters, ``text`` the expression, ``let`` parts that it names.
    16 bit floating point numbers are computed as float32, and rounded once; with ``wide`` all are computed as float64.
    ``words`` are kernels that the text may call beside operators.  Numbers must fit the dtype that is computed in, and with
    ``narrow`` the dtype of the arrays; those of derivatives, which the kernel has taken, and those that PyTorch casts
    are ``unchecked``.
    """

    in_blocks = True

    def __init__(
        self, name, arrays, text, numbers="", let=None, doc=None, words=None, wide=False, narrow=False, unchecked=False
    ):
        self.words, self.wide, self.narrow = words or {}, wide, narrow
        self.scalars = SCALARS if unchecked else FITTING
        self.wide_scalars = WIDE["unchecked" if unchecked else "checked"]
        self.__name__, self.__doc__, self.text, self.let = name, doc, text, let or {}
        self.arrays = arrays.split()
        parameters = f"{', '.join(self.arrays)}, {numbers}".strip(", ")
        self.__signature__ = inspect.signature(eval(f"lambda {parameters}: None"))
        self.numbers = [p for p in self.__signature__.parameters if p not in self.arrays]
        self.parameters = parameters

    def write(self):
        """Write the steps and count them.  Raise NoChain for an expression that is not a chain."""
        return self.compiled

    @functools.cached_property
    def compiled(self):
        """(the numbers of a call, the steps of a block, how many registers of each kind)."""
        writer = self.write_double_steps() if self.wide else None
        writer = writer or self.write_all_steps()
        self.steps = len(writer.lines)
        registers = [*writer.made["array"], *writer.made["mask"]]
        given = ", ".join(["to", *self.arrays, *writer.numbers.values(), *registers])
        steps = "\n".join([f"def compute({given}):", *writer.lines]) + "\n"
        scalars = "".join(f"SCALARS[{text}, dtype], " for text in writer.numbers)
        numbers = indent_lines(
            [
                f"def numbers(dtype, {', '.join([*self.arrays, ''])}{self.parameters_of_numbers()}):",
                f"return ({scalars})",
            ]
        )
        words = {name: getattr(np, name) for name in {*OPERATORS.values(), "copyto", "empty"}}
        named = [n.id for text in writer.numbers for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)]
        words |= {name: ARRAYS[name] for name in named if name in ARRAYS} | NUMBERS | writer.functions
        words |= {name: Chain(name, *parts, words=self.words) for name, parts in writer.rare.items()}
        wide = writer if writer.double else self.write_double_steps() if writer.always_called else None
        words |= (
            {op: getattr(np, op) for op in ufuncs_of(writer.lines + (wide.lines if wide else []))}
            | HELPERS
            | {"chain": self, "SCALARS": self.scalars, "WIDE": self.wide_scalars}
        )
        words["USUAL"] = tuple(
            [self.scalars[eval(text, words), F4] for text in writer.numbers if not self.is_given(text)]
        )
        if wide:  # its numbers that no parameter decides are names of the module
            words |= {
                name: SCALARS[eval(text, words), F8] for text, name in wide.numbers.items() if not self.is_given(text)
            }
        compile_source(numbers + steps + self.write_quick(writer, wide), f"steps of {self.__name__}", words)
        words["quick"].write_into, words["quick"].__name__ = self.write_into, self.__name__
        self.few = words.get("few")
        return words["numbers"], words["compute"], len(writer.made["array"]), len(writer.made["mask"]), words["quick"]

    def is_given(self, text):
        """Return True if a number depends on the parameters."""
        return any(isinstance(n, ast.Name) and n.id in self.numbers for n in ast.walk(ast.parse(text)))

    def write_all_steps(self, double=False):
        """Return a writer that has written the steps."""
        writer = StepWriter(self.arrays, self.words, double)
        for name, text in self.let.items():
            writer.bound[name] = writer.write(ast.parse(text, mode="eval").body)
        writer.write(ast.parse(self.text, mode="eval").body, ("array", "to"))
        return writer

    def write_double_steps(self):
        """Return a writer that has written the steps of float64, or None where a function is more than one of NumPy's."""
        try:
            return self.write_all_steps(double=True)
        except NoChain:
            return None

    def write_quick(self, writer, wide):
        """Return the text of a function for few elements: the steps in arrays that are made for one call.

        Where functions of float32 are computed in float64 in between, all steps are (``wide`` is the writer of these).
        """
        first, *others = self.arrays
        special = " or ".join(
            [
                f"{first}.size > BLOCK or dtype.itemsize == 2 or not {first}.flags.c_contiguous",
                *[f"dtype is not F8 and (dtype is not F4 or {first}.size >= FEW)" if wide else "dtype is not F8"]
                * self.wide,
            ]
            + [
                f"{other}.dtype is not dtype or {other}.shape != shape or not {other}.flags.c_contiguous"
                for other in others
            ]
        )
        parameters = ", ".join(self.__signature__.parameters)
        lines = [
            f"def quick({', '.join(map(str, self.__signature__.parameters.values()))}):",
            f"dtype, shape = {first}.dtype, {first}.shape",
            f"if not shape or {special}: return chain({parameters})",
        ]
        few = []
        if wide:
            lines.append(f"if dtype is F4 and {first}.size < FEW: return few(shape, {parameters})")
            few = [
                f"def few(shape, {parameters}):",
                "dtype = F8",
                *(f"{name} = {name}.astype(F8)" for name in self.arrays),
                *(f"{name} = WIDE[{text}, dtype]" for text, name in wide.numbers.items() if self.is_given(text)),
                *lines_of_call(wide),
                "return to.astype(F4)",
            ]
        lines += [*self.lines_of_numbers(writer.numbers), *lines_of_call(writer), "return to"]
        return "".join(indent_lines(each) for each in (few, lines) if each)

    def lines_of_numbers(self, numbers):
        """Lines that look up the numbers of a call.

        Those of float32 that no parameter decides are made once, as ``USUAL``.
        """
        fixed = {text: name for text, name in numbers.items() if not self.is_given(text)}
        lines = [f"{name} = SCALARS[{text}, dtype]" for text, name in numbers.items() if text not in fixed]
        if fixed:
            others = "; ".join(f"{name} = SCALARS[{text}, dtype]" for text, name in fixed.items())
            lines = [f"if dtype is F4: {', '.join(fixed.values())}, = USUAL", f"else: {others}", *lines]
        return lines

    @property
    def quick(self):
        """The function that an operator calls: 1 us faster than the chain where elements are few."""
        return self.compiled[-1]

    def parameters_of_numbers(self):
        return ", ".join(str(self.__signature__.parameters[name]) for name in self.numbers)

    def __call__(self, *arguments, **options):
        first = arguments[0]
        dtype = first.dtype
        if dtype.itemsize == 2 and len(self.arrays) == 1:
            found = compute_halves(self, first, arguments[1:], options)
            if found is not None:
                return found
        if self.wide and dtype is not F8:
            return self.compute_wide(arguments)
        if dtype.itemsize == 2 and dtype.kind in "fV":
            count = len(self.arrays)
            for number in arguments[count:] if self.narrow else ():
                FITTING[number, dtype]  # raises if it does not fit
            return convert(self(*[convert(a, F4) for a in arguments[:count]], *arguments[count:], **options), dtype)
        find_numbers, compute, wide, narrow, _ = self.compiled
        arrays = arguments[: len(self.arrays)]
        is_mixed = len(arrays) > 1 and any([a.shape != first.shape or a.dtype is not dtype for a in arrays])
        if is_mixed:
            arrays = np.broadcast_arrays(*[a.astype(np.result_type(*arrays), copy=False) for a in arrays])
            first = arrays[0]
        if not first.ndim:
            return self.quick(*[a.reshape(1) for a in arrays], *arguments[len(arrays) :], **options).reshape(())
        if self.few is not None and first.dtype is F4 and first.size < FEW:
            return self.compute_few(arrays, arguments[len(arrays) :], options)
        numbers = find_numbers(dtype, *arguments, **options)
        out = np.empty(first.shape, dtype) if is_mixed or 0 in first.strides else np.empty_like(first)
        if first.size > BLOCK and (flat := flatten((out, *arrays))):
            compute_blocks(self.compiled, flat[0], flat[1:], numbers)
        elif first.size >= PARALLEL_HEAVY and lines_of(arrays, first.shape):
            return parallel_map(self, arrays, arguments[len(arrays) :], **options)
        else:
            rooms = [np.empty_like(out) for _ in range(wide)] + [np.empty_like(out, bool) for _ in range(narrow)]
            compute(out, *arrays, *numbers, *rooms)
        return out

    def compute_few(self, arrays, numbers, options):
        """Return the result for few numbers of float32, as ``quick`` computes it, laid out as the first array."""
        if len(numbers) < len(self.numbers):
            given = self.__signature__.bind(*arrays, *numbers, **options)
            given.apply_defaults()
            numbers = given.args[len(arrays) :]
        first = arrays[0]
        found = self.few(first.shape, *arrays, *numbers)
        if first.flags.c_contiguous or 0 in first.strides:
            return found
        out = np.empty_like(first)
        out[...] = found
        return out

    def compute_wide(self, arguments):
        """Return the result in the dtype of the arguments, in blocks of float64."""
        if not arguments[0].ndim:
            return self.compute_wide([a.reshape(1) for a in arguments]).reshape(())
        if any([a.shape != arguments[0].shape for a in arguments]):
            arguments = np.broadcast_arrays(*arguments)
            out = np.empty(arguments[0].shape, arguments[0].dtype)
        else:
            out = np.empty_like(arguments[0])
        flat = flatten((out, *arguments))
        if flat is None:
            out[...] = self(*[a.astype(F8) for a in arguments])
            return out
        numbers, compute, wide, narrow, _ = self.compiled
        numbers, length = numbers(F8, *arguments), min(WIDE_BLOCK, out.size)
        rooms = [np.empty(length) for _ in range(1 + wide)] + [np.empty(length, bool) for _ in range(narrow)]
        for start in range(0, out.size, WIDE_BLOCK):
            place = slice(start, start + WIDE_BLOCK)
            if out.size - start < length:
                rooms = [room[: out.size - start] for room in rooms]
            compute(rooms[0], *[a[place].astype(F8) for a in flat[1:]], *numbers, *rooms[1:])
            flat[0][place] = rooms[0]
        return out

    def write_into(self, out, *arguments):
        """Write the result into ``out``, which may be an argument itself."""
        arrays = arguments[: len(self.arrays)]
        flat, shared = None, [a for a in arrays if np.may_share_memory(a, out)]
        if (
            all([a.dtype is out.dtype for a in arrays])
            and all([memory.is_same(a, out) for a in shared])
            and out.itemsize > 2
            and not self.wide
            and (out.dtype is not F4 or out.size >= FEW)
        ):
            flat = flatten((out, *arrays))
        if flat is None:
            out[...] = self(*arguments)
        else:
            compute_blocks(self.compiled, flat[0], flat[1:], self.compiled[0](out.dtype, *arguments), bool(shared))


HELPERS = {
    "clip": CLIP, "choose": choose, "keep": keep, "give_sign": give_sign, "BLOCK": BLOCK, "FEW": FEW, "F4": F4, "F8": F8,
    "YES": b"\1", "NO": b"\0",
}  # fmt: skip


def ufuncs_of(lines):
    """Return the names of NumPy's functions that the lines call."""
    names = {line.strip().partition("(")[0] for line in lines}
    return {name for name in names if isinstance(getattr(np, name, None), np.ufunc)}


def flatten(arrays):
    """Return the arrays as rows of elements in one order, or None; an array without dimensions stands for every element."""
    shape = arrays[0].shape
    if all([not a.ndim or a.shape == shape and a.flags.c_contiguous for a in arrays]):
        return [a.reshape(-1) if a.ndim else a for a in arrays]
    if all([not a.ndim or a.shape == shape and a.flags.f_contiguous for a in arrays]):
        return [a.T.reshape(-1) if a.ndim else a for a in arrays]
    return None


def compute_blocks(compiled, out, arrays, numbers, shared=False):
    """Compute rows of elements block by block, on several threads if there are many.

    If ``out`` is ``shared``, one of the arrays itself, a block is copied into it when it is complete.
    """
    _, compute, wide, narrow, _ = compiled
    size, dtype = out.size, out.dtype
    share = even_share(size, SHARE) if size >= PARALLEL_HEAVY else size

    def work(i):
        begin, end = i * share, min((i + 1) * share, size)
        length = min(BLOCK, end - begin)
        rooms = [np.empty(length, dtype) for _ in range(wide + shared)]
        rooms += [np.empty(length, bool) for _ in range(narrow)]
        for start in range(begin, end, BLOCK):
            place = slice(start, min(start + BLOCK, end))
            if place.stop - start < length:
                rooms = [room[: place.stop - start] for room in rooms]
            to, *others = rooms if shared else (out[place], *rooms)
            compute(to, *[a[place] if a.ndim else a for a in arrays], *numbers, *others)
            if shared:
                out[place] = to

    if share == size:
        work(0)
    else:
        run(work, -(-size // share))


# ── derivatives ──────────────────────────────────────────────────────────────
MANY = 1 << 12  # elements from which the derivative of an operator is computed as a chain


def find_chains(op, derivatives):
    """Return (chain, places of its arrays and its numbers among the saved values) for every derivative of an operator.

    None if a derivative is not a chain, or if none has several steps.
    """
    if not op.parallel or op.outs or any("." in read for read in op.saves):
        return None
    arrays = [read for read in op.saves if read in op.inputs or read == "out"]
    numbers = [read for read in op.saves if read not in arrays]
    found = []
    for parameter, text in derivatives.items():
        named = {
            n.id for each in (text, *op.let.values()) for n in ast.walk(ast.parse(each)) if isinstance(n, ast.Name)
        }
        rows = [read for read in arrays if read in named]
        chain = Chain(
            f"{op.name} by {parameter}", " ".join(["g", *rows]), text, ", ".join(numbers), op.let, unchecked=True
        )
        try:
            chain.write()
        except NoChain:
            return None
        found.append(
            (chain, [list(op.saves).index(read) for read in rows], [list(op.saves).index(read) for read in numbers])
        )
    return found if any(chain.steps > 1 for chain, *_ in found) else None


def derive(chains, node, g):
    """Return the gradients of a node's inputs, or None where a chain cannot compute them.

    A chain computes float32 arrays whose elements lie in memory in one order, and accepts numbers.
    """
    if g.dtype is not F4:
        return None
    result, saved = [], node.saved
    for (chain, arrays, numbers), wanted in zip(chains, node.inputs, strict=True):
        if wanted is None:
            result.append(None)
            continue
        given = [saved[i] for i in numbers]
        if any([type(value) not in (int, float) for value in given]):
            return None
        rows = [g if g.flags.c_contiguous or any(g.strides) else g[(0,) * g.ndim + (...,)], *[saved[i] for i in arrays]]
        out = np.empty(g.shape, F4)
        if any([a.dtype is not F4 for a in rows]) or (flat := flatten((out, *rows))) is None:
            return None
        compute_blocks(chain.compiled, flat[0], flat[1:], chain.compiled[0](F4, *rows, *given))
        result.append(out)
    return tuple(result)
