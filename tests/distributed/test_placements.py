"""Placements: how a plan for parallel layers divides tensors among processes."""

import datetime

import pytest

import tensh

EXPRESSIONS = """
t.Shard(0), str(t.Shard(1)), t.Shard(0) == t.Shard(0), t.Shard(0) == t.Shard(1), t.Shard(2).dim
t.Replicate(), str(t.Replicate()), t.Replicate() == t.Replicate(), t.Replicate() == t.Shard(0)
t.Partial(), str(t.Partial()), t.Partial("max").reduce_op
t.Shard(0).is_shard(), t.Shard(0).is_shard(0), t.Shard(0).is_shard(1), t.Shard(0).is_replicate(), t.Shard(0).is_partial()
t.Replicate().is_replicate(), t.Partial().is_partial(), t.Partial().is_partial("max"), t.Replicate().is_shard()
isinstance(t.Shard(0), t.Placement), len({t.Shard(0), t.Shard(0), t.Replicate()})
""".strip().splitlines()


@pytest.mark.oracle
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_placements_are_pytorchs(text, oracle):
    import torch.distributed.tensor as theirs

    assert repr(eval(text, {"t": tensh.distributed.tensor})) == repr(eval(text, {"t": theirs}))


def test_placements_are_one_at_every_place():
    tensor = tensh.distributed.tensor
    assert tensor.Shard is tensor.placement_types.Shard
    assert tensh.distributed.constants.default_pg_timeout == datetime.timedelta(minutes=30)
