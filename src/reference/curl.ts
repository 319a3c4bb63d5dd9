import { type Example, LEASE, RECEIPT } from './operation.ts'
import { pretty } from './pretty.ts'

/** Names in paths, as the examples have them. */
export const exampleNames: Readonly<Record<string, string>> = { stream: 'orders', group: 'billing', event: 'payment-1' }

const SERVER = 'http://localhost:8787'

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

const filled = (path: string): string => path.replace(/\{(\w+)\}/g, (_, name: string) => exampleNames[name]!)

/** An example as a command that works in a shell, against `npm run dev` with what the examples before it have made. */
export function curlOf(method: string, path: string, example: Example): string {
  const { query, headers, type = 'application/json', body, text, isEndless } = example
  const search = new URLSearchParams(query as Record<string, string>).toString()
  const url = `${SERVER}${filled(path)}${search === '' ? '' : `?${search}`}`
  const content = text ?? (body === undefined ? undefined : pretty(body))
  const isImplied = method === 'GET' || (method === 'POST' && content !== undefined)
  const lines = [`curl -s${isEndless ? 'N --max-time 2' : ''} ${isImplied ? '' : `-X ${method} `}${quoted(url)}`]
  for (const [name, value] of Object.entries(headers ?? {})) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (content === undefined) return lines.join(' \\\n  ') + (isEndless ? ' || true' : '')
  lines.push(`-H ${quoted(`Content-Type: ${type}`)}`)
  lines.push(`${text === undefined ? '-d' : '--data-binary'} ${quoted(content)}`)
  const command = lines.join(' \\\n  ')
  const [wanted, name] = content.includes(RECEIPT) ? [RECEIPT, 'receipt'] : [LEASE, 'leaseId']
  if (!content.includes(wanted)) return command
  return `${takeOne(filled(path), name)}\n${command.replaceAll(wanted, `'"$${name}"'`)}`
}

/** Leases one delivery and keeps a member of the lease in a variable of its name. */
function takeOne(path: string, name: string): string {
  const fetch = `${SERVER}${path.replace(/[^/]*$/, 'fetch')}`
  return [
    `${name}=$(curl -s ${quoted(fetch)} \\`,
    `  -H 'Content-Type: application/json' -d '{"limit":1}' | grep -o '"${name}":"[^"]*"' | cut -d'"' -f4)`,
  ].join('\n')
}
