"""torch.autograd.anomaly_mode: find the operation whose derivative computes nan."""

from tensh.engine.autograd.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
