"""Running code and saying what happened, without terminals: no printing, no reading of streams."""
