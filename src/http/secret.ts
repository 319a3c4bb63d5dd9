const MIN_SECRET_BYTES = 32

/** What makes a text no secret to sign tokens with; null when it may be one. */
export function faultOfSecret(secret: string): string | null {
  // A public key in this place would let everybody who knows it sign; a private one does not belong here either.
  if (secret.includes('-----BEGIN ')) return 'is a key in PEM form, not a secret'
  if (new TextEncoder().encode(secret).length < MIN_SECRET_BYTES) return `must have at least ${MIN_SECRET_BYTES} bytes`
  return null
}

/** A secret as the key of HS256. Given as text, Hono would take it for a PEM wherever it holds the word PUBLIC. */
export const keyOfSecret = (secret: string, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
