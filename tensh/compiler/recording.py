"""The recorder of a function that becomes a graph, which notes the elements that Python reads."""

import types

import numpy as np

from tensh.compiler.breaks import Break
from tensh.compiler.steps import READ, SLOPES
from tensh.engine.codegen.mixing import promote
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS
from tensh.engine.core.clock import clock
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture import points
from tensh.engine.dispatch.capture.lines import Line, Value, list_values, map_tensors
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.capture.recorder import Paused, Recorder
from tensh.engine.dispatch.override.points import watch_operator
from tensh.engine.dtypes.dtype import BY_NUMPY


def cast_operands(op, first, second):
    """Cast two tensors of different dtypes to the dtype in which an operator computes."""
    try:
        common = promote(*(np.empty((0,) * t.array.ndim, t.array.dtype) for t in (first, second)), op.name)
    except RuntimeError:  # the operator raises this error itself
        return first, second
    return tuple(
        t if t.array.dtype is each.dtype else t.to(BY_NUMPY[each.dtype])
        for t, each in zip((first, second), common, strict=True)
    )


class GraphRecorder(Recorder):
    """A recorder that notes the elements that Python reads."""

    def __init__(self):
        super().__init__()
        self.reason, self.slopes = None, {}

    def call(self, point, args, options):
        """Cast operands of different dtypes first, because the internal copies of operators are not recorded."""
        op = point.operator
        if point.name == "grad" and op is None and self.reason is None:
            place, _ = find_place()
            self.reason = Break("the gradient of a tensor is read", place)
        if point.function in self.slopes:
            return self.call_slope(point, args, options)
        if op is not None and op.pointwise and len(op.inputs) == 2 and not options and not points.writes(point.name):
            dense = [each for each in args if isinstance(each, Tensor) and type(each.array) is np.ndarray]
            if len(args) == len(dense) == 2 and args[0].dtype is not args[1].dtype:
                args = cast_operands(op, *args)
        return super().call(point, args, options)

    def call_slope(self, point, args, options):
        """Record a primitive of derivatives as one line: see SLOPES."""
        with Paused():
            result = point.twin(*args, **options)
        self.written = clock.last_write  # ignore writes within
        line = Line(point.function, self.slopes[point.function], None, *self.describe(args, options))
        line.result = map_tensors(lambda each: self.add_value(Value(each, line)), result)
        line.outputs = tuple(list_values(line.result))
        self.lines.append(line)
        return result

    def record_slopes(self):
        """Record calls of the primitives that end as in SLOPES from now on."""
        for name, function in list(dict.items(TENSORS)):
            own = name.endswith(SLOPES) and not dict.__contains__(OPS, name) and dict.get(ARRAYS, name) is not function
            if own and type(function) is types.FunctionType:
                self.slopes[function] = name
                watch_operator(function, None)

    def read(self, point, args, result):
        place, _ = find_place()
        if type(result) in (bool, int) and len(args) == 1 and args[0].tensor.array.size == 1:
            if any(line.random or line.writes for line in self.lines):
                self.reason = self.reason or Break(
                    f"{point.name} reads an element after a write or a random draw", place
                )
            line = Line(type(result), READ, None, args, {})
            line.result, line.place = result, place
            self.lines.append(line)
        elif self.reason is None:
            self.reason = Break(f"{point.name} reads the elements of a tensor", place)
