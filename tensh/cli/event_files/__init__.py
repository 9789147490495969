"""`tensh watch` and `%watch`: TensorBoard event files: reading (`reading`), layout (`page`), following (`showing`)."""
