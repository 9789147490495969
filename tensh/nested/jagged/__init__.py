"""Nested tensors in the layout torch.jagged, and the rules of functions for them."""

from tensh.nested.jagged.creation import divide_evenly, join_ragged, narrow_ragged, select_by_mask, view_jagged
from tensh.nested.jagged.facts import FACTS
from tensh.nested.jagged.form import NestedTensor
from tensh.nested.jagged.joins import JOINS
from tensh.nested.jagged.layers import LAYERS
from tensh.nested.jagged.padding import PADDING
from tensh.nested.jagged.pickling import STORING
from tensh.nested.jagged.pointwise import POINTWISE
from tensh.nested.jagged.reductions import REDUCTIONS
from tensh.nested.jagged.selection import SELECTION
from tensh.nested.jagged.views import VIEWS

NestedTensor.rules.update(POINTWISE | REDUCTIONS | PADDING | FACTS | VIEWS | SELECTION | JOINS | LAYERS | STORING)

__all__ = ["NestedTensor", "divide_evenly", "join_ragged", "narrow_ragged", "select_by_mask", "view_jagged"]
