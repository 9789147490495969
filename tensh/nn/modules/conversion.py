"""The settings of ``torch.__future__`` for the conversion of modules."""

overwrite = False  # whether conversion replaces parameters by new ones
swap = False
