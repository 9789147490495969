"""``torch.ops.torchvision``: operators that ``import torchvision`` expects of its compiled library, which is not loaded."""

import numpy as np

from tensh.engine.core.tensor import wrap
from tensh.library import Library

BOXES = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def nms(dets, scores, iou_threshold):
    """Return the numbers of the boxes [N, 4] to keep, best score first: those that overlap no better one that is kept.

    A box is (left, top, right, bottom). Boxes overlap if their intersection is more than ``iou_threshold`` of their union.
    """
    order = np.argsort(-scores.array, kind="stable")
    left, top, right, bottom = dets.array[order].T
    areas = (right - left) * (bottom - top)
    kept, open_ = [], np.ones(len(order), bool)
    for n in range(len(order)):
        if not open_[n]:
            continue
        kept.append(order[n])
        width = np.minimum(right[n], right) - np.maximum(left[n], left)
        height = np.minimum(bottom[n], bottom) - np.maximum(top[n], top)
        common = width.clip(0) * height.clip(0)
        with np.errstate(invalid="ignore"):  # boxes without an area
            open_ &= ~(common / (areas[n] + areas - common) > iou_threshold)
    return wrap(np.array(kept, np.int64))


LIBRARY = Library("torchvision", "FRAGMENT")  # lives as long as the program
LIBRARY.define(f"nms{BOXES}")
LIBRARY.impl("nms", nms, "CPU")
LIBRARY.define(f"qnms{BOXES}")  # for quantized tensors, which tensh lacks
