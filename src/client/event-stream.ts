/** A block of Server-Sent Events; what it does not have is undefined. */
export interface Block {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

/** The blocks of a stream of Server-Sent Events. One that is cut short at the end is none. */
export async function* blocksOf(
  read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>,
): AsyncGenerator<Block, void, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const end = text.indexOf('\n\n')
    if (end < 0) {
      const { done, value } = await read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      continue
    }
    const block: Record<string, string> = {}
    for (const line of text.slice(0, end).split('\n')) {
      const [, name, value] = /^(\w+): ?(.*)/s.exec(line) ?? []
      if (name !== undefined) block[name] = value!
    }
    text = text.slice(end + 2)
    yield block
  }
}
