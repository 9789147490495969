"""`tensh watch` and `%watch`: event files of TensorBoard, read (`reading`), as a page (`page`) and shown while they grow (`showing`)."""
