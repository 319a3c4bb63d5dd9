import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type IssuerKey, issued } from './tokens.ts'

/** An issuer of tokens on this machine. */
export interface Issuer {
  readonly vars: Record<string, string>
  /** The keys that it shows. */
  keys: unknown[]
  /** What it answers in place of its keys, unless null; `hang` never answers. */
  instead: { status: number; body: string } | 'hang' | null
  /** How often its keys were asked for. */
  asked: number
  /** Lets whoever asks wait for `release`; resolves when somebody asks. */
  hold(): Promise<void>
  release(): void
  stop(): Promise<void>
}

export async function startIssuer(...keys: IssuerKey[]): Promise<Issuer> {
  let held = Promise.withResolvers<void>()
  let isAsked = Promise.withResolvers<void>()
  held.resolve()
  const server = createServer(async (_, response) => {
    issuer.asked += 1
    isAsked.resolve()
    await held.promise
    if (issuer.instead === 'hang') return
    const { status, body } = issuer.instead ?? { status: 200, body: JSON.stringify({ keys: issuer.keys }) }
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer: Issuer = {
    vars: {
      RHEO_AUTH: 'token',
      RHEO_JWKS_URL: `http://127.0.0.1:${port}/jwks.json`,
      RHEO_JWT_ISSUER: issued.iss,
      RHEO_JWT_AUDIENCE: issued.aud,
    },
    keys: keys.map(({ jwk }) => jwk),
    instead: null,
    asked: 0,
    hold() {
      held = Promise.withResolvers()
      isAsked = Promise.withResolvers()
      return isAsked.promise
    },
    release: () => held.resolve(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}
