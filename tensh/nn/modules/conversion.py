"""What ``torch.__future__`` sets for the conversion of modules."""

overwrite = False  # are parameters replaced by new ones?
swap = False
