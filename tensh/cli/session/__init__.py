"""Running code and reporting events, independent of terminals: no printing, no reading of streams."""
