"""Tensors with hidden batch dimensions, on which ``vmap`` calls a function once.

Note [Batched tensors]
A ``BatchedTensor`` is a tensor of which a function sees one sample.  Its ``value`` is an ordinary tensor, recorded as
usual, whose first dimensions are hidden: one for each running ``vmap`` that it varies with.  Nested calls do not nest
tensors: ``levels`` lists the calls, outermost first, and the rules in rules/ see several batch dimensions at once.

When its node or its elements are read, a ``BatchedTensor`` raises ``Lift`` (see core/lift.py); the operator catches it
and calls ``dispatch``.  The operator's rule, if there is one, calls the same or another operator on the values;
otherwise the operator is called sample by sample and the results are stacked. Composites need no rules.  What they read
of a tensor's array, mostly its shape and dtype, is answered for one sample; only if they read its elements are they
called sample by sample as a whole.

Gradients are recorded on the values.  A tensor that is differentiated inside ``vmap`` must therefore vary with all
running calls: ``expand_batches`` makes it so, as a view of the same memory.
"""
