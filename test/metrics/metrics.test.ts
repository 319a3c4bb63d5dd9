import { afterAll, beforeAll, expect, test } from 'vitest'
import { families } from '../../src/http/metrics/families.ts'
import type { Local } from '../../src/testing/index.ts'
import { prose, read, rowsOf } from '../docs/pages.ts'
import { promtool, promtoolOn, testWithPromtool } from './promtool.ts'
import { samplesOf, valuesOf } from './samples.ts'
import { busyService, scrape } from './service.ts'

let local: Local
let text: string

beforeAll(async () => {
  local = await busyService()
  text = await scrape(local)
})
afterAll(() => local.stop())

test('a scrape tells what the groups themselves are asked for', () => {
  const value = (metric: string, labels: string) => valuesOf(text, metric)[labels]
  expect(value('rheo_partition_high_watermark', 'orders/0')).toBe(10)
  expect(value('rheo_partition_log_bytes', 'orders/2')).toBe(0)
  expect(value('rheo_partition_free_bytes', 'orders/0')).toBeLessThan(8_000_000_000)
  expect(value('rheo_group_frontier', 'orders/billing/0')).toBe(1)
  expect(value('rheo_group_lag', 'orders/billing/0')).toBe(9)
  expect(value('rheo_group_lag', 'orders/billing/2')).toBe(0)
  expect(value('rheo_group_oldest_unsettled_age_seconds', 'orders/billing/0')).toBe(1.5)
  expect(value('rheo_group_in_flight', 'orders/billing')).toBe(4)
  expect(value('rheo_group_delayed', 'orders/billing')).toBe(1)
  expect(value('rheo_group_available', 'orders/billing')).toBe(1)
  expect(value('rheo_group_dead_letters', 'orders/billing')).toBe(1)
  expect(value('rheo_group_open_runs', 'orders/billing/0')).toBe(3)
  expect(value('rheo_group_paused', 'orders/billing')).toBe(0)
  expect(value('rheo_group_paused', 'orders/audit')).toBe(1)
})

test('what has fallen due is told as if it had happened in time', async () => {
  const later = await busyService()
  later.clock.advance(30_000)
  expect(valuesOf(await scrape(later), 'rheo_group_in_flight')['orders/billing']).toBe(0)
  expect(valuesOf(await scrape(later), 'rheo_group_available')['orders/billing']).toBe(5)
  await later.stop()
})

test('every metric is told, each with the same labels', () => {
  const labelsOf = new Map<string, string>()
  for (const { metric, labels } of samplesOf(text)) {
    const names = Object.keys(labels).join(', ')
    expect(labelsOf.get(metric) ?? names, metric).toBe(names)
    labelsOf.set(metric, names)
  }
  expect([...labelsOf.keys()].sort()).toEqual(Object.keys(families).sort())
})

test('metrics.md has every metric with its type and its labels, and nothing else', () => {
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]))
  const told = new Map(samplesOf(text).map(({ metric, labels }) => [metric, Object.keys(labels)]))
  const rows = rowsOf(prose('docs/reference/metrics.md')).filter(([name]) => name!.startsWith('`rheo_'))
  const documented = rows.map(([name, type, labels]) => [name!.slice(1, -1), type, labels!.match(/\w+/g) ?? []])
  expect(documented.sort()).toEqual([...told].map(([name, labels]) => [name, types.get(name), labels]).sort())
})

testWithPromtool('promtool check metrics accepts a scrape', () => {
  expect(promtool(['check', 'metrics'], text).trim()).toBe('')
})

/** The metrics that an expression of PromQL names. */
const namedIn = (expression: string): string[] => expression.match(/\brheo_\w+/g) ?? []

interface Panel {
  readonly targets?: readonly { readonly expr: string }[]
}

const dashboard = JSON.parse(read('docs/grafana/rheo-edge.json')) as {
  panels: Panel[]
  templating: { list: { definition?: string }[] }
}
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

test('the dashboard shows every metric, and none that is not there', () => {
  const queries = dashboard.templating.list.flatMap(({ definition = '' }) => definition)
  const named = new Set([...expressions, ...queries].flatMap(namedIn))
  expect([...named].sort()).toEqual(Object.keys(families).sort())
})

testWithPromtool('every expression of the dashboard can be read', () => {
  const rules = expressions.map((expr, index) => ({ record: `e${index}`, expr: expr.replace(/\$\w+/g, 'x') }))
  // JSON is YAML.
  promtoolOn(JSON.stringify({ groups: [{ name: 'dashboard', rules }] }), ['check', 'rules'])
})

const rulesFile = 'docs/alerts/rheo-edge.rules.yml'
const testFile = 'docs/alerts/rheo-edge.rules.test.yml'
const alerts = [...read(rulesFile).matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!)

testWithPromtool('the alert rules are sound, and do what their tests say', () => {
  expect(promtool(['check', 'rules', '--lint=all', '--lint-fatal', rulesFile])).toContain(
    `${alerts.length} rules found`,
  )
  expect(promtool(['test', 'rules', testFile])).toContain('SUCCESS')
})

test('the alert rules name only metrics that are there', () => {
  expect(alerts.length).toBeGreaterThanOrEqual(6)
  expect(namedIn(read(rulesFile)).filter((name) => !(name in families))).toEqual([])
})

test('every alert has tests in which it fires and in which it does not, and a section that says what to do', () => {
  const tests = read(testFile).split('- alertname: ').slice(1)
  const sections = [...read('docs/guides/alerts.md').matchAll(/^### (Rheo\w+)$/gm)].map(([, name]) => name!)
  expect(sections.toSorted()).toEqual(alerts.toSorted())
  const runbooks = [...read(rulesFile).matchAll(/docs\/guides\/alerts\.md#(\w+)/g)].map(([, anchor]) => anchor)
  for (const alert of alerts) {
    const own = tests.filter((one) => one.startsWith(`${alert}\n`))
    expect(
      own.some((one) => one.includes('exp_labels')),
      alert,
    ).toBe(true)
    expect(runbooks, alert).toContain(alert.toLowerCase())
    const waits = new RegExp(`alert: ${alert}\n(?:(?!- alert).*\n)*? +for: `).test(read(rulesFile))
    expect(!waits || own.some((one) => one.includes('exp_alerts: []')), alert).toBe(true)
  }
})
