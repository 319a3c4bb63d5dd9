import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, pages, read } from '../docs/pages.ts'
import { enter, Names, normalized, shownIn } from './console.ts'
import { reference } from './reference.ts'
import { openTerminal } from './terminal.ts'

/*
 * What pages show of the program is what it answers: all `console` blocks of a page, in order, at one terminal.
 * UPDATE_PAGES=1 writes the answers of this run into the pages instead.
 */

const root = path.resolve(import.meta.dirname, '../..')
const isUpdate = process.env.UPDATE_PAGES === '1'
const shown = pages().filter((page) => blocksOf(page).some(({ language }) => language === 'console'))
/** What the pages call the folder of settings. */
const CONFIG = '~/.config'

test.each(shown)('the answers that %s shows are those of the program', async (page) => {
  const terminal = await openTerminal()
  const config = mkdtempSync(path.join(tmpdir(), 'rheo-pages-'))
  const names = new Names()
  // As for a reader, nothing is set. The calls of this terminal reach the local service whatever their address.
  const env = { XDG_CONFIG_HOME: config, RHEO_URL: '' }
  let updated = read(page)
  try {
    for (const { language, note, text } of blocksOf(page)) {
      if (language !== 'console') continue
      let block = ''
      for (const { command, answer } of shownIn(text)) {
        const typed = names.actual(command)
        const got = (await enter(terminal, typed, { env })).replaceAll(config, CONFIG)
        if (!isUpdate) expect(normalized(got, note), `$ ${command}`).toBe(normalized(answer, note))
        names.learn(answer, got)
        block += `$ ${typed}\n${got.replace(/ +$/gm, '')}`
      }
      if (isUpdate) updated = updated.replace(text, () => block)
    }
  } finally {
    await terminal.local.stop()
    rmSync(config, { recursive: true })
  }
  if (isUpdate) writeFileSync(path.join(root, page), updated)
})

test('the pages that are to show answers do', () => {
  expect(shown).toContain('docs/guides/work-from-a-terminal.md')
})

test('cli.md says of every command what its definition says', () => {
  const page = 'docs/reference/cli.md'
  const mark = '<!-- From here on the page is made from the definitions of the commands. -->\n\n'
  const [head, rest] = read(page).split(mark)
  if (isUpdate) writeFileSync(path.join(root, page), `${head}${mark}${reference()}`)
  else expect(rest).toBe(reference())
  expect(readFileSync(path.join(root, page), 'utf8')).toContain('### `rheo streams create <stream>`')
})
