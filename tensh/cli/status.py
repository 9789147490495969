"""Exit statuses."""

OK = 0
FAILED = 1  # the code raised
USAGE = 2  # the command line asks for something that cannot be done
DIFFERS = 3  # what a document shows is not what is stored in it
NOT_IN_TENSH = 4  # PyTorch has a name that tensh lacks
INTERNAL = 70  # a fault of tensh itself
UNWRITTEN = 74  # standard output cannot be written: the disk is full, or it is closed
OUT_OF_TIME = 124
INTERRUPTED = 130
PIPE_CLOSED = 141  # what a shell reports of a program that a closed pipe ended
