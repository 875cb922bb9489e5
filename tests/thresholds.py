"""The thresholds of config/config.yaml, for tests that judge without it."""

from fusion.judging import Thresholds

THRESHOLDS = Thresholds(
    confidence=0.95,
    slower=1.10,
    same=0.02,
    max_flagged=0.10,
    min_trials=5,
    min_sample_ms=1,
    max_half_width=0.05,
)
