"""Nested tensors in the layout torch.strided, and the rules of functions for them."""

from tensh.nested.strided.facts import FACTS
from tensh.nested.strided.form import StridedForm, StridedNested, join
from tensh.nested.strided.joins import JOINS
from tensh.nested.strided.layers import LAYERS
from tensh.nested.strided.pickling import STORING
from tensh.nested.strided.pointwise import POINTWISE
from tensh.nested.strided.selection import SELECTION
from tensh.nested.strided.views import VIEWS

StridedNested.rules.update(POINTWISE | FACTS | VIEWS | SELECTION | JOINS | LAYERS | STORING)

__all__ = ["StridedForm", "StridedNested", "join"]
