"""Private shops of the Pet Store service, to test API clients against."""

from .host import find_host
from .sandbox import Sandbox, SandboxError, start_sandbox

__all__ = ["Sandbox", "SandboxError", "find_host", "start_sandbox"]
__version__ = "1.0.0"
