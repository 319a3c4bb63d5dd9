const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MIB = 1_048_576

/**
 * Every bound of the service, in one table: validation, `/v1/capabilities`, the docs and the tests read it from here.
 * Bytes are bytes of UTF-8; lengths of texts are UTF-16 code units.
 */
export const limits = {
  eventBytes: MIB,
  bodyBytes: 16 * MIB,
  /** Bodies beyond 64 KiB that an isolate appends at once, together: each takes three times its bytes on its way. */
  appendingBytes: 32 * MIB,
  batchEvents: 1_000,
  nesting: 64,
  keyBytes: 1_024,
  idLength: 128,
  idempotencyKeyLength: 128,
  metadataBytes: 32 * 1_024,
  nameLength: 128,
  consumerIdLength: 128,
  reasonLength: 1_000,
  leaseIdLength: 256,
  tokenLength: 8_192,
  fetchEvents: 1_000,
  settleItems: 1_000,
  pageItems: 1_000,
  answerBytes: 8 * MIB,
  holeRanges: 1_000,
  /** Runs of leased, delayed and available deliveries of one group in one partition beyond which it gets no new events. */
  openRuns: 100_000,
  /**
   * Size of a partition's database from which on it takes no more events. The platform's own end is at 10 GB; the rest
   * is room for what groups write.
   */
  partitionBytes: 8_000_000_000,
  partitions: 256,
  streamsPerTenant: 10_000,
  groupsPerStream: 1_000,
  waitersPerPartition: 1_000,
  /** Partitions that one scrape asks: each is a subrequest, of which the platform gives a request 1 000. */
  scrapePartitions: 900,
  /** How long the text of one scrape gets, about, before no further partition is asked. */
  scrapeBytes: 32 * MIB,
  scrapeStreams: 50,
  /** How long a scrape waits for its partitions, in real time; Prometheus itself gives up after 10 seconds. */
  scrapeMs: 8_000,
  waitMs: 20_000,
  /** Tails of one partition. */
  watchersPerPartition: 2_000,
  /** Calls to objects after which a tail ends and its client comes again; the platform counts them per request. */
  tailCalls: 900,
  /** The text of a filter that is a parameter of a URL. */
  whereLength: 8_192,
  leaseMsMin: 10,
  leaseMs: 12 * HOUR_MS,
  delayMs: 12 * HOUR_MS,
  maxAttempts: 1_000,
  maxInFlight: 100_000,
  whereConditions: 32,
  inOperands: 1_000,
  pathDepth: 16,
  backoffBaseMs: HOUR_MS,
  backoffFactor: 10,
  backoffMaxMs: 12 * HOUR_MS,
  /** How long at least an idempotency key is remembered. */
  idempotencyMs: 10 * MINUTE_MS,
  /** Idempotency keys that a partition remembers; beyond it, appends with a new one are `overloaded` until some are old. */
  idempotencyKeys: 1_000_000,
} as const

/** The size at which a partition is full: what a deployment says in RHEO_PARTITION_MAX_BYTES, if that is a size. */
export const partitionBytes = (text: string | undefined): number =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : limits.partitionBytes
