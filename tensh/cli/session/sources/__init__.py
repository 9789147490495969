"""Sources of code: text split into the units that run one after another."""
