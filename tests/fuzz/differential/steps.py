"""Programs as data: steps of Python code, and their run on a module."""

import re
import warnings
from dataclasses import dataclass, replace

ASSIGNMENT = re.compile(r" ([-+*/%&|^@]|//|\*\*)?= ")


@dataclass(frozen=True)
class Step:
    """One line: an expression or statement, the names of its results, and its line in the grammar."""

    text: str
    targets: tuple = ()
    template: str = ""
    recording: bool = True
    fails: bool = False

    @property
    def statement(self):
        return ASSIGNMENT.search(self.text.partition("(")[0]) is not None or bool(
            re.match(r"\w+\[.*\] [-+*/]?= ", self.text)
        )

    def __str__(self):
        targets = "".join(f"{name}, " for name in self.targets[:-1]) + "".join(self.targets[-1:])
        line = f"{targets} = {self.text}" if targets else self.text
        line = line if self.recording else f"with torch.no_grad(): {line}"
        return f"try:\n    {line}\nexcept Exception as error:\n    print(type(error), error)" if self.fails else line


@dataclass(frozen=True)
class Program:
    """Steps in order."""

    steps: tuple

    def __str__(self):
        return "\n".join(["import torch", *map(str, self.steps)])

    __repr__ = __str__

    def _repr_pretty_(self, printer, cycle):
        printer.text(f"\n{self}\n")

    def without(self, number):
        return Program(self.steps[:number] + self.steps[number + 1 :])


class World:
    """The state of a program on one module."""

    def __init__(self, module):
        self.module, self.names, self.versions = module, {"torch": module}, {}

    @property
    def tensors(self):
        return {name: value for name, value in self.names.items() if isinstance(value, self.module.Tensor)}

    def take(self, step):
        """Run a step and return its value (None for a statement); bind its targets if there are as many values."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not step.recording:
                with self.module.no_grad():
                    return self.take(replace(step, recording=True))
            if step.statement:
                exec(step.text, self.names)
                return None
            self.value = value = eval(step.text, self.names)
        self.bind(step.targets, value)
        return value

    def bind(self, targets, value):
        if len(targets) == 1:
            self.names[targets[0]] = value
        elif isinstance(value, (tuple, list)) and len(value) == len(targets):
            self.names.update(zip(targets, value))
