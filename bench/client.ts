import { connect, type Socket } from 'node:net'

/** A complete answer, and what the server says that the call has cost. */
export type Answer = { text: string; cost: Cost }

/** What storage counted for a call; zero where a server does not tell. */
export type Cost = { rowsRead: number; rowsWritten: number; objects: number }

/** Sends one call and refuses any answer that is no success. */
export type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: string,
  headers?: Record<string, string>,
) => Promise<Answer>

/** Connections to one server that stay open, one for each call that is under way at once. */
export type Client = { call: Call; close(): void }

/**
 * A client that does little more than write and read sockets: with Node's own, or `fetch`, the processor that makes the
 * load would be what is measured at tens of connections.
 */
export function createClient(url: string): Client {
  const { hostname, port } = new URL(url)
  const free: Connection[] = []
  const all = new Set<Connection>()
  const call: Call = async (method, path, body = '', headers = {}) => {
    let connection = free.pop()
    while (connection?.isClosed) connection = free.pop()
    connection ??= new Connection(hostname, Number(port))
    all.add(connection)
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n`
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`
    const { status, head: answered, text } = await connection.send(`${head}${length}${more.join('')}\r\n${body}`)
    free.push(connection)
    if (status < 200 || status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`)
    return { text, cost: costOf(answered) }
  }
  const close = () => {
    for (const connection of all) connection.close()
  }
  return { call, close }
}

type Raw = { status: number; head: string; text: string }

/** One HTTP/1.1 connection with one request under way at most. */
class Connection {
  readonly #socket: Socket
  #parts: Buffer[] = []
  #length = 0
  /** How many bytes a complete answer has; Infinity until its head tells, or while it comes in chunks. */
  #expected = Number.POSITIVE_INFINITY
  #head: string | null = null
  #waiting: PromiseWithResolvers<Raw> | null = null

  constructor(host: string, port: number) {
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on('data', (part: Buffer) => this.#take(part))
    this.#socket.on('error', (error) => this.#waiting?.reject(error))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')))
  }

  /** The server closes what has been idle for some seconds. */
  get isClosed(): boolean {
    return this.#socket.destroyed || this.#socket.readableEnded
  }

  send(request: string): Promise<Raw> {
    this.#parts = []
    this.#length = 0
    this.#expected = Number.POSITIVE_INFINITY
    this.#head = null
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request)
    return this.#waiting.promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(part: Buffer): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#head === null) this.#readHead()
    const head = this.#head
    const isWhole = this.#length >= this.#expected || (this.#isChunked() && endsChunks(this.#parts))
    if (head === null || !isWhole) return
    const body = Buffer.concat(this.#parts).subarray(head.length + 4)
    const text = this.#isChunked() ? joinChunks(body) : body.toString()
    this.#waiting?.resolve({ status: Number(head.slice(9, 12)), head, text })
    this.#waiting = null
  }

  #readHead(): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return
    this.#head = bytes.toString('latin1', 0, end)
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(this.#head) ?? []
    const isEmpty = this.#head.slice(9, 12) === '204'
    if (length !== undefined || isEmpty) this.#expected = end + 4 + Number(length ?? 0)
  }

  #isChunked(): boolean {
    return this.#expected === Number.POSITIVE_INFINITY
  }
}

const lastChunk = Buffer.from('0\r\n\r\n')

function endsChunks(parts: readonly Buffer[]): boolean {
  return Buffer.concat(parts.slice(-lastChunk.length)).subarray(-lastChunk.length).equals(lastChunk)
}

function joinChunks(body: Buffer): string {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (size === 0) break
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(chunks).toString()
}

/** What the head of an answer says of its cost. */
export function costOf(head: string): Cost {
  const [, rowsRead = 0, rowsWritten = 0, objects = 0] =
    /rheo-cost: rows-read=(\d+), rows-written=(\d+), objects=(\d+)/i.exec(head) ?? []
  return { rowsRead: Number(rowsRead), rowsWritten: Number(rowsWritten), objects: Number(objects) }
}
