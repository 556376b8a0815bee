# requests, which does not retry; or with the retries of its documentation (Advanced Usage, "Automatic Retries"), which are for
# POST, and here for reads too.
import os
import sys

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

setting, scenario = sys.argv[1:]
url = os.environ["JUDGE_URL"]

session = requests.Session()
if setting == "recommended":
    retries = Retry(
        total=3,
        backoff_factor=0.1,
        status_forcelist=[502, 503, 504],
        allowed_methods=Retry.DEFAULT_ALLOWED_METHODS | {"POST"},
    )
    session.mount("http://", HTTPAdapter(max_retries=retries))


def attempt(send, *words, **options):
    try:
        send(*words, **options)
    except requests.RequestException as error:
        print(error, file=sys.stderr)


if scenario == "lost":
    attempt(session.post, f"{url}/orders", json={"item": 1, "quantity": 1})
else:
    for path in ["/items/1", "/stock/1"]:
        attempt(session.get, f"{url}{path}")
