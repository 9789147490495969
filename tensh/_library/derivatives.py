"""The function of ``torch.autograd`` through which an operator of the user's own is differentiated and batched."""

import tensh as torch
from tensh.autograd import Function
from tensh.func.trees import leaves_of, unflatten


def make_function(definition):
    """Return a custom function whose inputs are the tensors among the arguments of an operator, also in lists."""

    def forward(form, *leaves):
        return definition.compute(unflatten(leaves, form))

    def setup_context(ctx, inputs, output):
        ctx._form, *leaves = inputs
        if definition._setup is not None:
            args, named = definition.split_arguments(unflatten(leaves, ctx._form))
            more = {"keyword_only_inputs": named} if named else {}
            definition._setup(ctx=ctx, inputs=tuple(args), output=output, **more)

    def backward(ctx, *gradients):
        return None, *compute_gradients(definition, ctx, gradients)

    def vmap(info, in_dims, form, *leaves):
        if definition._vmap is None:
            return call_for_samples(definition, info.batch_size, in_dims[1:], form, leaves)
        args, _ = definition.split_arguments(unflatten(leaves, form))
        places, _ = definition.split_arguments(unflatten(in_dims[1:], form))
        return definition._vmap(info, tuple(places), *args)

    members = {each.__name__: staticmethod(each) for each in (forward, setup_context, backward, vmap)}
    name = f"GeneratedBackwardFor_{definition._qualname.replace('::', '_')}_default"
    return type(name, (Function,), members)


def compute_gradients(definition, ctx, gradients):
    """Return the gradient of each tensor, by the registered backward function, which gives one for each argument."""
    if definition._backward is None:
        raise RuntimeError(
            f"Trying to backward through {definition._opoverload} but no autograd formula was registered. Please use "
            "register_autograd to add one."
        )
    found = definition._backward(ctx, *gradients)
    found = list(found) if isinstance(found, tuple) else [found]
    found += [None] * sum(p.named for p in definition._parameters)
    places = ctx._form.children()
    if len(found) != len(places):
        raise RuntimeError(
            f"function {definition.find_function().__name__}Backward returned an incorrect number of gradients "
            f"(expected {len(places)}, got {len(found)})"
        )
    parts = ([None] * part.num_leaves if each is None else leaves_of(each) for each, part in zip(found, places))
    return [leaf for part in parts for leaf in part]


def call_for_samples(definition, number, dims, form, leaves):
    """Return (stacked results of the operator for each sample of a batch, their dimension of samples)."""
    samples = [
        definition(*unflatten([t if d is None else t.select(d, i) for t, d in zip(leaves, dims)], form))
        for i in range(number)
    ]
    if isinstance(samples[0], tuple):
        return tuple(map(torch.stack, zip(*samples))), (0,) * len(samples[0])
    return torch.stack(samples), 0
