"""Methods that take their arguments in another order than their operators."""


def choose_condition_first(self, condition, other):
    return condition, self, other


ORDERS = {"Tensor.where": choose_condition_first, "Tensor.polygamma": lambda self, n: (n, self)}
"""Method whose operator takes the arguments in another order -> the function that returns them."""


def order_arguments(function, args, options):
    """Return (args, options) of a public function as its operator takes them."""
    order = ORDERS.get(getattr(function, "__qualname__", ""))
    return (args, options) if order is None else (order(*args, **options), {})
