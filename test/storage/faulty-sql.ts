import type { Sql } from '../../src/storage/sql.ts'

/** A database whose n-th statement from now on throws before it runs; n counts from 1. */
export class FaultySql implements Sql {
  readonly #sql: Sql
  #untilFault = Infinity
  #statements = 0

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Lets the n-th statement throw, and counts from nought. */
  failAt(n: number): void {
    this.#untilFault = n
    this.#statements = 0
  }

  /** How many statements there were since `failAt`. */
  get statements(): number {
    return this.#statements
  }

  all<R>(...call: Parameters<Sql['all']>): R[] {
    this.#count(call[0])
    return this.#sql.all<R>(...call)
  }

  each<R>(...call: Parameters<Sql['each']>): Iterable<R> {
    this.#count(call[0])
    return this.#sql.each<R>(...call)
  }

  run(...call: Parameters<Sql['run']>): void {
    this.#count(call[0])
    this.#sql.run(...call)
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work)
  }

  #count(text: string): void {
    this.#statements += 1
    if (this.#statements === this.#untilFault) throw new Error(`fault at statement ${this.#statements}: ${text.trim()}`)
  }
}
