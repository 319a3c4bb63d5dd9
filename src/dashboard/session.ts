/** Who looks: a token, or the tenant where the server asks for none. */
export interface Session {
  readonly token?: string
  readonly tenant?: string
}

/** The part of `sessionStorage` that is used. */
interface Store {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

const KEY = 'rheo-session'

/** The session of this tab, which ends with it. It is kept nowhere else: no other tab, cookie or address holds it. */
export function loadSession(store: Store): Session {
  try {
    const { token, tenant } = JSON.parse(store.getItem(KEY) ?? '{}') as Record<string, unknown>
    return {
      ...(typeof token === 'string' ? { token } : {}),
      ...(typeof tenant === 'string' ? { tenant } : {}),
    }
  } catch {
    return {}
  }
}

export function saveSession(store: Store, session: Session): void {
  if (session.token === undefined && session.tenant === undefined) store.removeItem(KEY)
  else store.setItem(KEY, JSON.stringify(session))
}

export type Scope = 'read' | 'append' | 'consume' | 'admin'

/** What a token says of itself. It is read and not checked: the server decides, this only spares a click. */
export interface Claims {
  readonly tenant: string | null
  /** Null when the token cannot be read, and then nothing is taken to be forbidden. */
  readonly scopes: readonly string[] | null
  readonly expiresAt: number | null
}

export function readClaims(token: string): Claims {
  try {
    const base64 = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const { tenant, scope = '', exp } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    return {
      tenant: typeof tenant === 'string' ? tenant : null,
      scopes: scopesOf(scope),
      expiresAt: typeof exp === 'number' ? exp * 1000 : null,
    }
  } catch {
    return { tenant: null, scopes: null, expiresAt: null }
  }
}

/** A text or a list of texts; the server refuses everything else. */
function scopesOf(scope: unknown): readonly string[] | null {
  if (typeof scope === 'string') return scope.split(' ').filter(Boolean)
  return Array.isArray(scope) && scope.every((one) => typeof one === 'string') ? scope : null
}

/** Whether a session may do what needs a scope, as far as can be told. */
export function mayDo({ token }: Session, scope: Scope): boolean {
  if (token === undefined) return true
  return readClaims(token).scopes?.includes(scope) ?? true
}
