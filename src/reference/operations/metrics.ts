import { limits } from '../../core/limits.ts'
import type { Operations } from '../operation.ts'
import { text } from '../values.ts'

const names = { type: 'array', items: { type: 'string', pattern: '^(\\*|[A-Za-z0-9][A-Za-z0-9._-]*\\*?)$' } }

export const metricsOperations: Operations = {
  'GET /v1/metrics': {
    id: 'getMetrics',
    tag: 'System',
    summary: 'Scrape metrics',
    description:
      'High watermarks, frontiers, lag, leases, dead letters and sizes of the streams that the token covers, in the text format of Prometheus.',
    query: {
      stream: [
        'Only this stream, or those whose names begin so, with `*` at the end. May be given several times.',
        { ...names, maxItems: limits.scrapeStreams },
      ],
    },
    answers: {
      200: {
        description: 'The metrics.',
        content: { 'text/plain': { ...text, description: 'A sample a line.' } },
      },
    },
    codes: ['stream_not_found', 'invalid_name'],
    examples: [{ title: 'All', status: 200 }],
    sdk: null,
  },
}
