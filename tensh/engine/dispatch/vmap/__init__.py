"""Tensors with hidden batch dimensions, on which ``vmap`` calls a function once.

Note [Batched tensors]
A ``BatchedTensor`` is a tensor of which a function sees one sample.  Its ``value`` is an ordinary tensor, recorded if it is
recorded: all its first dimensions, one for each running ``vmap`` that it varies with, are hidden.  Nested calls do not nest
tensors: ``levels`` names the calls, outermost first, and the rules in rules/ see several batch dimensions at once.

Asked for its node or its elements, a ``BatchedTensor`` raises ``Lift`` (see core/lift.py); the operator catches it and asks
``dispatch``.  The operator's rule, if there is one, is a call of the same or another operator on the values; otherwise it is called sample by sample and the results are stacked.
Functions made of operators need no rules.  What they ask of a tensor's array, its shape and dtype for the most part, the
array of a BatchedTensor answers for one sample; only if they take its elements are they called sample by sample as a whole.

Derivatives are recorded beneath, on the values.  What is differentiated inside ``vmap`` must therefore vary with all running
calls: ``expand_batches`` makes it so, as a view of the same memory.
"""
