import { expect, test } from 'vitest'
import { orders, searchAll } from './search.ts'
import { createStream } from './stream.ts'

for (const { order, descending } of orders) {
  test(`S6.5 large events of many partitions are in their pages by ${order}${descending ? ', descending' : ''}`, async () => {
    const stream = await createStream(160)
    const text = 'x'.repeat(150_000)
    const events = [0, 80, 159, 80].map((partition, n) => ({ partition, payload: { n, text } }))
    await stream.appendMany(events)
    const found = await searchAll(stream, { order, descending, limit: 3 })
    expect(found.map(({ payload }) => payload.n).toSorted()).toEqual([0, 1, 2, 3])
    for (const { payload } of found) expect(payload.text).toBe(text)
  })
}
