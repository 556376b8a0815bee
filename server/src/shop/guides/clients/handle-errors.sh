# To try again, send the same key.
ORDER_KEY=$(od -An -N8 -tu8 /dev/urandom)
status=$(curl -s --max-time 10 -o result.json -w '%{http_code}' -X POST "$PETSTORE_URL/store/orders" \
  -H "X-API-Key: $PETSTORE_API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $ORDER_KEY" \
  -d '{"petId":1,"quantity":1000}')

case $status in
  2*) jq .id result.json ;;
  *) case $(jq -r .code result.json) in
    insufficient_stock | pet_not_available) echo "out of stock: choose another pet" ;;
    validation_failed) jq -r '.errors[].message' result.json ;;
    rate_limited | quota_exhausted | key_banned) echo "wait for Retry-After" ;;
    *) echo "failed: $(jq -r .message result.json) Request $(jq -r .requestId result.json)" ;;
  esac ;;
esac
