"""`tensh watch` and `%watch`: event files (`event_files`) and sweeps (`sweeps`) as a `page`, redrawn by `showing`."""
