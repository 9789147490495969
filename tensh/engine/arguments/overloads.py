"""The signatures of overloaded functions, which PyTorch prints when arguments fit none of them.

``overloads.txt`` has the names of functions and, indented below them, their signatures.  The name of a method that is
not a function begins with ``Tensor.``; methods and in-place forms are derived from the functions.  ``tuple of ints[1]``
may also be one int, ``Tensor~`` a number, and a kind with a question mark None: these marks are not printed.
Signatures under ``old``, with numbers before the tensors that they multiply, still work and are not printed, either;
three dots stand for some that do not. A function not listed has the signature of its Python function; the kinds of its
parameters follow from their names (``kinds.txt``).  The files are read only after a call has failed, or for too many
arguments.
"""

import os
import re
from functools import cache

from tensh.engine.arguments.signatures import OLD, Form


def read_lines(name):
    """Return the lines of a table in this folder."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:  # pathlib takes 7 ms to load
        return file.read().splitlines()


@cache
def overloads():
    """Name -> the texts of its signatures."""
    table, names = {}, ()
    for line in read_lines("overloads.txt"):
        if not line.startswith(" "):
            names = line.split()
            table |= {name: [] for name in names}
        else:
            for name in names:
                table[name].append(line.strip())
    return table


@cache
def kinds():
    """Name of a parameter -> its kind."""
    table, kind = {}, None
    for line in read_lines("kinds.txt"):
        if not line.startswith(" "):
            kind = line
        else:
            table |= dict.fromkeys(line.split(), kind)
    return table


def forms_of(name, method, parameters):
    """Return the signatures of a function or method."""
    own = f"Tensor.{name}" if method else name
    base = name if name in overloads() else name.removesuffix("_")
    texts = overloads().get(own) or (overloads().get(f"Tensor.{base}") if method else None)
    if texts is None:
        texts = overloads().get(base) or [signature_text(name, parameters)]
        if method or base != name:
            texts = [drop_out(text) for text in texts]
        if method:
            texts = [drop_self(text) for text in texts if text == "..." or text.removeprefix(OLD).startswith(SELF)]
    return [Form(name, text) for text in texts]


SELF = ("(Tensor input", "(Tensor~ input", "(Tensor self", "(Tensor y", "(Number beta, Tensor input")


def drop_self(text):
    """Return the signature of a method, without the tensor itself."""
    return re.sub(r"^((?:old )?\((?:Number beta, )?)Tensor~? \w+(, )?", r"\1", text)


def drop_out(text):
    """Return the signature without ``out=``."""
    text = re.sub(r", (Tensor|tuple of Tensors|object) out = None", "", text)
    return text.replace(", *)", ")").replace("(*)", "()")


def signature_text(name, parameters):
    """Return the text of a Python function's signature; the kinds follow from the names."""
    words, starred = [], False
    for number, p in enumerate(parameters.values()):
        if p.kind is p.VAR_KEYWORD or p.name in ("axis", "keepdims"):
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        kind = kinds().get(p.name, "bool" if type(p.default) is bool else "object")
        words.append(
            f"{kind} {'input' if p.name == 'self' and not number else p.name}"
            + ("" if p.default is p.empty else " = " + repr(p.default).replace(", ", ","))
        )
    return f"({', '.join(words)})"
