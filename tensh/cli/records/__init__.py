"""The records of a run with `--json`: one JSON object per line, which are the only output on stdout.

Every object has "v", the version of this format, and "kind". The version grows when a field changes its meaning or is
removed; new fields and kinds may be added without it. A location is given by "file" (as on the command line; "-c" and
"stdin" without a file), in notebooks and Markdown "cell", and "line", both counted from 1.

kind "value": the value of a bare expression
    expr            the code of the expression
    and the fields of its value, see below

kind "text": output of the code, or of a command such as %who, to stdout
    text            joined together, these are the whole output

kind "warning": Python's warnings
    category, message

kind "note": a hint for learners, once for each "about", without --quiet
    about           "accumulated": .grad is the sum of several backward passes; "non-leaf": .grad of a computed tensor;
                    of losses "broadcast", "twice", "logarithms", "probabilities", "scores", "one class", "kept"; of steps
                    "zeroed", "other parameters", "no backward"; of modes "evaluation mode", "training mode", "dropout"
    message, advice what happened, and what to do
    col, end_line, end_col
                    the location of the code it refers to

kind "error": a statement raised; ^C and the time limit are errors too
    type, message   the name and the message of Python's exception
    col             where the failing code begins, in characters from 0
    end_line        the last line of the failing code
    end_col         the first character after it, in that line; null if unknown
    op              the operation of the engine that failed, such as "@"; null without an explanation
    operands        [{"name", "shape", "dtype"}]: its operands, else the arrays that the failing code names
    locals          [{"name", "shape", "dtype"}]: the other arrays among the local names of the function
    rule            the condition that the operands did not meet
    fits            [{"code", "result"}]: code that would work, tried on shapes, and the resulting shapes
    advice          another remedy
    then            the part of the statement that would fail next
    made            [{"name", "line"}]: where operands were assigned, if that is certain and not next to the failing line
    loop            {"line", "iteration"}: the loop around the failing line and its iteration, if certain; else null
    suggestion      a name that may have been meant
    notes           the texts added by `add_note`
    frames          [{"file", "line", "col", "end_line", "end_col", "function", "code"}]: from the failing line outwards
    cause           the error that led to this one, with the same fields from type to cause; or null
    reason          "caused by" or "while handling": how the cause led to this error
    expected        whether the cell of a notebook declares that it raises
    traceback       Python's traceback, with --traceback full

A text of more than 10,000 characters in an error, a warning or a note is shortened in the middle, with the number of
omitted characters. `--json=full` keeps it whole.

kind "unraised": an exception of a thread or a destructor, which stops nothing; the fields of an error from type to reason
    within          the thread or the function

kind "notice": the answer of a command such as %time, or, without --quiet, that something was skipped
    text

kind "code": with --echo all, a statement before it runs
    code

kind "time": with --time, how long a statement took
    code, seconds

kind "end": the last line of a run
    status          "ok", "failed", "timeout" or "interrupted"
    exit            the exit status of the process
    seconds, values the duration, and the number of values

A value has "type":

    "tensor"        "shape", "dtype", "requires_grad", "is_leaf", "grad_fn" (a name or null), "data"
    "array"         a NumPy array or scalar: "shape", "dtype", "data"
    "bool" "int" "float" "complex" "str" "none"
                    "data"
    "list" "tuple" "set" "frozenset"
                    "data": a list of the items; "fields": the field names of a named tuple
    "dict"          "data": an object if all keys are strings, else a list of [key, value]
    any other name  the name of its class: "repr"

Numbers in "data" are exact. An integer with more digits than Python writes is a hexadecimal string such as "0x1f". NaN
and the infinities are "nan", "inf" and "-inf", a complex number is [real, imaginary], a tensor is written as `tolist`
returns it. Items of containers that JSON can express (null, booleans, integers, finite numbers, strings, and lists) are
written as they are; any other item is an object with "type".

A tensor of more than 1,000 values, or a container of more items, has "data": null and "truncated": true; a tensor also has
"stats": "min", "max", "mean", "std" (of the finite values; of the absolute values of complex numbers), and the counts
"zeros", "nan" and "inf". Containers nested too deeply, or that share items exponentially, are truncated, too, and have a
"repr", the beginning of their text. `--json=full` writes everything. A subclass of a container has "class", its name.
"""

VERSION = 1
