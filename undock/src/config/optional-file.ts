import { readFileSync } from 'node:fs'

/** A text file's content, or undefined when there is none. Any other failure to read throws. */
export function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
