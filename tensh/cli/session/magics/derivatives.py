"""Inspecting autograd: `%graph`, `%why`, `%step`, `%accumulation`, `%trace`, `%gradcheck`, `%cmp`, `%memory`."""

import sys

from tensh.cli.session.events import Value
from tensh.cli.session.magics.arguments import misused, parse_call, refuse_options, refuse_surplus
from tensh.cli.session.magics.registry import MAGICS, MagicError, magic
from tensh.cli.session.magics.showing import view
from tensh.cli.session.magics.writing import write_name_argument
from tensh.cli.session.sources.elements import write_elements
from tensh.support.language import _

# name, usage, summary, function of tensh.show: takes a tensor, by default the one computed last
OF_A_TENSOR = (
    ("graph", "%graph [Y] [--view tape] [--values], %graph F X --static", "the autograd graph of a tensor: what it was computed from", "graph"),
    ("step", "%step [Y]", "a backward pass from a tensor, node by node", "steps"),
    ("modes", "%modes [Y] ['forward']", "derivatives by reverse or forward accumulation, in the order of work", "accumulation"),
    ("memory", "%memory [Y]", "what the graph of a tensor keeps alive for its backward pass", "memory"),
)  # fmt: skip
OF_ARGUMENTS = (
    ("summary", "%summary MODEL [X...]", "the modules of a model: shapes of their outputs, and parameters", "summary"),
    ("cmp", "%cmp A B", "whether two tensors are equal, nearly equal, or where they differ most", "cmp"),
    ("gradcheck", "%gradcheck F X", "the gradient of a function, compared with differences of its values", "gradcheck"),
)
SWITCHES = ("values", "grads", "types", "formulas", "static", "compiled")  # options of %graph, as for `tensh graph`


def rename_error(command, error):
    """Reword the error of a function as that of the command."""
    if "missing" in str(error):
        return misused(command)
    return MagicError(f"%{command.name}: {str(error).partition('(): ')[2] or error}")


def raised_by_user(error):
    """Return True for an error of the user's own function, whose line is shown."""
    trace, seen = error.__traceback__, []
    while trace is not None:
        seen.append(trace.tb_frame.f_globals.get("__name__") or "tensh")  # generated code has no name
        trace = trace.tb_next
    return any(name.partition(".")[0] not in {"tensh", *sys.stdlib_module_names} - {"__main__"} for name in seen)


def make_tensor_command(function):
    def run(session, command):
        _texts, values, options = parse_call(session, command)
        refuse_options(command, view(function), options)
        refuse_surplus(command, view(function), values, options)
        try:
            named = {} if options.keys() & {"static", "compiled"} else {"names": session.own_names()}
            drawn = view(function)(*values, **named, **options)
        except (TypeError, ValueError, LookupError) as error:
            if raised_by_user(error):
                raise
            raise rename_error(command, error) from None
        if function == "steps" and session.stepper:  # the user can page through them
            session.stepper(drawn)
        else:
            yield Value(drawn, command)

    return run


def make_command(function):
    def run(session, command):
        texts, values, options = parse_call(session, command)
        refuse_options(command, view(function), options)
        refuse_surplus(command, view(function), values, options)
        try:
            drawn = view(function)(*values, **(write_name_argument(MAGICS[command.name].named, texts) | options))
        except (TypeError, ValueError) as error:
            if raised_by_user(error):
                raise
            raise rename_error(command, error) from None
        yield Value(drawn, command)

    return run


for name, usage, summary, function in OF_A_TENSOR:
    magic(
        name, usage, summary, sugar=f"tensh.show.{function}({{}})", switches=SWITCHES, needs_places=True
    )(make_tensor_command(function))  # fmt: skip
for name, usage, summary, function in OF_ARGUMENTS:
    named = "names" * (name == "cmp")
    magic(name, usage, summary, sugar=f"tensh.show.{function}({{}})", named=named)(make_command(function))


def strip_grad(text):
    """Return the name whose gradient is requested, which may be given as `x.grad`."""
    return text.removesuffix(".grad")


@magic(
    "why", "%why X", "why the gradient of a tensor is what it is: the chain rule in numbers", "tensh.show.why({})",
    subject=strip_grad, needs_places=True,
)  # fmt: skip
def why(session, command):
    """Explain the gradient of `x`, given as `%why x` or `%why x.grad`."""
    text = strip_grad(command.argument)
    if not text:
        raise MagicError(_("%why: expected a tensor: %why w"))
    _texts, values, options = parse_call(session, command._replace(argument=text))
    refuse_options(command, view("why"), options)
    if len(values) != 1:
        raise misused(command)
    try:
        yield Value(view("why")(*values, names=session.namespace, sources=session.texts(), **options), command)
    except (TypeError, ValueError) as error:
        raise rename_error(command, error) from None


@magic("trace", "%trace LINE", "run a line and show each of its parts: shape, dtype, value", "tensh.show.trace({!r})")
def trace(session, command):
    """Run the line in the session, including its assignments."""
    if not command.argument:
        raise MagicError(_("%trace: expected a line of code: %trace (x @ w).sum()"))
    command.parse()
    yield Value(view("trace")(write_elements(command.argument), session.namespace), command)
