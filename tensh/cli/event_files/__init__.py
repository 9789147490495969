"""`tensh watch`: event files of TensorBoard, read (`reading`) and shown while they grow (`showing`)."""
