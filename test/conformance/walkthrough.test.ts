import { afterAll, expect, test } from 'vitest'
import { createApi } from '../../scripts/demo/api.ts'
import { printTo } from '../../scripts/demo/print.ts'
import { play } from '../../scripts/walkthrough/story.ts'
import { hasTestClock } from './clock.ts'
import { randomName } from './random.ts'
import { tenant, token, url } from './target.ts'

const printed: string[] = []
printTo((text) => printed.push(text))
afterAll(() => printTo((text) => process.stdout.write(text)))

test('the walkthrough of the concepts keeps every promise', async ({ skip }) => {
  if (!hasTestClock) skip('the server shows no test clock in its capabilities')
  const headers: Record<string, string> =
    token === '' ? { 'rheo-tenant': tenant } : { authorization: `Bearer ${token}` }
  await play(createApi(url, AbortSignal.timeout(30_000), headers), randomName('walkthrough'))
  // A promise that is broken throws; a step that falls out of the story would not.
  expect(printed.join('').match(/✓/g)!.length).toBeGreaterThanOrEqual(48)
})
