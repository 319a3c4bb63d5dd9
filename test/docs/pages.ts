import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export { anchorOf } from '../../docs/.vitepress/anchor.ts'

/** The root of the project. */
export const root = path.resolve(import.meta.dirname, '../..')

/** A fenced block: its language, what stands behind that, and its text. */
export type Block = { language: string; note: string; text: string }

/** A file as text; its path is told from the root of the project. */
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** All pages of the documentation, as paths from the root. */
export const pages = (): string[] =>
  readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('docs', file))
    .filter((file) => file.endsWith('.md'))
    .sort()

/** The fenced blocks of a page, in order. */
export const blocksOf = (page: string): Block[] =>
  [...read(page).matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language, note, text]) => ({
    language: language!,
    note: note!,
    text: text!,
  }))

/** A page without its fenced blocks. */
export const prose = (page: string): string => read(page).replace(/^```[\s\S]*?^```$/gm, '')

/** The rows of the tables of a page as their cells, heads and rules left out. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n')
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const isRule = (line: string): boolean => /^\|[-| :]+\|$/.test(line)

/** The headings of a page. */
export const headingsOf = (page: string): string[] =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!)
