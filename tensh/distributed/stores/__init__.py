"""Key-value stores, through which processes find each other: in memory, in a file, and over TCP."""
