"""The version of tensh, in a module that loads instantly."""

VERSION = "0.1.0"
