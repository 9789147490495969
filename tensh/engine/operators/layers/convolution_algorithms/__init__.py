"""Ways to compute a convolution, of which the sizes of its operands choose one."""
