"""Values drawn as curves, histograms, fields of colours and images."""
