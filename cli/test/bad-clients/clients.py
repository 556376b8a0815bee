"""Clients that each get one thing of a challenge wrong: python3 clients.py <name>"""

import json
import os
import random
import sys
import threading
import time
import uuid
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

URL = os.environ["PETSTORE_URL"]
API_KEY = os.environ["PETSTORE_API_KEY"]


def send(method, target, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    content_type = {} if body is None else {"Content-Type": "application/json"}
    request = Request(URL + target, data, {"X-API-Key": API_KEY, **content_type, **(headers or {})}, method=method)
    try:
        return urlopen(request, timeout=30)
    except HTTPError as error:
        return error


def hand_in(words):
    send("POST", "/categories", {"name": "Result", "description": ",".join(str(word) for word in words)})


def limits_gives_up():
    send("GET", "/pets?limit=100")


def retries_ignores_retry_after():
    names = []
    for pet_id in range(1, 8):
        response = None
        while response is None or response.status == 503:
            try:
                response = send("GET", f"/pets/{pet_id}/profile")
            except (OSError, HTTPException):
                pass
            time.sleep(random.uniform(0.05, 0.5))
        names.append(json.load(response)["name"])
    send("GET", "/pets/999999/profile")
    hand_in(names)


def pages_makes_cursors_up():
    ids = []
    for start in range(0, 45, 5):
        response = send("GET", f"/pets?limit=5&cursor={start}")
        ids += [pet["id"] for pet in json.load(response)] if response.status == 200 else []
    hand_in(ids)


def races_edits_again_without_reading():
    etag = send("GET", "/pets/1/profile").headers["ETag"]
    while send("PATCH", "/pets/1", {"name": "Rex the Second"}, {"If-Match": etag}).status == 412:
        pass


def lost_responses_uses_a_new_key():
    order = {"petId": 23, "quantity": 1, "shipDate": "2030-01-01T00:00:00Z"}
    while True:
        try:
            return send("POST", "/store/orders", order, {"Idempotency-Key": str(uuid.uuid4())})
        except (OSError, HTTPException):
            pass


def events_stops_when_it_breaks():
    names = []
    try:
        for line in send("GET", "/events/stream?type=category.created"):
            if line.startswith(b"data: "):
                names.append(json.loads(line[6:])["data"]["name"])
    except (OSError, HTTPException):
        pass
    hand_in(names)


def webhooks_handles_a_message_twice():
    ids, is_done = [], threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            message_id = self.headers["webhook-id"]
            is_forged = message_id.startswith("forged")
            self.send_response(401 if is_forged else 204)
            self.end_headers()
            if not is_forged:
                ids.append(message_id)
            if len(ids) == 2:
                is_done.set()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    send("POST", "/webhooks", {"url": f"http://127.0.0.1:{server.server_port}/", "events": ["order.placed"]})
    send("POST", "/store/orders", {"petId": 23, "quantity": 1})
    is_done.wait()
    hand_in(ids)


def deprecation_guesses_the_names():
    hand_in(["Rex", "Bella", "Charlie"])


clients = {
    "limits: gives up": limits_gives_up,
    "retries: ignores Retry-After": retries_ignores_retry_after,
    "pages: makes cursors up": pages_makes_cursors_up,
    "races: edits again without reading": races_edits_again_without_reading,
    "lost-responses: uses a new key": lost_responses_uses_a_new_key,
    "events: stops when the stream breaks": events_stops_when_it_breaks,
    "webhooks: handles a message twice": webhooks_handles_a_message_twice,
    "deprecation: guesses the names": deprecation_guesses_the_names,
}
clients[sys.argv[1]]()
