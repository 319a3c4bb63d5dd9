// A producer that speaks CloudEvents, with the library of that project and no SDK of this one.
import { CloudEvent, HTTP } from 'cloudevents'

const url = process.env.RHEO_URL ?? 'http://localhost:8787'

const event = new CloudEvent({
  id: 'order-A-1', // sent again with the same content, it is a duplicate and appends nothing
  source: '/shop',
  time: '2026-03-15T12:00:00Z', // the library would say now, and a repeat would be another event
  type: 'placed',
  subject: 'customer-7', // becomes the key
  data: { order: 'A-1', total: 40 }, // becomes the payload
  correlationid: 'session-12', // is found as correlation_id
})

const { headers, body } = HTTP.structured(event)
const response = await fetch(`${url}/v1/streams/orders/events`, {
  method: 'POST',
  headers: { ...(headers as Record<string, string>), authorization: `Bearer ${process.env.RHEO_TOKEN ?? ''}` },
  body: body as string,
})
console.log(response.status, await response.text())
process.exitCode = response.ok ? 0 : 1
