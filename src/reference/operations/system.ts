import { limits } from '../../core/limits.ts'
import { json, type Operations } from '../operation.ts'
import { answer, say } from '../schema.ts'
import { flag, text } from '../values.ts'

const guarantees = answer({
  durable: say(flag, 'Acknowledged writes survive the process.'),
  distributed: say(flag, 'Partitions live in objects of their own, spread over machines.'),
  atLeastOnce: say(flag, 'Every event is delivered at least once.'),
  leaseFencing: say(flag, 'A lease that has ended settles nothing.'),
  partitions: say(flag, 'Streams have partitions.'),
  contiguousFrontier: say(flag, 'The frontier never passes a hole.'),
  replay: say(flag, 'A group can be given its history again.'),
})

const mechanisms = answer({
  storage: say(text, 'Where partitions keep their rows.'),
  routing: say(text, 'How a key finds its partition.'),
  search: say(text, 'How events are found.'),
  waiting: say(text, 'How a fetch waits.'),
  auth: say(text, 'Who may call: `token` or `open`.'),
  testClock: say(flag, 'Whether callers may set the clock by `Rheo-Now`.'),
})

const bounds = answer(
  Object.fromEntries(
    Object.keys(limits).map((name) => [name, say({ type: 'integer', minimum: 1 }, `The limit \`${name}\`.`)]),
  ),
)

export const systemOperations: Operations = {
  'GET /v1/health': {
    id: 'getHealth',
    tag: 'System',
    summary: 'Is it there',
    description: 'Needs no credentials, and says nothing about anybody’s data.',
    answers: {
      200: {
        description: 'It is.',
        content: json(answer({ status: say({ const: 'ok' }, 'Always.'), version: say(text, 'Of the service.') })),
      },
    },
    codes: [],
    examples: [{ title: 'Ask', status: 200, answer: { status: 'ok', version: '0.1.0' } }],
    sdk: 'const { version } = await rheo.health()',
  },
  'GET /v1/capabilities': {
    id: 'getCapabilities',
    tag: 'System',
    summary: 'What it promises',
    description: 'What the service promises, by what means, and every limit.',
    answers: {
      200: {
        description: 'Guarantees, mechanisms and limits.',
        content: json(
          answer({
            guarantees: say(guarantees, 'What is promised.'),
            mechanisms: say(mechanisms, 'By what means.'),
            limits: say(bounds, 'Every bound, by name.'),
          }),
        ),
      },
    },
    codes: [],
    examples: [
      {
        title: 'Ask',
        status: 200,
        answer: {
          guarantees: {
            durable: true,
            distributed: true,
            atLeastOnce: true,
            leaseFencing: true,
            partitions: true,
            contiguousFrontier: true,
            replay: true,
          },
          mechanisms: {
            storage: 'durable-objects-sqlite',
            routing: 'phash2',
            search: 'segment-filters',
            waiting: 'long-poll',
            auth: 'token',
            testClock: false,
          },
          limits,
        },
      },
    ],
    sdk: 'const { limits } = await rheo.capabilities()',
  },
}
