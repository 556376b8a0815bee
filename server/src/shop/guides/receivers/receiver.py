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
BODY_BYTES_MAX = 1_000_000
inbox = open(os.environ.get("INBOX", "inbox.ndjson"), "a+b")
inbox.seek(0)
# The ids of the events in the inbox: a delivery may be repeated.
stored = {json.loads(line)["id"] for line in inbox}
storing = threading.Lock()


def is_genuine(event_id, timestamp, signatures, body):
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256))
    # Compare bytes: text may only have ASCII characters, and a forged signature may have others.
    return any(hmac.compare_digest(each.encode(), expected) for each in signatures.split(" "))


def store(event_id, body):
    with storing:
        if event_id in stored:
            return
        inbox.write(body + b"\n")
        inbox.flush()
        os.fsync(inbox.fileno())
        stored.add(event_id)
    print(json.loads(body)["type"], event_id, flush=True)


def read_body(headers, stream):
    def take(length):
        if not 0 <= length <= BODY_BYTES_MAX:
            raise ValueError("the body is too large")
        return stream.read(length)

    if headers.get("transfer-encoding", "").lower() != "chunked":
        return take(int(headers.get("content-length", "0")))
    # A proxy may send the body in chunks: each follows a line with its length, and the last one is empty.
    body = b""
    while length := int(stream.readline(100).split(b";")[0], 16):
        body += take(length)
        stream.readline(100)
        if len(body) > BODY_BYTES_MAX:
            raise ValueError("the body is too large")
    return body


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = read_body(self.headers, self.rfile)
        except ValueError:
            return self.response(400)
        # Verify the raw bytes: JSON that is parsed and serialized again may differ.
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
