#!/usr/bin/env bash
# The life of some events by curl alone: bash examples/walkthrough.sh [URL of the server]
set -euo pipefail

api=${1:-http://localhost:8787}/v1/streams
stream=$api/walkthrough-$RANDOM$RANDOM
group=$stream/groups/billing

call() { # call NAME curl-arguments…
  printf '\n# %s\n' "$1"
  curl -sS --fail-with-body -H 'content-type: application/json' "${@:2}"
  echo
}
field() { grep -o "\"$1\":\"[^\"]*\"" | cut -d'"' -f4; }

call 'a stream of two partitions' "$api" -d "{\"name\": \"${stream##*/}\", \"partitionCount\": 2}"
call 'three events; equal keys share a partition' "$stream/events" -d '{"events": [
  {"type": "placed", "key": "customer-7", "payload": {"order": "A-1", "total": 40}},
  {"type": "placed", "key": "customer-8", "payload": {"order": "A-2", "total": 80}},
  {"type": "paid", "key": "customer-7", "payload": {"order": "A-1"}}]}'
call 'a group' "$stream/groups" -d '{"name": "billing", "maxAttempts": 2}'

leased=$(curl -sS --fail-with-body "$group/fetch" -H 'content-type: application/json' -d '{"limit": 3, "consumerId": "me"}')
mapfile -t leases < <(field leaseId <<< "$leased")
call 'the first is done' "$group/ack" -d "{\"leaseId\": \"${leases[0]}\"}"
call 'the second is to be tried again' "$group/nack" -d "{\"leaseId\": \"${leases[1]}\", \"reason\": \"the bank is closed\"}"
call 'the third can never succeed' "$group/reject" -d "{\"leaseId\": \"${leases[2]}\", \"reason\": \"no such order\"}"

call 'what holds the frontier back' "$group/holes"
call 'what was given up' "$group/dead-letters"
call 'another chance for it' "$group/dead-letters/redrive" -d '{"all": true}'
call 'everything about one order, whatever became of it' "$stream/query" -d '{"where": {"order": "A-1"}}'
call 'all of customer-7 again' "$group/replay" -d '{"query": {"where": {"key": "customer-7"}}}'
call 'what is left to do' "$group/lag"
call 'and gone' -X DELETE "$stream?confirm=true"
