"""Tasks in a script: ``torch.jit.fork`` has what it calls as a separate block, whose result ``wait`` gives."""

from tensh.futures import Future
from tensh.jit.language.types import origin_of
from tensh.jit.scripting.graphs.blocks import Block, Line, ScriptValue

__all__ = ["Forks", "result_of_task"]


def result_of_task(kind):
    """Return the type of what a task gives; None for the types of other values."""
    return kind.__args__[0] if origin_of(kind) is Future else None


class Forks:
    """The part of the compiler that compiles tasks."""

    def fork(self, node):
        """Emit a task: a line with a block of the one call."""
        called, *args = node.args
        function = self.expression(called)
        args, options = [self.value(each) for each in args], {each.arg: self.option(each) for each in node.keywords}
        line, outer = Line(self.block, "prim::fork", [], self.source.place(node)), self.block
        self.block = Block(line)
        line.within.append(self.block)
        made = self.call_found(function, args, options, node)
        self.block.left, self.block = [made], outer
        outer.lines.append(line)
        line.given.append(ScriptValue(f"%{self.number()}", Future[made.value_kind], line))
        return line.given[0]

    def wait(self, future, node):
        """Emit the wait for the result of a task."""
        kind = result_of_task(future.value_kind)
        if kind is None:
            self.source.refuse(node, f"a value of type {self.text_of(future)} is no task")
        return self.emit("aten::wait", [future], [kind], node)
