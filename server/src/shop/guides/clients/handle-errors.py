import json
import os
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def place_order(order, idempotency_key):
    headers = {
        "X-API-Key": os.environ["PETSTORE_API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key,
    }
    url = os.environ["PETSTORE_URL"] + "/store/orders"
    try:
        with urlopen(Request(url, json.dumps(order).encode(), headers), timeout=10) as response:
            return f"order {json.load(response)['id']}"
    except HTTPError as error:
        result = json.load(error)
        if result["code"] in ("insufficient_stock", "pet_not_available"):
            return "out of stock: choose another pet"
        if result["code"] == "validation_failed":
            return "\n".join(f"{each['path']} {each['message']}" for each in result["errors"])
        if error.code == 429:
            return f"wait for {error.headers['Retry-After']} seconds"
        raise SystemExit(f"{result['code']}: {result['message']} Request {result['requestId']}")


# To try again, send the same key.
key = str(uuid.uuid4())
print(place_order({"petId": 1, "quantity": 1000}, key))
