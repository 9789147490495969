"""Random files, calls, programs and interruptions: generators, long runs, and tests that run a few."""
