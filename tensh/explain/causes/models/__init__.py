"""Models that are put together wrongly: their classes, layers, states and checkpoints."""
