import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
# Without a secret, anyone could sign.
if len(SECRET) < 24:
    sys.exit("Set WEBHOOK_SECRET to the secret of your webhook, whsec_…")
TOLERANCE_SECONDS = 5 * 60
inbox = open(os.environ.get("INBOX", "inbox.ndjson"), "a+b")
inbox.seek(0)
# The ids of the events in the inbox: a delivery may be repeated.
stored = {json.loads(line)["id"] for line in inbox}
storing = threading.Lock()


def is_genuine(event_id, timestamp, signatures, body):
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    return any(hmac.compare_digest(each.removeprefix("v1,"), expected) for each in signatures.split(" "))


def store(event_id, body):
    with storing:
        if event_id in stored:
            return
        inbox.write(body + b"\n")
        inbox.flush()
        os.fsync(inbox.fileno())
        stored.add(event_id)
    print(json.loads(body)["type"], event_id, flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # Verify the raw bytes: JSON that is parsed and serialized again may differ.
        body = self.rfile.read(int(self.headers["content-length"]))
        event_id = self.headers.get("webhook-id", "")
        timestamp = self.headers.get("webhook-timestamp", "")
        if not is_genuine(event_id, timestamp, self.headers.get("webhook-signature", ""), body):
            print("rejected", flush=True)
            return self.response(400)
        # Store first, then respond: after a 2xx the event is not sent again. Process the inbox elsewhere, at its own pace.
        store(event_id, body)
        self.response(204)

    def response(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
