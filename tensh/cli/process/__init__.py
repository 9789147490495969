"""The process around a command: streams, signals, folders, exit statuses, faults of tensh itself."""
