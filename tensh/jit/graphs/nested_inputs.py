"""Inputs of traced programs that are tuples, lists or dictionaries: parameters of their type, which lines take apart."""

from tensh.jit.graphs.scopes import NOWHERE
from tensh.tracing.program import Place


def fill(form, tensors):
    """Return an argument with tensors in place of their indices."""
    if isinstance(form, Place):
        return tensors[form]
    if isinstance(form, dict):
        return {key: fill(each, tensors) for key, each in form.items()}
    return type(form)(fill(each, tensors) for each in form) if isinstance(form, (tuple, list)) else form


def list_parts(form):
    """Return (key, part) of a container."""
    return list(form.items()) if isinstance(form, dict) else list(enumerate(form))


def write_inputs(lines, arguments, nodes, type_of):
    """Add the inputs of a graph and the lines that take them apart, for ``arguments`` (name, form) and tensors' ``nodes``."""
    tensors = [node.meta["val"] for node in nodes]
    containers = []
    for name, form in arguments:
        value = fill(form, tensors)
        made = lines.add_input(f"%{name}", type_of(value), value)
        if isinstance(form, Place):
            lines.names[nodes[form]] = made
        else:
            containers.append((made, form, value))

    def take_apart(whole, form, value):
        if isinstance(form, dict):
            names = [
                lines.make(
                    type_of(value[key]),
                    "aten::__getitem__",
                    [whole, lines.value(key, NOWHERE)],
                    NOWHERE,
                    shown=value[key],
                )
                for key in form
            ]
        else:
            names = [lines.number(ahead) for ahead in range(len(form))]
            kind = "prim::ListUnpack" if isinstance(form, list) else "prim::TupleUnpack"
            lines.emit([(each, type_of(part), part) for each, part in zip(names, value)], kind, [whole])
        for each, (key, part) in zip(names, list_parts(form)):
            if isinstance(part, Place):
                lines.names[nodes[part]] = each
            else:
                take_apart(each, part, value[key])

    for each in containers:
        take_apart(*each)


def write_parameters(writer, arguments, nodes, type_of):
    """Return the parameters of a function in a file as text, and write the lines that take them apart."""
    tensors, parameters = [node.meta["val"] for node in nodes], []

    def take_apart(whole, form):
        if isinstance(form, dict):
            names = [writer.name(f"{whole}_{key}") for key in form]
            writer.lines += [f"{each} = {whole}[{writer.value(key)}]" for each, key in zip(names, form)]
        else:
            names = [writer.name(f"{whole}_{number}") for number in range(len(form))]
            if names:
                writer.lines.append(f"{', '.join(names)}, = {whole}")
        for each, (_, part) in zip(names, list_parts(form)):
            if isinstance(part, Place):
                writer.names[nodes[part]] = each
            else:
                take_apart(each, part)

    for name, form in arguments:
        own = writer.name(name)
        parameters.append(f"{own}: {type_of(fill(form, tensors))}")
        if isinstance(form, Place):
            writer.names[nodes[form]] = own
        else:
            take_apart(own, form)
    return parameters
