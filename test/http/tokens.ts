import { createHmac, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto'

/*
 * Tokens made by Node's own cryptography, so that what checks them is not also what made them.
 */

/** 32 bytes, the fewest that a secret may have. */
export const secret = 's'.repeat(32)

export const seconds = (): number => Math.floor(Date.now() / 1_000)

/** Claims of a good token, with others put over them. */
export const claims = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  tenant: 'acme',
  exp: seconds() + 3_600,
  scope: 'append consume read admin',
  ...over,
})

/** A token from the texts of its header and its payload, whatever they are, and a way to sign. */
export function assemble(header: string, payload: string, sign: (text: string) => Buffer): string {
  const text = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`
  return `${text}.${sign(text).toString('base64url')}`
}

/** How HS256 signs, and its longer kin. */
export const hmac =
  (key: string, hash = 'sha256') =>
  (text: string): Buffer =>
    createHmac(hash, key).update(text).digest()

/** A token signed with a secret. */
export const mint = (over: Record<string, unknown> = {}, key = secret, header: object = { alg: 'HS256', typ: 'JWT' }) =>
  assemble(JSON.stringify(header), JSON.stringify(claims(over)), hmac(key))

/** A pair of keys of an issuer: its public half as a JWKS shows it, and how its private half signs. */
export interface IssuerKey {
  readonly jwk: Record<string, unknown>
  readonly publicKey: KeyObject
  mint(over?: Record<string, unknown>, header?: object): string
}

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

/** What the tokens of an issuer say beside the other claims. */
export const issued = { iss: 'https://issuer.example/', aud: 'rheo' }

/** A new key of an issuer. */
export function issuerKey(alg: keyof typeof pairs, kid: string): IssuerKey {
  const { publicKey, privateKey } = pairs[alg]()
  const sign = (text: string): Buffer =>
    signWith(alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), {
      key: privateKey,
      ...(alg === 'ES256' ? { dsaEncoding: 'ieee-p1363' } : {}),
    })
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
    publicKey,
    mint: (over = {}, header = {}) =>
      assemble(
        JSON.stringify({ alg, kid, typ: 'JWT', ...header }),
        JSON.stringify(claims({ ...issued, ...over })),
        sign,
      ),
  }
}
