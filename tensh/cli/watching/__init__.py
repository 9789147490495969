"""`tensh watch` and `%watch`: reading event files (`event_files`) and sweeps (`sweeps`), layout (`page`), following (`showing`)."""
