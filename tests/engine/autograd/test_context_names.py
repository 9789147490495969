"""Attributes of ``ctx`` are the user's, also by names that nodes use."""

import pytest

import tensh as torch

NAMES = "op shape dtype time inputs saved hooks function places forwards edges facts own mine".split()


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_keeps_its_value(name, separate):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(*args):
            if not separate:
                setattr(args[0], name, "mine")
                args[0].save_for_backward(args[1])
            return args[-1] * 2, args[-1] * 3

        if separate:

            @staticmethod
            def setup_context(ctx, inputs, output):
                setattr(ctx, name, "mine")
                ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, *grads):
            found.append((getattr(ctx, name), ctx.saved_tensors[0].tolist(), ctx.needs_input_grad))
            setattr(ctx, name, "changed")
            return 2 * grads[0] + 3 * grads[1]

    found = []
    x = torch.ones(2, requires_grad=True)
    one, two = Double.apply(x)
    (one + two).sum().backward(retain_graph=True)
    (one + two).sum().backward()
    assert found == [("mine", [1.0, 1.0], (True,)), ("changed", [1.0, 1.0], (True,))]
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_node_shows_what_the_function_set():
    class Named(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mask = "mask"
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    node = Named.apply(torch.ones(2, requires_grad=True)).grad_fn
    assert node.mask == "mask"
    with pytest.raises(AttributeError, match="'NamedBackward' object has no attribute 'other'"):
        node.other  # noqa: B018
