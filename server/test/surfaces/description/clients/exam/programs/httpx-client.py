# httpx, which does not retry, with tenacity as its documentation shows it: any exception, "exponential backoff with jitter".
import os
import sys
import uuid

import httpx
from tenacity import retry, stop_after_attempt, wait_random_exponential

client = httpx.Client(base_url=os.environ["PETSTORE_URL"], headers={"X-API-Key": os.environ["PETSTORE_API_KEY"]})


@retry(stop=stop_after_attempt(5), wait=wait_random_exponential(multiplier=1, max=60))
def send(method, url, **options):
    response = client.request(method, url, **options)
    response.raise_for_status()
    return response


def read(pet_id):
    return send("GET", f"/pets/{pet_id}/profile")


def pages(_):
    url = "/pets?limit=20"
    while url:
        url = send("GET", url).links.get("next", {}).get("url")


def order(pet_id, headers=None):
    send("POST", "/store/orders", json={"petId": int(pet_id), "quantity": 1}, headers=headers)


def order_with_key(pet_id):
    order(pet_id, {"Idempotency-Key": str(uuid.uuid4())})


def edit(pet_id):
    etag = read(pet_id).headers["ETag"]
    send("PATCH", f"/pets/{pet_id}", json={"name": "Max"}, headers={"If-Match": etag})


def wrong(_):
    send("GET", "/pets?limit=0")


calls = {"read": read, "pages": pages, "order": order, "order-with-key": order_with_key, "edit": edit, "wrong": wrong}
calls[sys.argv[1]](sys.argv[2])
