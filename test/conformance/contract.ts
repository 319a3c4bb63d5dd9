import type { Ajv2020 as Ajv, ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** What is read of an OpenAPI document. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters: Readonly<Record<string, ContractParameter>>
    readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>
  }
}
interface ContractParameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: unknown }
}
interface ContractOperation {
  readonly operationId: string
  readonly parameters: readonly (ContractParameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
  readonly responses: Readonly<
    Record<string, { readonly headers: Readonly<Record<string, object>>; readonly content?: Record<string, object> }>
  >
}

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly requestHeaders: { get(name: string): string | null }
  /** The body that was sent; null when none was, undefined when it is not known. */
  readonly sent?: string | null | undefined
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly text: string
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** HTTP takes no spaces and tabs around the value of a header. */
const onWire = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, '')

/** A value of a query as its schema has it: a number, or one of several. */
const valueIn = (type: unknown, text: string): unknown =>
  type === 'integer' ? Number(text) : type === 'array' ? [text] : text

const typeOf = (header: string | null): string => (header ?? '').split(';')[0]!.trim().toLowerCase()
const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Holds exchanges to an OpenAPI document. An answer must have a status, a media type, headers and a body that the
 * document knows, and not one member more; a request that was accepted must be one that the document allows.
 *
 * @example const contract = new Contract(await (await fetch(`${url}/openapi.json`)).json())
 */
export class Contract {
  readonly #document: ContractDocument
  readonly #ajv: Ajv
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #paths: readonly { readonly template: string; readonly pattern: RegExp }[]
  /** Each operation and status that was answered, for those that want to know what was never seen. */
  readonly seen = new Set<string>()

  constructor(document: ContractDocument) {
    this.#document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, formats: { 'date-time': DATE_TIME } })
    this.#ajv.addSchema(closed(document) as object, 'openapi')
    this.#paths = Object.keys(document.paths).map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    }))
  }

  /** What is wrong with an exchange; nothing when it keeps to the contract. */
  faultsOf(exchange: Exchange): string[] {
    const { method, path, status } = exchange
    const url = new URL(`http://server${path}`)
    // What is sent without a client that resolves it may end in a dot, which is an id like any other.
    const template = this.#templateOf(url.pathname) ?? this.#templateOf(path.replace(/[?#].*$/, ''))
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase()
    const operation = template === undefined ? undefined : this.#document.paths[template]![verb]
    if (template === undefined || operation === undefined) {
      return status >= 400 || !url.pathname.startsWith('/v1/') ? [] : ['no such operation is described']
    }
    this.seen.add(`${operation.operationId} ${status}`)
    const pointer = `#/paths/${escaped(template)}/${verb}`
    const faults = this.#answerFaults(exchange, operation, pointer)
    return status < 400 ? [...faults, ...this.#requestFaults(exchange, operation, pointer, url)] : faults
  }

  #templateOf(pathname: string): string | undefined {
    return this.#paths.find(({ pattern }) => pattern.test(pathname))?.template
  }

  #answerFaults({ method, status, headers, text }: Exchange, operation: ContractOperation, pointer: string): string[] {
    const response = operation.responses[status]
    if (response === undefined) return [`${operation.operationId} answers ${status}, which is not described`]
    const faults = Object.keys(response.headers).flatMap((name) => {
      const value = headers.get(name)
      const { required } = this.#document.components.headers[name]!
      if (value === null) return required ? [`the header ${name} is missing`] : []
      return this.#check(`#/components/headers/${name}/schema`, value, `the header ${name}`)
    })
    if (method === 'HEAD') return faults
    if (response.content === undefined) return text === '' ? faults : [...faults, `${status} has a body`]
    const type = typeOf(headers.get('content-type'))
    if (response.content[type] === undefined) return [...faults, `${status} as ${type}, which is not described`]
    const at = `${pointer}/responses/${status}/content/${escaped(type)}/schema`
    if (type === 'application/x-ndjson') {
      const lines = text.split('\n').filter((line) => line !== '')
      return [...faults, ...lines.flatMap((line) => this.#checkText('#/components/schemas/Event', line, 'a line'))]
    }
    return [...faults, ...(/json$/.test(type) ? this.#checkText(at, text, `the answer ${status}`) : [])]
  }

  #requestFaults(
    { requestHeaders, sent }: Exchange,
    operation: ContractOperation,
    pointer: string,
    { searchParams }: URL,
  ): string[] {
    const faults: string[] = []
    const parameters = operation.parameters.map((one, index) => {
      const isShared = '$ref' in one
      const of = isShared ? this.#document.components.parameters[one.$ref.split('/').at(-1)!]! : one
      return { ...of, at: `${isShared ? one.$ref : `${pointer}/parameters/${index}`}/schema` }
    })
    for (const [name, value] of searchParams) {
      const known = parameters.find((one) => one.in === 'query' && one.name === name)
      if (known === undefined) faults.push(`the parameter ${name} was accepted, and is not described`)
      else faults.push(...this.#check(known.at, valueIn(known.schema.type, value), name))
    }
    for (const { name, at } of parameters.filter((one) => one.in === 'header')) {
      const value = requestHeaders.get(name)
      // Ignored where there is no test clock, and where a token names the tenant.
      if (value !== null && name === 'Idempotency-Key') faults.push(...this.#check(at, onWire(value), name))
    }
    // A body that no operation reads is nobody's, as HTTP has it.
    if (sent === undefined || operation.requestBody === undefined) return faults
    if (sent === null) return [...faults, 'a request without its body was accepted']
    const type = typeOf(requestHeaders.get('content-type'))
    if (operation.requestBody.content[type] === undefined) return [...faults, `${type} was accepted, undescribed`]
    const at = `${pointer}/requestBody/content/${escaped(type)}/schema`
    if (type !== 'application/x-ndjson') return [...faults, ...this.#checkText(at, sent, 'the accepted request')]
    const lines = sent.split('\n').filter((line) => line.trim() !== '')
    return [...faults, ...lines.flatMap((line) => this.#checkText('#/components/schemas/NewEvent', line, 'a line'))]
  }

  /** Whether a body of a media type is one that an operation describes. */
  allows(method: string, template: string, type: string, body: unknown): boolean {
    const at = `#/paths/${escaped(template)}/${method.toLowerCase()}/requestBody/content/${escaped(type)}/schema`
    return this.#check(at, body, 'the body').length === 0
  }

  #checkText(pointer: string, text: string, what: string): string[] {
    try {
      return this.#check(pointer, JSON.parse(text.replace(/^\ufeff/, '')), what)
    } catch {
      return [`${what} is no JSON`]
    }
  }

  #check(pointer: string, value: unknown, what: string): string[] {
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `openapi${pointer}` })
    this.#compiled.set(pointer, validate)
    if (validate(value)) return []
    return [`${what}: ${this.#ajv.errorsText(validate.errors, { dataVar: '' })}`]
  }
}

/** Where members are conditions, and not what there is. */
const conditions = ['dependentSchemas', 'not', 'propertyNames', 'examples', 'example']

/** The document with every object closed that says its members: clients must take others, a test must not. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.entries(node).map(([name, value]) => [name, conditions.includes(name) ? value : closed(value)])
  const object = Object.fromEntries(copy)
  const isOpen = 'properties' in object && object.type === 'object' && !('additionalProperties' in object)
  return isOpen ? { ...object, additionalProperties: false } : object
}
