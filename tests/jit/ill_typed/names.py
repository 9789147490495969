"""Scripts with names that mean nothing there."""

# ruff: noqa

import math


GLOBAL = 3
NOTHING, NAMES, NUMBERS, TABLE, WORD, ERROR = None, {1, 2}, [1, 2], {"a": 1}, "ab", ValueError("a")

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    F = torch.nn.functional
    scale = 2.0

    def bad_helper(x):
        return x + missing

    def caller(x):
        y = bad_helper(x)
        return y

    def half(v: float):
        return v / 2

    def calls_deeply(x):
        return caller(x)

    def undefined_name(x):
        return x + missing

    def undefined_function(x):
        return missing(x)

    def misspelled(x):
        result = x * 2
        return reslt

    def defined_in_one_branch(x, k: int):
        if k > 0:
            y = x
        return y

    def defined_in_other_branch(x, k: int):
        if k > 0:
            z = x
        else:
            y = x
        return y

    def defined_in_loop(x):
        for i in range(3):
            y = x + i
        return y

    def loop_variable_after(x):
        for i in range(3):
            x = x + i
        return x + i

    def defined_in_while(x, k: int):
        while k > 0:
            y = x
            k -= 1
        return y

    def used_before(x):
        x = x + y
        y = 3
        return x

    def global_number(x):
        return x * GLOBAL

    def closed_number(x):
        return x * scale

    def deleted(x):
        y = x + 1
        del y
        return y

    def attribute_of_library(x):
        return torch.reluu(x)

    def attribute_of_functional(x):
        return F.softmaxx(x)

    def attribute_of_math(k: float):
        return math.squareroot(k)

    def undefined_augmented(x):
        total += x
        return total

    def calls_bad_helper(x):
        return bad_helper(x)

    def calls_python_function(x):
        return open("a")

    def raises_text(x):
        raise "a"

    def isinstance_int(x):
        y = isinstance(x, foo)
        return y

    def elif_all(x, k: int):
        if k > 3:
            y = 1
        elif k > 2:
            y = 2.0
        else:
            y = 3
        return y

    def nested_if_missing(x, k: int):
        if k > 3:
            if k > 4:
                y = 1
        else:
            y = 2
        return y

    def size_attr(x):
        return x.size + 1

    def python_obj(x):
        return x + math

    def func_value(x):
        return x + half

    def print_undefined(x):
        print(y)
        return x

    def assert_undefined(x):
        assert y > 1
        return x

    def raise_undefined(x):
        raise ValueErrorr("a")

    def raise_msg(x):
        raise ValueError(y)

    def with_undefined(x):
        with foo():
            x = x + 1
        return x

    def input_call(x):
        return input()

    def recursive(k: int) -> int:
        if k == 0:
            return 1
        return recursive(k - 1)

    layer, ones, drawing = torch.nn.Linear(1, 1), torch.ones(2), torch.Generator()

    def global_set(x):
        return x if 1 in NAMES else x + 1

    def global_list(x):
        return x + NUMBERS[0]

    def global_list_as_a_size(x):
        return torch.zeros(NUMBERS)

    def global_dictionary(x):
        return x * TABLE["a"]

    def global_nothing(x):
        return NOTHING is None

    def loop_over_a_global_list(x):
        for i in NUMBERS:
            x = x + i
        return x

    def loop_over_a_global_set(x):
        return [i for i in NAMES]

    def loop_over_a_numbered_dictionary(x):
        for i, name in enumerate(TABLE):
            x = x + i
        return x

    def loop_over_a_tensor_around(x):
        for each in ones:
            x = x + each
        return x

    def method_of_a_global_text(x):
        return WORD.upper()

    def method_of_a_global_list(x):
        return NUMBERS.index(1)

    def method_of_a_tensor_around(x):
        return ones.sum()

    def layer_around(x):
        return layer

    def generator_around(x):
        return torch.rand(2, generator=drawing)

    def modules_as_values(x):
        return torch.nn.functional

    def raised_instance(x):
        raise ERROR

    return collect(locals(), __name__, "bad_helper", "caller", "half")
