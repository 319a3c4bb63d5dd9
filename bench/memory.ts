import type { Options } from './options.ts'
export async function measureMemory(_options: Options): Promise<{ text: string; isMet: boolean }> {
  return { text: '', isMet: true }
}
