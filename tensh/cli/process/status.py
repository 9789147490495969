"""Exit statuses."""

OK = 0
FAILED = 1  # the code raised
USAGE = 2  # the command line cannot be carried out
DIFFERS = 3  # the output of a document differs from the stored one
NOT_IN_TENSH = 4  # PyTorch has a name that tensh lacks
INTERNAL = 70  # a bug of tensh
UNWRITTEN = 74  # standard output cannot be written: closed, or the disk is full
OUT_OF_TIME = 124
INTERRUPTED = 130
PIPE_CLOSED = 141  # as a shell reports a program ended by a closed pipe
