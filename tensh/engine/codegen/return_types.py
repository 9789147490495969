"""Named tuples of operators with several outputs: ``torch.return_types``."""

from tensh.support.naming import OfTorch, torch_is_tensh

RETURN_TYPES: dict = {}  # the tuples made so far, as torch.return_types has them: name -> class


def return_type(name, fields):
    """Return the tuple with field names that an operator with several outputs returns, as ``torch.return_types.NAME``."""
    if name in RETURN_TYPES:
        return RETURN_TYPES[name]

    def show(self):
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self)) + ")"

    members = {f: property(lambda self, i=i: self[i], refuse_write, refuse_write) for i, f in enumerate(fields)}
    members |= {
        "__slots__": (),
        "__repr__": show,
        "__match_args__": fields,
        "__module__": "torch.return_types",
    }
    members["__doc__"] = f"The results of ``{name}``: ({', '.join(fields)})."
    members["__reduce__"] = lambda self: (
        (type(self), (tuple(self), {})) if torch_is_tensh() else (rebuild_results, (name, fields, tuple(self)))
    )

    def new(cls, sequence, more=None):  # a pickle says more: nothing
        try:
            self = tuple.__new__(cls, sequence)
        except TypeError:
            raise TypeError("constructor requires a sequence") from None
        if len(self) != len(fields):
            raise TypeError(f"torch.return_types.{name}() takes a {len(fields)}-sequence ({len(self)}-sequence given)")
        return self

    members["__new__"] = new
    members |= {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    RETURN_TYPES[name] = OfTorch(name, (tuple,), members)
    return RETURN_TYPES[name]


def refuse_write(self, *value):
    raise AttributeError("readonly attribute")


def rebuild_results(name, fields, values):
    return return_type(name, fields)(values)


_rebuild = rebuild_results  # the name in pickles of earlier versions
