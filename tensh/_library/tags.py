"""torch.Tag: properties of an operator that compilers ask for, which a library may declare."""

import enum

NAMES = """
    core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view
    maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order nondeterministic_bitwise
    nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction view_copy
""".split()

Tag = enum.Enum("Tag", [(name, number) for number, name in enumerate(NAMES)], module="torch")
Tag.__int__ = Tag.__index__ = lambda self: self.value
Tag.__doc__ = """A property of an operator, which ``torch.library`` takes as ``tags=``.

>>> import tensh as torch
>>> torch.Tag.pointwise
<Tag.pointwise: 16>
"""
