import type { Code } from '../core/failure.ts'
import { routesOf } from '../http/edge.ts'
import { problems } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { version } from '../version.ts'
import { components } from './components.ts'
import { curlOf } from './curl.ts'
import type { Answer, CodeSample, Document, Media, Operation, Parameter, Ref } from './document.ts'
import { fromValibot } from './from-valibot.ts'
import { headers, parameters, securitySchemes } from './header.ts'
import { type Answered, type Described, type Example, type Operations, tags } from './operation.ts'
import { cloudEvent, newEvent } from './operations/events.ts'
import { operations } from './operations.ts'
import { codes, problemName, problemSchemas, statusesOf } from './problems.ts'
import { described, ref, type Schema, type Words } from './schema.ts'

/** The routes that are the API; the others serve pages and this document. */
export const apiRoutes = (): readonly Route[] =>
  routesOf({ version, mechanisms: { storage: '', durable: true, distributed: true } }).filter(({ path }) =>
    path.startsWith('/v1/'),
  )

/** A route's name among the descriptions, such as `GET /v1/streams/{stream}`. */
export const keyOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method} ${path.replace(/:(\w+)/g, '{$1}')}`

/**
 * The contract as an OpenAPI document. What is checked comes from the code that checks it; words, answers and examples
 * come from `operations`. A route without words is a fault, as are words without a route.
 */
export function openapi(routes: readonly Route[] = apiRoutes(), said: Operations = operations): Document {
  const keys = routes.map(keyOf)
  const missing = keys.filter((key) => !Object.hasOwn(said, key))
  const stale = Object.keys(said).filter((key) => !keys.includes(key))
  if (missing.length > 0) throw new Error(`src/reference/operations says nothing of ${missing.join(', ')}`)
  if (stale.length > 0) throw new Error(`src/reference/operations has what is no route: ${stale.join(', ')}`)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const key of Object.keys(said)) {
    const route = routes.find((one) => keyOf(one) === key)!
    const [method, path] = key.split(' ') as [string, string]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, path, said[key]!) }
  }
  // No operation answers that there is no such path, or no such method of one.
  const answered = codes.filter((code) => code !== 'not_found' && code !== 'method_not_allowed')
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rheo Edge',
      version,
      summary: 'Durable, searchable event streams with consumer groups.',
      description:
        'JSON over HTTP. Names are camelCase; times are RFC 3339 in UTC with milliseconds. Unknown members and parameters are `invalid_request`. Every GET may be asked as HEAD. Failures are `application/problem+json`; programs branch on their `code`. Clients have to take answers with more members than are described here.',
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { NewEvent: newEvent, CloudEvent: cloudEvent, ...components(), ...problemSchemas(answered) },
      parameters,
      headers,
      securitySchemes,
    },
  }
}

function operationOf(route: Route, path: string, said: Described): Operation {
  const { method, scope } = route
  const [first] = said.examples
  return {
    operationId: said.id,
    tags: [said.tag],
    summary: said.summary,
    description: said.description,
    security: scope === 'open' ? [] : [{ token: scope === 'any' ? [] : [scope] }],
    parameters: parametersOf(route, path, said),
    ...(said.body === undefined ? {} : { requestBody: { required: true, content: bodiesOf(said) } }),
    responses: { ...answersOf(said), ...refusalsOf(codesOf(route, said)) },
    'x-codeSamples': [...said.examples.map((example) => shellSample(method, path, example)), ...sdkSample(said, first)],
  }
}

const shellSample = (method: string, path: string, example: Example): CodeSample => ({
  lang: 'Shell',
  label: example.title,
  source: curlOf(method, path, example),
})

const sdkSample = ({ sdk }: Described, { title }: Example): CodeSample[] =>
  sdk === null ? [] : [{ lang: 'TypeScript', label: title, source: sdk }]

function parametersOf({ scope, query }: Route, path: string, { id, query: words = {}, headers = [] }: Described) {
  const found: (Parameter | Ref)[] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameterRef(name!))
  const schema = described(query === undefined ? { properties: schemasOf(words) } : fromValibot(query), words, id)
  for (const [name, { description = '', ...of }] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) || name === 'confirm'
    found.push({ name, in: 'query', description, schema: of, ...(isRequired ? { required: true } : {}) })
  }
  found.push(...headers.map(parameterRef))
  if (scope !== 'open') found.push(parameterRef('Rheo-Tenant'), parameterRef('Rheo-Now'))
  return found
}

/** Parameters that a route checks by hand: their words bring their schemas. */
const schemasOf = (words: Words): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(words).flatMap(([name, said]) => (typeof said === 'string' ? [] : [[name, said[1]]])),
  )

const parameterRef = (name: string): Ref => ({ $ref: `#/components/parameters/${name}` })
const headerRefs = (...names: readonly string[]): Record<string, Ref> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** What every answer carries. */
const ALWAYS = ['Rheo-Request-Id', 'Rheo-Cost', 'Cache-Control', 'X-Content-Type-Options']

const slug = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const bodiesOf = ({ body = {}, examples }: Described): Record<string, Media> =>
  Object.fromEntries(
    Object.entries(body).map(([type, schema]) => {
      const ofType = examples.filter((example) => (example.type ?? 'application/json') === type)
      return [type, mediaOf(schema, ofType, ({ body, text }) => body ?? text)]
    }),
  )

function mediaOf(schema: Schema, examples: readonly Example[], pick: (example: Example) => unknown): Media {
  const shown = examples.filter((example) => pick(example) !== undefined)
  if (shown.length === 0) return { schema }
  const named = shown.map((example) => [slug(example.title), { summary: example.title, value: pick(example) }])
  return { schema, examples: Object.fromEntries(named) }
}

const answersOf = ({ answers, examples }: Described): Record<string, Answer> =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, content }]: [string, Answered]) => {
      const shown = examples.filter((example) => example.status === Number(status))
      const media = Object.entries(content ?? {}).map(([type, schema]) => [
        type,
        mediaOf(schema, type === 'application/json' ? shown : [], ({ answer }) => answer),
      ])
      return [
        status,
        {
          description,
          headers: headerRefs(...ALWAYS),
          ...(content === undefined ? {} : { content: Object.fromEntries(media) }),
        },
      ]
    }),
  )

/** Every code that an operation may be refused with: its own, and those that any call of its kind may get. */
export function codesOf({ method, scope, path }: Route, { codes: own, body }: Described): Code[] {
  const all = new Set<Code>([...own, 'invalid_request', 'failed'])
  const add = (...more: Code[]): void => more.forEach((code) => void all.add(code))
  if (scope !== 'open') add('unauthenticated', 'forbidden', 'invalid_name', 'rate_limited', 'backend_unavailable')
  if (path.startsWith('/v1/streams')) add('overloaded')
  if (body !== undefined) add('payload_too_large')
  if (method !== 'GET' && scope !== 'read') add('ambiguous')
  return codes.filter((code) => all.has(code))
}

const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function refusalsOf(own: readonly Code[]): Record<string, Answer> {
  const isWithBody = own.includes('payload_too_large')
  const statuses = [...new Set(own.flatMap(statusesOf))].filter((status) => status !== 415 || isWithBody)
  return Object.fromEntries(
    statuses.toSorted().map((status) => {
      const ofStatus = own.filter((code) => statusesOf(code).includes(status))
      const refs = ofStatus.map((code) => ref(problemName(code)))
      return [
        `${status}`,
        {
          description: ofStatus.map((code) => `\`${code}\`: ${problems[code][1]}.`).join(' '),
          headers: headerRefs(...ALWAYS, ...(OF_STATUS[status] ?? [])),
          content: { 'application/problem+json': { schema: refs.length === 1 ? refs[0]! : { oneOf: refs } } },
        },
      ]
    }),
  )
}
