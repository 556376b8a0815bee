"""Finds the program that serves sandboxes, or starts it for as long as this process runs."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
from typing import List, Optional

_HOW_TO_START = (
    "Install Node 20 or newer, put the executable `petstore` of a release on the PATH, "
    "or run `petstore sandbox` elsewhere and set PETSTORE_SANDBOX_URL to the URL that it prints."
)
_lock = threading.Lock()
_started: Optional[str] = None


def find_host() -> str:
    """The URL of the host: PETSTORE_SANDBOX_URL, or that of a host which this process starts once."""
    global _started
    known = os.environ.get("PETSTORE_SANDBOX_URL")
    if known:
        return known.rstrip("/")
    with _lock:
        if _started is None:
            _started = _start(_program())
        return _started


def _program() -> List[str]:
    """The executable on the PATH, or the npm package, which npx downloads the first time."""
    program = shutil.which("petstore")
    if program:
        return [program]
    npx = shutil.which("npx")
    if npx:
        return [npx, "--yes", "@petstore/cli@1"]
    raise RuntimeError(f"There is neither `petstore` nor `npx` on the PATH. {_HOW_TO_START}")


def _start(program: List[str]) -> str:
    with tempfile.TemporaryFile() as messages:
        child = subprocess.Popen(
            [*program, "sandbox", "--port", "0", "--json", "--with-parent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
        )
        for line in child.stdout:
            if line.startswith(b"{"):
                # The host ends when its input does, however this process ends. This gives it the time to remove its files.
                atexit.register(child.communicate, timeout=30)
                return json.loads(line)["url"]
        child.communicate()
        messages.seek(0)
        said = messages.read().decode(errors="replace").strip()[-2000:]
    raise RuntimeError(f"{' '.join(program)} sandbox ended with {child.returncode}: {said}\n{_HOW_TO_START}")
