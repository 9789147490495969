"""The settings of ``torch.__future__`` for the conversion of modules."""

overwrite = False  # are parameters replaced by new ones?
swap = False
