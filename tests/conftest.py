"""Property tests draw the same examples each time, and no clock decides: a test that fails now fails for everybody."""

from hypothesis import HealthCheck, settings

settings.register_profile("same each time", derandomize=True, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same each time")
