"""PyTorch's message for arguments that fit none of a function's signatures.

PyTorch reads the printed signatures again to compare them with the arguments, and prints keywords in the order of a hash
table, of which both leave traces in its text: a parameter with a default is never seen to fit, and keywords are in no
order of the call.
"""

from tensh.engine.core.tensor import Tensor
from tensh.support.naming import kinds_within, name_type


def type_name(value):
    """Return the name of a value's type as C code reports it: with the module for types written in C."""
    if isinstance(value, type) and issubclass(value, Tensor):
        return "torch._C._TensorMeta"
    return name_type(value)


LOOSE = {"float": ("float", "int"), "int": ("int",)}
"""Kinds of parameters that values of several types fit."""


def describe_mismatch(function, forms, args, options):
    """Return the message for arguments that fit none of the forms."""
    options = {name: options[name] for name in order_as_hashed(options)}
    start = f"{function}() received an invalid combination of arguments - got "
    if len(forms) == 1 and (unknown := unknown_keywords(forms[0], options)):
        return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
    types = "".join(f"{type_name(value)}, " for value in args)
    types += "".join(f"{name}={type_name(value)}, " for name, value in options.items())
    start += f"({types.removesuffix(', ') if args else types}), but expected "
    if len(forms) == 1:
        return start + forms[0].text
    lines = (f" * {form.text}\n{describe_difference(form, args, options)}" for form in forms)
    return f"{start}one of:\n{''.join(lines)}"


def describe_difference(form, args, options):
    """Return the line below a form with as many parameters as arguments."""
    if len(args) + len(options) != len(form.places):
        return ""
    if unknown := unknown_keywords(form, options):
        return f"      didn't match because some of the keywords were incorrect: {', '.join(unknown)}\n"
    named = [(p, options[p.name], f"{p.name}=") for p in form.places[len(args) :]]
    shown = [describe_argument(*each) for each in [*zip(form.places, args, [""] * len(args), strict=False), *named]]
    end = "" if args else ", "  # keywords alone end in a comma
    return f"      didn't match because some of the arguments have invalid types: ({', '.join(shown)}{end})\n"


def unknown_keywords(form, options):
    """Return the keywords that are not among as many last parameters: one with a default is never found, nor is ``*``."""
    last = form.places[max(len(form.places) - len(options), 0) :]
    names = {p.name for p in last if p is not None and p.required}
    return [name for name in options if name not in names]


def describe_argument(parameter, value, prefix=""):
    """Return an argument's type, in exclamation marks if it differs from the parameter's or the parameter has a default."""
    kind = type_name(value)
    if parameter is not None and parameter.required and kind in LOOSE.get(parameter.kind, (parameter.kind,)):
        return prefix + kind
    return f"!{prefix}{kind}{kinds_within(value)}!"


# ── the order of keywords ────────────────────────────────────────────────────
BUCKETS = 13  # buckets and entries of a small hash table in the standard library of C++ that PyTorch is built with
FACTOR, SEED, WORD = 0xC6A4A7935BD1E995, 0xC70F6907, 2**64 - 1


def order_as_hashed(names):
    """Return the names in the order of C++'s hash table: each before those of its bucket, or first if that is empty."""
    order, buckets = [], {}
    for name in names:
        own = buckets.setdefault(hash_text(name) % BUCKETS, [])
        order.insert(order.index(own[-1]) if own else 0, name)
        own.append(name)
    return order


def hash_text(text):
    """Return the number under which C++ files a text (MurmurHash of 64 bits)."""
    data = text.encode()
    number = SEED ^ len(data) * FACTOR & WORD
    for start in range(0, len(data), 8):
        part = data[start : start + 8]
        piece = int.from_bytes(part, "little")
        if len(part) == 8:
            piece = mix_bits(piece * FACTOR & WORD) * FACTOR & WORD
        number = (number ^ piece) * FACTOR & WORD
    return mix_bits(mix_bits(number) * FACTOR & WORD)


def mix_bits(number):
    return number ^ number >> 47
