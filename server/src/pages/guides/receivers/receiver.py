import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 5 * 60
# The ids of processed events. Keep them in your database instead, in the transaction that does the work.
done = set()


def is_genuine(event_id, timestamp, signatures, body):
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    return any(hmac.compare_digest(each.removeprefix("v1,"), expected) for each in signatures.split(" "))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # Verify the raw bytes: JSON that is parsed and serialized again may differ.
        body = self.rfile.read(int(self.headers["content-length"]))
        event_id = self.headers.get("webhook-id", "")
        timestamp = self.headers.get("webhook-timestamp", "")
        if not is_genuine(event_id, timestamp, self.headers.get("webhook-signature", ""), body):
            print("refused", flush=True)
            self.answer(400)
            return
        # Respond first, work afterwards: a response that takes longer than 15 seconds is a failure.
        self.answer(204)
        if event_id in done:
            return
        done.add(event_id)
        event = json.loads(body)
        print(event["type"], event["id"], flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
