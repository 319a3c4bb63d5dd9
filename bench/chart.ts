import type { Report } from './report.ts'
export function chart(_report: Report): string {
  return ''
}
