import type { Answer } from './client.ts'

/** What the storage counted for one call, all objects together. */
export interface Cost {
  rowsRead: number
  rowsWritten: number
  objects: number
}

export const costPattern = /^rows-read=(\d+), rows-written=(\d+), objects=(\d+)$/

/** The cost of a call, from its header. */
export function costOf(answer: Answer): Cost {
  const found = costPattern.exec(answer.headers.get('rheo-cost') ?? '')
  if (found === null) throw new Error(`${answer.where}: no Rheo-Cost`)
  return { rowsRead: Number(found[1]), rowsWritten: Number(found[2]), objects: Number(found[3]) }
}

/** Rows written by several calls together. */
export function rowsWritten(...answers: Answer[]): number {
  return answers.reduce((sum, answer) => sum + costOf(answer).rowsWritten, 0)
}
