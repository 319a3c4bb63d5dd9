/** Where the lines go; set it with `npx wrangler secret put SINK_URL`. */
interface Env {
  readonly SINK_URL: string
}

/** A Tail Worker that sends everything that Rheo Edge publishes to a collector, one JSON object a line. */
export default {
  async tail(traces: readonly TraceItem[], { SINK_URL }: Env): Promise<void> {
    const lines = traces.flatMap(({ diagnosticsChannelEvents }) =>
      diagnosticsChannelEvents
        .filter(({ channel }) => channel.startsWith('rheo.'))
        .map(({ timestamp, message }) => JSON.stringify({ timestamp, ...message })),
    )
    if (lines.length === 0) return
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const response = await fetch(SINK_URL, { method: 'POST', headers, body: `${lines.join('\n')}\n` })
    if (!response.ok) console.error(`the collector answered ${response.status}; ${lines.length} events are lost`)
  },
}
