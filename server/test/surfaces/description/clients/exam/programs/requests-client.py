# requests, with the retries of its documentation (Advanced Usage, "Automatic Retries"), which name POST, added to urllib3's methods.
import os
import sys
import uuid

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

URL = os.environ["PETSTORE_URL"]
TIMEOUT_SECONDS = 5

session = requests.Session()
session.headers["X-API-Key"] = os.environ["PETSTORE_API_KEY"]
retries = Retry(
    total=3,
    backoff_factor=0.1,
    status_forcelist=[502, 503, 504],
    allowed_methods=Retry.DEFAULT_ALLOWED_METHODS | {"POST"},
)
session.mount("http://", HTTPAdapter(max_retries=retries))


def send(method, url, **options):
    response = session.request(method, url, timeout=TIMEOUT_SECONDS, **options)
    response.raise_for_status()
    return response


def read(pet_id):
    return send("GET", f"{URL}/pets/{pet_id}/profile")


def pages(_):
    url = f"{URL}/pets?limit=20"
    while url:
        url = send("GET", url).links.get("next", {}).get("url")


def order(pet_id, headers=None):
    send("POST", f"{URL}/store/orders", json={"petId": int(pet_id), "quantity": 1}, headers=headers)


def order_with_key(pet_id):
    order(pet_id, {"Idempotency-Key": str(uuid.uuid4())})


def edit(pet_id):
    etag = read(pet_id).headers["ETag"]
    send("PATCH", f"{URL}/pets/{pet_id}", json={"name": "Max"}, headers={"If-Match": etag})


def wrong(_):
    send("GET", f"{URL}/pets?limit=0")


calls = {"read": read, "pages": pages, "order": order, "order-with-key": order_with_key, "edit": edit, "wrong": wrong}
calls[sys.argv[1]](sys.argv[2])
