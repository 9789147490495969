"""``__torch_function__``: classes and modes that override public functions."""
