import json
import os
import random
import time
import uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TRIES_MAX = 5
TIMEOUT_SECONDS = 10
LONGEST_WAIT_SECONDS = 60
FIRST_BOUND_SECONDS = 0.25

def send(method, path, body, idempotency_key):
    headers = {
        "X-API-Key": os.environ["PETSTORE_API_KEY"],
        "Idempotency-Key": idempotency_key,
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    try:
        response = urlopen(
            Request(os.environ["PETSTORE_URL"] + path, data, headers, method=method),
            timeout=TIMEOUT_SECONDS,
        )
    except HTTPError as error:
        response = error
    with response:
        text = response.read()
        return response.status, response.headers, None if response.status == 204 else json.loads(text)

def request(method, path, body=None):
    idempotency_key = str(uuid.uuid4())
    for attempt in range(TRIES_MAX):
        try:
            status, headers, result = send(method, path, body, idempotency_key)
        except (OSError, HTTPException, ValueError) as error:
            # No response, or half of one.
            problem, wait = str(error), 0
        else:
            if status < 400:
                return result
            problem = f"{result['code']}: {result['message']}"
            if status not in (429, 500, 503) and result["code"] != "idempotency_in_progress":
                break
            wait = int(headers["Retry-After"] or 0)
        if wait > LONGEST_WAIT_SECONDS or attempt + 1 == TRIES_MAX:
            break
        # Full jitter on top of what the service asks for.
        time.sleep(wait + random.uniform(0, FIRST_BOUND_SECONDS * 2**attempt))
    raise SystemExit(problem)

print(json.dumps(request("POST", "/pets", {"name": "Bess", "categoryId": 1}), indent=2))
