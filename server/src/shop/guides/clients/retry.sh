# request [curl options] <url>: prints the response; fails if there is none, or if it is an error
request() {
  key=$(od -An -N8 -tu8 /dev/urandom)
  for bound in 0.25 0.5 1 2 stop; do
    : > headers.txt > body.json
    status=$(curl -s --max-time 10 -D headers.txt -o body.json -w '%{http_code}' \
      -H "X-API-Key: $PETSTORE_API_KEY" -H "Content-Type: application/json" -H "Idempotency-Key: $key" "$@") || status=none
    case $status in
      2*) cat body.json; return ;;
      429 | 500 | 503 | none) ;;
      *) grep -q '"idempotency_in_progress"' body.json || break ;;
    esac
    wait=$(grep -i '^retry-after:' headers.txt | tr -dc '0-9')
    if [ "$bound" = stop ] || [ "${wait:-0}" -gt 60 ]; then break; fi
    # Full jitter on top of what the service asks for.
    sleep "$(awk -v wait="${wait:-0}" -v bound="$bound" -v seed="$(od -An -N3 -tu4 /dev/urandom)" \
      'BEGIN { srand(seed); print wait + rand() * bound }')"
  done
  if [ "$status" = none ]; then echo "no response from $PETSTORE_URL" >&2; else cat body.json >&2; fi
  return 1
}

request "$PETSTORE_URL/pets" -d '{"name":"Bess","categoryId":1}' | jq
