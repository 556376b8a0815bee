"""A private shop with its own data, clock and faults, which records and judges what it receives."""

import json
import os
from datetime import timedelta
from typing import Any, Dict, List, Optional
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from .host import find_host


class SandboxError(Exception):
    """The host rejected a call, or did not respond."""


def start_sandbox(host: Optional[str] = None, **options: Any) -> "Sandbox":
    """Creates a sandbox. Options are `seed`, `data` ("sample" or "empty"), `name`, `lifetime_seconds` and `redact`."""
    url = (host or find_host()).rstrip("/")
    return Sandbox(url, _call("POST", f"{url}/sandboxes", _in_json(options)))


class Sandbox:
    """Use it in `with`, or end it with `end()`; otherwise it ends with its host or after its lifetime."""

    def __init__(self, host: str, created: Dict[str, Any]) -> None:
        self.id: str = created["id"]
        #: The base address of the shop.
        self.url: str = created["url"]
        self._host = host
        self._show(created)

    def _show(self, created: Dict[str, Any]) -> None:
        #: Its administrator key. A reset with another seed changes it.
        self.api_key: str = created["apiKey"]
        self.seed: str = created["seed"]

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def fail(self, operation: Optional[str], fault: str, **rule: Any) -> None:
        """Lets an operation fail, or every one if it is None: `fail("placeOrder", "unavailable", times=2)`.

        `fault` is an error code, "cut", "cut_after", "cut_body", "slow" or "slow_before". The rule may also have
        `method`, `path`, `header`, `body`, `nth`, `times`, `rate`, `latency_ms`, `retry_after_seconds` and
        `retry_after_date`. It is added to those that are set.
        """
        # Rules that are used up would fill the list.
        left = [each for each in self.faults() if each.get("times") != 0]
        where = {} if operation is None else {"operation": operation}
        self.control("PUT", "faults", {"rules": [*left, {**where, "fault": fault, **_in_json(rule)}]})

    def faults(self) -> List[Dict[str, Any]]:
        """The faults that are set, with how often each will still apply."""
        return self.control("GET", "faults")["rules"]

    def heal(self) -> None:
        """Removes all faults."""
        self.control("PUT", "faults", {"rules": []})

    def advance(self, by: Optional[timedelta] = None, **duration: float) -> Dict[str, Any]:
        """Moves the clock ahead, by a timedelta or as in `advance(hours=2)`: windows roll, keys expire."""
        seconds = (by or timedelta(**duration)).total_seconds()
        return self.control("PUT", "clock", {"advanceSeconds": seconds})

    def freeze(self, frozen: bool = True) -> Dict[str, Any]:
        """Stops the clock; `freeze(False)` lets it run again."""
        return self.control("PUT", "clock", {"frozen": frozen})

    def requests(self) -> List[Dict[str, Any]]:
        """What the shop received, newest first."""
        return self.control("GET", "requests")["data"]

    def report(self) -> Dict[str, Any]:
        """How the client has behaved so far. `failed` has the names of the rules that it broke."""
        return self.control("GET", "report")

    def reset(self, **options: Any) -> None:
        """Restores the initial state, with the same or another `seed` and `data`."""
        self._show(self.control("POST", "reset", _in_json(options)))

    def end(self) -> None:
        """Ends the sandbox, with all of its data."""
        _call("DELETE", f"{self._host}/sandboxes/{self.id}")

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Any other call under `/_sandbox`, such as `control("POST", "snapshots", {})`."""
        return _call(method, f"{self.url}/_sandbox/{path}", body)


def _in_json(options: Dict[str, Any]) -> Dict[str, Any]:
    """Python's names as the host writes them: `latency_ms` is `latencyMs`."""

    def name(key: str) -> str:
        first, *rest = key.split("_")
        return first + "".join(word.capitalize() for word in rest)

    return {name(key): value for key, value in options.items()}


class _NoRedirects(HTTPRedirectHandler):
    """The key is for the host only."""

    def redirect_request(self, *_: Any) -> None:
        return None


# Most hosts are on this machine, where no proxy reaches them.
_open = build_opener(ProxyHandler({}), _NoRedirects()).open


def _call(method: str, url: str, body: Any = None) -> Any:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    key = os.environ.get("PETSTORE_SANDBOX_KEY")
    if key:
        headers["X-API-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    try:
        with _open(Request(url, data, headers, method=method)) as response:
            text = response.read()
    except HTTPError as error:
        raise SandboxError(f"The sandbox host rejected {method} {url}: {error.code} {error.read().decode()}") from None
    except OSError as error:
        raise SandboxError(f"No sandbox host responds at {url}: {error}") from None
    return json.loads(text) if text else None
