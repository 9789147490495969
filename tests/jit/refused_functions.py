"""Functions that PyTorch refuses to script because of their syntax."""

# ruff: noqa


def with_try(x):
    try:
        return x + 1
    except ValueError:
        return x


def with_yield(x):
    yield x


def with_global(x):
    global G
    G = 3
    return x


def with_nonlocal(x):
    y = 0

    def inner():
        nonlocal y
        y = 1

    inner()
    return y


def with_keywords(x, **more):
    return x


def with_arguments(x, *more):
    return x


def with_lambda(x):
    f = lambda y: y + 1
    return f(x)


def with_function(x):
    def inner(y):
        return y + 1

    return inner(x)


def with_class(x):
    class A:
        pass

    return x


def with_import(x):
    import math

    return x * math.pi


def with_import_from(x):
    if x.dim() > 3:
        from math import pi

        return x * pi
    return x


def with_set(x):
    return {1, 2}


def with_set_of_all(x):
    return {i for i in range(3)}


def with_walrus(x):
    if (n := 3) > 2:
        return n
    return 1


def with_product_in_place(x):
    x @= x
    return x


def with_format(x):
    return f"{x:.2f}"


def with_conversion(x):
    return f"{x!r}"


def with_two_loops(x):
    return [i + j for i in range(3) for j in range(2)]


def with_condition(x):
    return [i for i in range(3) if i > 1]


def with_else_of_a_loop(x):
    for i in range(3):
        if i == 1:
            break
    else:
        return x
    return x + 1


def with_bytes(x):
    return b"a"


def with_a_mutable_default(x, l=[]):
    return x


async def asynchronous(x):
    return x


def in_a_branch(x, k: int):
    if k > 2:
        while k > 3:
            y = [lambda: 3]
    return x


class Module:
    """Made into a module of each library."""

    def forward(self, x):
        try:
            return x
        finally:
            pass


def calls_with_arguments(x):
    return with_arguments(x)


def calls_with_keyword_only(x):
    return keyword_only(x, times=2)


def keyword_only(x, *, times: int = 1):
    return x * times


def calls_the_caller(x):
    return calls_with_keyword_only(x)


class WithHelper:
    def forward(self, x):
        return self.helper(x)

    def helper(self, x):
        return [each for each in x if each > 1]
