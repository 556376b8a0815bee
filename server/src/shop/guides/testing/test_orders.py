import json
import os
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

HOST = os.environ.get("PETSTORE_SANDBOX_URL", "http://127.0.0.1:8090")


def call(method, url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **headers}
    with urlopen(Request(url, data, headers, method=method)) as response:
        text = response.read()
        return json.loads(text) if text else None


@pytest.fixture
def shop():
    try:
        sandbox = call("POST", f"{HOST}/sandboxes", {"seed": "my tests"})
    except URLError as error:
        pytest.exit(f"No sandbox at {HOST}: {error.reason}. Run `petstore sandbox`, or set PETSTORE_SANDBOX_URL.", 1)
    yield sandbox
    call("DELETE", f"{HOST}/sandboxes/{sandbox['id']}")


def test_a_sold_out_pet_is_rejected(shop):
    faults = {"rules": [{"operation": "placeOrder", "fault": "insufficient_stock", "times": 1}]}
    call("PUT", f"{shop['url']}/_sandbox/faults", faults)
    key = {"X-API-Key": shop["apiKey"], "Idempotency-Key": "order-1"}
    with pytest.raises(HTTPError) as rejection:
        call("POST", f"{shop['url']}/store/orders", {"petId": 23}, **key)
    assert json.load(rejection.value)["code"] == "insufficient_stock"


def test_the_report_knows_what_was_sent(shop):
    call("GET", f"{shop['url']}/pets/1/profile", **{"X-API-Key": shop["apiKey"]})
    requests = call("GET", f"{shop['url']}/_sandbox/requests")["data"]
    assert [request["operationId"] for request in requests] == ["getPetProfile"]
    assert call("GET", f"{shop['url']}/_sandbox/report")["failed"] == []
