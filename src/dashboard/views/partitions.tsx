import type { StreamInfo } from '../../client/index.ts'
import { bytes, number } from '../format.ts'
import { Table } from '../table.tsx'
import { usePages } from './pager.tsx'

/** What each partition of a stream holds, beside the fullest one. */
export const Partitions = ({ info }: { readonly info: StreamInfo }) => {
  const all = Object.entries(info.partitions).map(([partition, held]) => ({ partition, ...held }))
  const { shown, pager } = usePages(all, 16, 'partitions')
  const most = Math.max(1, ...all.map(({ highWatermark }) => highWatermark))
  return (
    <section aria-labelledby="partitions">
      <h2 id="partitions">Partitions</h2>
      <Table
        caption="Partitions"
        keyOf={({ partition }) => partition}
        rows={shown}
        columns={[
          { head: 'Partition', cell: ({ partition }) => partition },
          { head: 'High watermark', kind: 'number', cell: ({ highWatermark }) => number(highWatermark) },
          {
            head: 'Share',
            kind: 'wide',
            cell: ({ highWatermark }) => (
              <svg class="bar-line" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect width="100" height="6" rx="1" class="ground" />
                <rect width={(highWatermark / most) * 100} height="6" rx="1" />
              </svg>
            ),
          },
          { head: 'First sequence', kind: 'number', cell: ({ firstSequence }) => number(firstSequence) },
          { head: 'Stored', kind: 'number', cell: (row) => bytes(row.bytes) },
        ]}
      />
      {pager}
    </section>
  )
}
