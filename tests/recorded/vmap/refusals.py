"""Programs that vmap refuses, and how: functions of the module, which is tensh or PyTorch."""

from tests.recorded.vmap.programs import of_one_piece, without_rule


def into(torch, name, *more):
    """A write of what is batched into what is not."""
    return lambda torch: torch.vmap(lambda a: getattr(torch.zeros(3), name)(*more, a))(torch.ones(2, 3))


def mapped(f, **options):
    return lambda torch: torch.vmap(lambda a: f(torch, a), **options)(torch.arange(6.0).reshape(2, 3))


def assigned(torch, a):
    zeros = torch.zeros(3)
    zeros[0] = a[0]
    return zeros


def identity(a):
    return a


def first(a, b):
    return a


def by_weights(torch, *shape):
    x = torch.ones(3, requires_grad=True)
    return torch.autograd.grad(x * 2, x, torch.ones(shape), is_grads_batched=True)


ERRORS = {
    **{f"weights of shape {shape}": (lambda torch, shape=shape: by_weights(torch, *shape)) for shape in ((2, 4), (), (0, 3))},
    "item": mapped(lambda torch, a: a.sum().item()),
    "control flow": mapped(lambda torch, a: a if a.sum() > 0 else -a),
    "float": mapped(lambda torch, a: float(a.sum())),
    "int": mapped(lambda torch, a: int(a.sum())),
    "index": mapped(lambda torch, a: [1, 2, 3][a.sum().long()]),
    "tolist": mapped(lambda torch, a: a.tolist()),
    "numpy": mapped(lambda torch, a: a.numpy()),
    "data_ptr": mapped(lambda torch, a: a.data_ptr()),
    "format": mapped(lambda torch, a: f"{a.sum():.2f}"),
    "contains": mapped(lambda torch, a: 1.0 in a),
    "nonzero": mapped(lambda torch, a: a.nonzero()),
    "where": mapped(lambda torch, a: torch.where(a > 0)),
    "mask": mapped(lambda torch, a: a[a > 0]),
    "masked_select": mapped(lambda torch, a: torch.masked_select(a, a > 0)),
    "unique": mapped(lambda torch, a: torch.unique(a)),
    "allclose": mapped(lambda torch, a: torch.allclose(a, a)),
    "equal": mapped(lambda torch, a: torch.equal(a, a)),
    "data": mapped(lambda torch, a: a.data),
    "set data": mapped(lambda torch, a: setattr(a, "data", a)),
    "requires_grad_": mapped(lambda torch, a: a.requires_grad_()),
    "requires_grad_ of another": mapped(lambda torch, a: torch.zeros(3).requires_grad_()),
    "backward": mapped(lambda torch, a: a.sum().backward()),
    "grad": mapped(lambda torch, a: torch.autograd.grad(a.sum(), a)),
    "deepcopy": mapped(lambda torch, a: __import__("copy").deepcopy(a)),
    "out=": mapped(lambda torch, a: torch.add(a, a, out=torch.zeros(3))),
    "different shapes": mapped(lambda torch, a: torch.bincount(a.long())),
    "wrong dimension": mapped(lambda torch, a: a.sum(1)),
    "wrong dimensions": mapped(lambda torch, a: a.transpose(0, 1)),
    "wrong shapes": mapped(lambda torch, a: a + torch.ones(4)),
    "wrong vectors": mapped(lambda torch, a: a @ torch.ones(4)),
    "set item": mapped(assigned),
    "set items by a mask": mapped(lambda torch, a: torch.zeros(3).__setitem__(a > 0, 1.0)),
    "set its items by its mask": mapped(lambda torch, a: a.clone().__setitem__(a > 0, 1.0)),
    **{name: mapped(lambda torch, a, name=name: getattr(torch.zeros(3), name)(a))
       for name in "add_ sub_ mul_ div_ copy_ atan2_ copysign_ clamp_min_ pow_ fmod_ remainder_ logical_and_ xlogy_ eq_".split()},
    "masked_fill_": mapped(lambda torch, a: torch.zeros(3).masked_fill_(a > 0, 1.0)),
    "fill_": mapped(lambda torch, a: torch.zeros(3).fill_(a[0])),
    **{name: mapped(lambda torch, a, name=name: getattr(torch.zeros(3), name)(0, torch.arange(3), a))
       for name in ("index_add_", "scatter_add_", "scatter_", "index_copy_")},
    "index_put_": mapped(lambda torch, a: torch.zeros(3).index_put_((torch.arange(3),), a)),
    # results
    "no tensor": mapped(lambda torch, a: 1.0), "nothing": mapped(lambda torch, a: None),
    "a number within": mapped(lambda torch, a: {"a": 1}),
    "batched, out_dims None": mapped(lambda torch, a: a, out_dims=None),
    "out_dims too large": mapped(lambda torch, a: a, out_dims=5),
    "out_dims of a pair": mapped(lambda torch, a: a, out_dims=(0, 1)),
    "out_dims of one": mapped(lambda torch, a: (a, a), out_dims=(0,)),
    "out_dims a text": mapped(lambda torch, a: (a, a), out_dims="a"),
    "out_dims a list": mapped(lambda torch, a: (a, a), out_dims=[0, 1]),
    "out_dims of other names": mapped(lambda torch, a: {"a": a}, out_dims={"b": 1}),
    "a custom function without a rule": without_rule, "a custom function of one piece": of_one_piece,
    # arguments
    **{f"in_dims {dims!r}": (lambda torch, dims=dims: torch.vmap(identity, in_dims=dims)(torch.ones(2, 3)))
       for dims in (None, (None,), 5, -3, "x", ("x",), (0, 0), [0])},
    "in_dims of other names": lambda torch: torch.vmap(identity, ({"y": 0},))({"x": torch.ones(2)}),
    "a number": lambda torch: torch.vmap(identity)(3.0),
    "a number beside": lambda torch: torch.vmap(first, (0, 0))(torch.ones(2), 3.0),
    "nothing beside": lambda torch: torch.vmap(first)(torch.ones(2), None),
    "no arguments": lambda torch: torch.vmap(identity)(),
    "only keywords": lambda torch: torch.vmap(identity)(a=torch.ones(2)),
    "sizes": lambda torch: torch.vmap(first)(torch.ones(2, 3), torch.ones(3, 2)),
    "no dimensions": lambda torch: torch.vmap(identity)(torch.tensor(1.0)),
    "a partial function": lambda torch: torch.vmap(__import__("functools").partial(torch.add, alpha=2), 5)(torch.ones(2)),
    "chunk_size": lambda torch: torch.vmap(identity, chunk_size=0)(torch.ones(2)),
    "randomness": lambda torch: torch.vmap(identity, randomness="any")(torch.ones(2)),
}  # fmt: skip

ERRORS |= {
    f"{name} of more dimensions into {shape}": (
        lambda torch, name=name, shape=shape: torch.vmap(lambda a: getattr(a, name)(torch.ones(2, 2)))(
            torch.ones(shape)
        )
    )
    for name in ("add_", "mul_", "copy_", "pow_")
    for shape in ((2,), (2, 2))
}
"""Writes of a value that all samples share, as large as the batch."""
