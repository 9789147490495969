"""The checks of gradcheck for forward accumulation."""

import numpy as np

from tensh.engine import find_public
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE


class Mismatch(Exception):
    """A tangent differs from finite differences; becomes a GradcheckError."""


def check_forward(func, inputs, eps, atol, rtol):
    """Raise Mismatch unless the tangents of ``func`` agree with differences, for real and for imaginary steps."""
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    has_complex = any(isinstance(x, Tensor) and x.is_complex() for x in inputs)
    for part in (1j, 1) if has_complex else (1,):
        own = [i for i in places if part == 1 or inputs[i].is_complex()]
        analytic = [_tangents(func, inputs, i, part) for i in own]
        numeric = [_differences(func, inputs, i, part, eps) for i in own]
        for output in range(len(analytic[0]) if own else 0):
            for number, i in enumerate(own):
                a, n = analytic[number][output], numeric[number][output]
                if not np.allclose(a, n, rtol, atol):
                    raise Mismatch(_message(a, n, output, i, part if has_complex else None))


def _message(analytic, numeric, output, number, part):
    what = f"Jacobian computed with forward mode mismatch for output {output} with respect to input {number},\n"
    if part is not None:
        name = "imaginary" if part == 1j else "real"
        what = f"While considering the {name} part of complex inputs only, {what}"
    return f"{what}numerical:{wrap(numeric)}\nanalytical:{wrap(analytic)}\n"


def _outputs(result):
    """Return the differentiable outputs."""
    results = (result,) if isinstance(result, Tensor) else tuple(result)
    return [t for t in results if isinstance(t, Tensor) and t.array.dtype.kind in DIFFERENTIABLE]


def _steps(x, part):
    """A step of size 1 in each element of ``x``."""
    for number in range(x.array.size):
        step = np.zeros(x.array.size, x.array.dtype)
        step[number] = part
        yield step.reshape(x.array.shape)


def _tangents(func, inputs, place, part):
    """Return for each output its tangents in the direction of every element of one input, as rows."""
    x = inputs[place]
    columns = [_tangent(func, inputs, place, wrap(step)) for step in _steps(x, part)]
    return _rows(columns, func, inputs, x)


def _tangent(func, inputs, place, direction):
    """Return the tangents of the outputs in one direction, as flat arrays."""
    from tensh.autograd import forward_ad

    with forward_ad.dual_level():
        given = _detached(inputs)
        given[place] = forward_ad.make_dual(given[place], direction)
        outputs = _outputs(func(*given))
        parts = [forward_ad.unpack_dual(t) for t in outputs]
        return [(np.zeros_like(t.array) if tangent is None else tangent.array).reshape(-1) for t, tangent in parts]


def _detached(inputs):
    return [x.detach() if isinstance(x, Tensor) else x for x in inputs]


def check_undefined(func, inputs):
    """Raise Mismatch unless the absence of a tangent of one input means zeros, beside tangents at random of the others."""
    from tensh.autograd import forward_ad

    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    # a check leaves the program's stream as it is
    generator, draw = find_public("Generator")(), find_public("randn_like")
    with forward_ad.dual_level():
        given = _detached(inputs)
        for place in places:
            given[place] = forward_ad.make_dual(given[place], draw(given[place], generator=generator))
        for place in places:
            own, x = given[place], inputs[place].detach()
            found = []
            for absent in forward_ad.make_dual(x, find_public("zeros_like")(x)), x:
                given[place] = absent
                found.append([forward_ad.unpack_dual(t).tangent for t in _outputs(func(*given))])
            given[place] = own
            for number, (zeros, none) in enumerate(zip(*found, strict=True)):
                if zeros is not None and none is not None and not np.allclose(zeros.array, none.array):
                    raise Mismatch(
                        f"Mismatch in tangent values for output with index: {number} when input: {inputs[place]} "
                        f"has an undefined tangent value.  Got: {zeros} but expected: {none}"
                    )


def _differences(func, inputs, place, part, eps):
    """Compute a product of the Jacobian and a vector by central differences."""
    x, columns = inputs[place], []
    for step in _steps(x, part):
        ends = []
        for sign in (eps, -eps):
            moved = wrap(x.array + sign * step)
            with enable_grad():
                ends.append([t.array.reshape(-1) for t in _outputs(func(*inputs[:place], moved, *inputs[place + 1 :]))])
        columns.append([(high - low) / (2 * eps) for high, low in zip(*ends, strict=True)])
    return _rows(columns, func, inputs, x)


def _rows(columns, func, inputs, x):
    if not columns:
        return [np.zeros((0, t.array.size)) for t in _outputs(func(*inputs))]
    return [np.stack(column) for column in zip(*columns, strict=True)]


def check_batched(func, inputs):
    """Raise Mismatch unless tangents of a batch of directions equal those computed one by one."""
    from tensh.func import vmap

    for place, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        batch = draw_two(x)

        def push(direction, place=place):
            from tensh.func.forward import jvp_by

            given = tuple(t.detach() if isinstance(t, Tensor) else t for t in inputs)
            return tuple(_flat(jvp_by(func, given, (direction,), (place,))[1]))

        together, alone = vmap(push)(batch), zip(*(push(direction) for direction in batch), strict=True)
        for number, (got, expected) in enumerate(zip(together, alone, strict=True)):
            expected = find_public("stack")(list(expected))
            if not np.allclose(got.array, expected.array):
                raise Mismatch(f"For output {number} and input {place}:\n\nGot:\n{got}\n\nExpected:\n{expected}")


def draw_two(like):
    """Return two tensors of normal numbers, stacked; they are PyTorch's."""
    return find_public("stack")([find_public("randn_like")(like.detach()) for _ in range(2)])


def _flat(result):
    return (result,) if isinstance(result, Tensor) else result
