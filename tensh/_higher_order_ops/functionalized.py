"""Operators of the program that write to their arguments, as operators that return new values instead."""

from tensh._higher_order_ops.operators import HigherOrderOperator

__all__ = ["auto_functionalized_v2"]


class AutoFunctionalized(HigherOrderOperator):
    """Calls an operator on copies of what it writes to: returns its result, or None, and the copies.

    ``_all_bases`` are the tensors that are written; ``_NAME_base_index`` says which of them the argument NAME is.
    """

    __module__ = "torch.ops.higher_order"

    def __init__(self):
        super().__init__("auto_functionalized_v2", self.run, ())

    def __call__(self, op, **kwargs):
        return self.run(op, **kwargs)

    def run(self, op, _all_bases=(), **kwargs):
        """Call the operator on copies of the bases."""
        copies = [each.clone() for each in _all_bases]
        places = {name: place for name, place in kwargs.items() if name.endswith("_base_index")}
        given = {name: value for name, value in kwargs.items() if name not in places}
        given |= {name[1:].removesuffix("_base_index"): copies[place] for name, place in places.items()}
        result = op(**given)
        return (*(result if isinstance(result, tuple) else (result,)), *copies)


auto_functionalized_v2 = AutoFunctionalized()
