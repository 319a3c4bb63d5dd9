import fc from 'fast-check'
import { assemble, claims, hmac, mint, seconds } from '../http/tokens.ts'

/** Names that are not `acme` and that something might take for it: none is a valid name. */
const strange = [
  'acme ',
  ' acme',
  'acme\n',
  'acme\u0000',
  '\u0430cme',
  'ａcme',
  'acmé',
  'acme\u0301',
  'acme/orders',
  '',
]
const anHour = 3_600

/** Credentials that must open nothing, made with all that one may know but the secret: `Authorization` headers. */
export function forgedTokens(tenant: string, secret: string): fc.Arbitrary<string> {
  const good = mint({ tenant }, secret)
  const [head, body, signature] = good.split('.') as [string, string, string]
  const text = JSON.stringify(claims({ tenant }))
  const under = (header: object, sign = hmac(secret)): string => assemble(JSON.stringify(header), text, sign)
  const nothing = (): Buffer => Buffer.alloc(0)
  const whole = [
    // Signed by somebody else, or by nobody.
    ...['x'.repeat(32), '', `${secret} `, secret.slice(1)].map((other) => mint({ tenant }, other)),
    ...['none', 'None', 'NONE', 'nOnE', '', null, 0, []].map((alg) => under({ alg, typ: 'JWT' }, nothing)),
    `${head}.${body}.`,
    `${head}.${body}`,
    `.${body}.${signature}`,
    `${good}.${signature}`,
    // Another algorithm, although the secret is right.
    under({ alg: 'HS384' }, hmac(secret, 'sha384')),
    under({ alg: 'HS512' }, hmac(secret, 'sha512')),
    ...['RS256', 'ES256', 'EdDSA', 'PS256', 'hs256', 'HS256 '].map((alg) => under({ alg })),
    // A key that the token brings along.
    ...[
      { jwk: { kty: 'oct', k: 'eA' } },
      { jku: 'http://127.0.0.1:1/' },
      { x5u: 'http://127.0.0.1:1/' },
      { kid: '/dev/null' },
    ].map((more) => under({ alg: 'HS256', ...more }, hmac('x'))),
    // The claims of one token under the signature of another.
    mint({ tenant: 'other' }, secret).replace(/\.[^.]+\./, `.${body}.`),
    // Rightly signed, and not good any more, not yet, or without an end.
    ...[0, 1, seconds() - 1, seconds() - anHour, -1, null, 'tomorrow', `${seconds() + anHour}`].map((exp) =>
      mint({ tenant, exp }, secret),
    ),
    mint({ tenant, exp: undefined }, secret),
    mint({ tenant, nbf: seconds() + anHour }, secret),
    mint({ tenant, iat: seconds() + anHour }, secret),
    // Rightly signed for what is no tenant.
    ...[...strange, null, 1, [tenant], { name: tenant }, undefined].map((name) => mint({ tenant: name }, secret)),
  ].map((token) => `Bearer ${token}`)
  const carried = [good, `Basic ${good}`, `Token ${good}`, `Bearer,${good}`, `Bearer ${good} ${good}`, 'Bearer', '']
  // The last character holds bits that nobody reads.
  const changed = fc.tuple(fc.nat(good.length - 2), fc.constantFrom(...'AZaz09-_.=')).map(([at, by]) => {
    const token = `${good.slice(0, at)}${by}${good.slice(at + 1)}`
    return token === good ? `Bearer ${good}x.` : `Bearer ${token}`
  })
  return fc.oneof(fc.constantFrom(...whole, ...carried), changed)
}
