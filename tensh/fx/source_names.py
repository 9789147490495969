"""PyTorch's names of values that functions take from their closures, by which it orders them."""

from tensh.nn.modules.module import Module


def name_source(function, value, place):
    """Return the name of a value in the closure of the function at a place among the operator's arguments.

    >>> import tensh as torch
    >>> from tensh.fx.source_names import name_source
    >>> x, linear = torch.ones(2), torch.nn.Linear(2, 2)
    >>> def enclose(linear, x):
    ...     return lambda: linear(x)
    >>> name_source(enclose(linear, x), linear.bias, 1)
    'l_args_2_closure_0_cell_contents_parameters_bias_'
    """
    for number, cell in enumerate(getattr(function, "__closure__", None) or ()):
        try:
            held = cell.cell_contents
        except ValueError:  # a name that is not yet assigned
            continue
        above = f"l_args_{place + 1}_closure_{number}_cell_contents"
        if held is value:
            return above
        if isinstance(held, Module) and (path := find_member(held, value)) is not None:
            return f"{above}_{path}"
    return "~"  # after all names


def find_member(module, value):
    """Return the path of a parameter, buffer or attribute of a module, as PyTorch writes it into names."""
    for path, owner in module.named_modules():
        above = "".join(f"modules_{part}_" for part in path.split(".") if part)
        for kind in ("parameters", "buffers"):
            for name, each in getattr(owner, f"_{kind}").items():
                if each is value:
                    return f"{above}{kind}_{name}_"
        for name, each in vars(owner).items():
            if each is value:
                return f"{above}{name}"
    return None
