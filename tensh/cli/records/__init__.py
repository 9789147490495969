"""The records of a run with `--json`: one JSON object a line on stdout, and nothing else there.

Every object has "v", the version of this description, and "kind". The version grows when a field changes its meaning or
goes; new fields and kinds may come without it. Where something is, it is told by "file" (as the command line names it;
"-c" and "stdin" without a file), in a notebook and in Markdown "cell", and "line", both counted from 1.

kind "value": a bare expression gave something to show
    expr            the code of the expression
    and the fields of its value, see below

kind "text": what the code, or a command such as %who, has written to stdout
    text            joined together, these are all that was written

kind "warning": Python's warnings
    category, message

kind "note": what a learner should know, once for each "about", without --quiet
    about           "accumulated": .grad is the sum of several backward passes; "non-leaf": .grad of what was computed;
                    of losses "broadcast", "twice", "logarithms", "probabilities", "scores", "one class", "kept"; of steps
                    "zeroed", "other parameters", "no backward"; of modes "evaluation mode", "training mode", "dropout"
    message, advice what it is, and what to do
    col, end_line, end_col
                    where the piece of code is that it is about

kind "error": a statement raised; ^C and the time limit are errors too
    type, message   as Python names and words it
    col             where the failing piece of code begins, in characters from 0
    end_line        where it ends, and in the last of its lines
    end_col         the first character behind it; null where this is not known
    op              the operation of the engine that failed, such as "@"; null where there is nothing to explain
    operands        [{"name", "shape", "dtype"}]: what it was given, or which arrays the failing piece of code names
    locals          [{"name", "shape", "dtype"}]: the other arrays among the local names of the function
    rule            what the operands should have been
    fits            [{"code", "result"}]: code that works instead, tried on shapes, and the shapes that come of it
    advice          what else can be done
    then            what of the rest of the statement would fail next
    made            [{"name", "line"}]: where operands got their values, if it is certain and not beside the failing line
    loop            {"line", "iteration"}: the loop around the failing line and its turn, if they are certain; or null
    suggestion      a name that may have been meant
    notes           what `add_note` has added
    frames          [{"file", "line", "col", "end_line", "end_col", "function", "code"}]: from the failing line outwards
    cause           the error before this one with the same fields from type to cause, or null
    reason          "caused by" or "while handling": how the cause led to this error
    expected        whether the cell of a notebook says that it raises
    traceback       Python's own text, with --traceback full

Of a text with more than 10,000 characters in an error, a warning or a note the middle is left out, and the text says how
many characters that are. With `--json=full` it is whole.

kind "unraised": an exception of a thread or a destructor, which stops nothing; the fields of an error from type to reason
    within          the thread or the function

kind "notice": an answer of a command such as %time, or, without --quiet, that something was passed over
    text

kind "code": with --echo all, a statement before it runs
    code

kind "time": with --time, how long a statement took
    code, seconds

kind "end": the last line of a run
    status          "ok", "failed", "timeout" or "interrupted"
    exit            the exit status of the process
    seconds, values how long it took, and how many values there were

A value has "type":

    "tensor"        "shape", "dtype", "requires_grad", "is_leaf", "grad_fn" (a name or null), "data"
    "array"         an array or a number of NumPy's: "shape", "dtype", "data"
    "bool" "int" "float" "complex" "str" "none"
                    "data"
    "list" "tuple" "set" "frozenset"
                    "data": the items, in a list; "fields": the names of the items of a named tuple
    "dict"          "data": an object if all keys are strings, else a list of [key, value]
    any other name  that of its class: "repr", its text

Numbers in "data" are exact. A whole number with more digits than Python writes is a text, hexadecimal as "0x1f". NaN and the infinities are "nan", "inf" and "-inf", a complex number is [real, imaginary],
a tensor the lists that `tolist` gives. Items of containers are written as they are if JSON has them (null, booleans,
whole numbers, finite numbers, strings, and lists); any other item is an object with "type".

A tensor of more than 1,000 values, and a container of more items, has "data": null and "truncated": true; a tensor also
"stats": "min", "max", "mean", "std" (of the finite values; of complex numbers their absolute values), "zeros", "nan",
"inf", which count. So has a value whose containers lie too deep one inside the other, or double and double; it has a
"repr", the beginning of its text. With `--json=full` everything is written. A subclass of a container has "class", its name.
"""

VERSION = 1
