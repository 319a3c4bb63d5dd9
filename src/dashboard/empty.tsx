import type { ComponentChildren } from 'preact'

/** Nothing is there yet: what to do about it, in words and as a call to copy. */
export const Empty = ({ children, call }: { readonly children: ComponentChildren; readonly call?: string }) => (
  <div class="empty">
    <p>{children}</p>
    {call === undefined ? null : (
      <pre>
        <code>{call}</code>
      </pre>
    )}
  </div>
)

/** A call for a shell. The token stands as a variable: it is never shown. */
export function curl(path: string, body: object, hasToken: boolean): string {
  const token = hasToken ? ` -H "authorization: Bearer $TOKEN"` : ''
  const text = JSON.stringify(body).replaceAll("'", "'\\''")
  return `curl ${window.location.origin}/v1${path}${token} \\\n  -H 'content-type: application/json' \\\n  -d '${text}'`
}
