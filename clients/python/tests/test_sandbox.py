import json
import os
import subprocess
import sys
from datetime import timedelta
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from petstore_sandbox import SandboxError, find_host, start_sandbox


def send(shop, path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "X-API-Key": shop.api_key, **headers}
    with urlopen(Request(shop.url + path, data, headers)) as response:
        return json.load(response)


def test_a_fault_happens_as_often_as_it_was_set(petstore_sandbox):
    petstore_sandbox.fail("getPetProfile", "unavailable", times=1, retry_after_seconds=3)
    petstore_sandbox.fail(None, "insufficient_stock", path="/store/orders", body={"petId": 23})
    with pytest.raises(HTTPError) as rejection:
        send(petstore_sandbox, "/pets/1/profile")
    assert (rejection.value.code, rejection.value.headers["Retry-After"]) == (503, "3")
    assert send(petstore_sandbox, "/pets/1/profile")["name"] == "Rex"
    with pytest.raises(HTTPError) as rejection:
        send(petstore_sandbox, "/store/orders", {"petId": 23})
    assert json.load(rejection.value)["code"] == "insufficient_stock"
    assert [fault["fault"] for fault in petstore_sandbox.faults()] == ["unavailable", "insufficient_stock"]
    petstore_sandbox.heal()
    assert send(petstore_sandbox, "/store/orders", {"petId": 23})["quantity"] == 1


def test_the_report_judges_what_was_sent(petstore_sandbox):
    send(petstore_sandbox, "/pets/1/profile")
    assert petstore_sandbox.report()["failed"] == []
    with pytest.raises(HTTPError):
        send(petstore_sandbox, f"/categories?api_key={petstore_sandbox.api_key}")
    assert [each["operationId"] for each in petstore_sandbox.requests()] == ["listCategories", "getPetProfile"]
    assert petstore_sandbox.report()["failed"] == ["credentials"]


def test_the_clock_moves_and_stands_still(petstore_sandbox):
    at = petstore_sandbox.freeze()["at"]
    assert petstore_sandbox.advance(timedelta(days=1))["at"] > at
    assert petstore_sandbox.advance(hours=1)["frozen"]


def test_a_seed_gives_the_same_shop_and_a_reset_the_first_state():
    with start_sandbox(seed="my tests", data="empty", lifetime_seconds=60) as shop:
        key = shop.api_key
        assert send(shop, "/pets") == []
        send(shop, "/categories", {"name": "Dogs"})
        shop.reset()
        assert (send(shop, "/categories"), shop.api_key) == ([], key)
        shop.reset(seed="other")
        assert shop.api_key != key
        snapshot = shop.control("POST", "snapshots", {})
        assert shop.control("GET", "snapshots")["data"][0]["id"] == snapshot["id"]
    with pytest.raises(SandboxError, match="404"):
        shop.report()


def test_each_test_has_its_own_shop_of_one_host(petstore_sandbox):
    assert petstore_sandbox.requests() == []
    assert petstore_sandbox.url.startswith(find_host())


def run_alone(code, **env):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True)


def test_the_host_ends_with_the_process_that_started_it():
    alone = run_alone("from petstore_sandbox import find_host; print(find_host())")
    assert (alone.returncode, alone.stderr) == (0, "")
    with pytest.raises(URLError):
        urlopen(alone.stdout.strip())


@pytest.mark.parametrize("name", ["", "petstore"])
def test_what_is_missing_is_said(tmp_path, name):
    if name:
        (tmp_path / name).write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
        (tmp_path / name).chmod(0o755)
    alone = run_alone("import petstore_sandbox; petstore_sandbox.start_sandbox()", PATH=str(tmp_path))
    assert ("ended with 3: broken" if name else "neither `petstore` nor `npx`") in alone.stderr
    assert "PETSTORE_SANDBOX_URL" in alone.stderr


def test_a_host_that_does_not_respond_is_named():
    with pytest.raises(SandboxError, match="No sandbox host responds at http://127.0.0.1:1/sandboxes"):
        start_sandbox(host="http://127.0.0.1:1/")
