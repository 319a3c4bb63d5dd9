/** Every metric with its help text. All are gauges: what a partition says of itself may fall with a replay or a delete. */
export const families = {
  rheo_partition_up: 'Whether the partition answered this scrape.',
  rheo_partition_high_watermark: 'Last sequence of the partition, 0 when it is empty.',
  rheo_partition_first_sequence: 'First sequence that the partition holds or will hold.',
  rheo_partition_log_bytes: 'Bytes of the events in the partition.',
  rheo_partition_free_bytes: 'Bytes that the database of the partition may grow before it takes no more events.',
  rheo_partition_max_bytes: 'Size of a partition from which on it takes no more events.',
  rheo_group_frontier: 'Committed frontier of the group in the partition.',
  rheo_group_lag: 'Events between the frontier and the high watermark.',
  rheo_group_oldest_unsettled_age_seconds: 'Age of the first event behind the frontier, 0 when there is none.',
  rheo_group_open_runs: 'Runs of leased, delayed and available deliveries of the group in the partition.',
  rheo_group_in_flight: 'Deliveries that are leased.',
  rheo_group_delayed: 'Deliveries that wait for the end of a delay.',
  rheo_group_available: 'Deliveries that are open again; what was never offered is not among them.',
  rheo_group_dead_letters: 'Deliveries that are dead letters.',
  rheo_group_paused: 'Whether the group is paused.',
  rheo_group_quarantined_partitions: 'Partitions in which the group is in quarantine.',
  rheo_scrape_partitions_left_out: 'Partitions that this scrape did not ask because of its bounds.',
} as const

export type Metric = keyof typeof families
