#!/bin/sh
# curl with --retry, as its manual shows it. It edits without If-Match, as a one-liner does.
set -eu

send() {
  curl --silent --show-error --fail --retry 3 --max-time 5 -H "X-API-Key: $PETSTORE_API_KEY" "$@"
}
json='Content-Type: application/json'
order="{\"petId\":$2,\"quantity\":1}"

case "$1" in
  read) send "$PETSTORE_URL/pets/$2/profile" ;;
  pages)
    next="$PETSTORE_URL/pets?limit=20"
    while [ -n "$next" ]; do
      headers=$(send --dump-header - --output /dev/null "$next")
      next=$(printf '%s' "$headers" | sed -n 's/^[Ll]ink:.*<\([^>]*\)>; rel="next".*/\1/p')
    done
    ;;
  order) send -H "$json" -d "$order" "$PETSTORE_URL/store/orders" ;;
  order-with-key) send -H "$json" -H "Idempotency-Key: order-$$" -d "$order" "$PETSTORE_URL/store/orders" ;;
  edit) send -X PATCH -H "$json" -d '{"name":"Max"}' "$PETSTORE_URL/pets/$2" ;;
  wrong) send "$PETSTORE_URL/pets?limit=0" ;;
esac
