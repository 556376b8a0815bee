#!/bin/sh
# curl, which does not retry; or with --retry, as its manual shows it. The manual warns of --retry-all-errors: it may send data twice.
set -u
# With --output /dev/null, it could not start again: it would have to truncate that.
exec >/dev/null

setting=$1
scenario=$2

send() {
  if [ "$setting" = recommended ]; then
    curl --silent --show-error --retry 7 "$@"
  else
    curl --silent --show-error "$@"
  fi
}

if [ "$scenario" = lost ]; then
  send -H 'Content-Type: application/json' -d '{"item":1,"quantity":1}' "$JUDGE_URL/orders"
else
  send "$JUDGE_URL/items/1"
  send "$JUDGE_URL/stock/1"
fi
