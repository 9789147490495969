"""Element types, devices and layouts."""
