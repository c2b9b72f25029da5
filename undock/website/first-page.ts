import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The maximum size of the first page in bytes, as received. */
export const MAX_BYTES = 150_000

/** Every file that the first page needs, compressed as a server does it.
 *  @param dist The built site. @param base The path that it is served at. */
export function firstPageBytes(
  dist: string,
  base: string,
): {
  readonly total: number
  readonly files: readonly { readonly file: string; readonly bytes: number }[]
} {
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  const named = [...page.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="([^"]+\.(?:css|js|woff2|svg))"/g)]
  const found = new Set<string>()
  const pending = named.map(([, path = '']) => path.slice(base.length))
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (found.has(file)) continue
    found.add(file)
    if (file.endsWith('.js')) pending.push(...importsOf(dist, file))
  }
  const files = ['index.html', ...found].map((file) => ({
    file,
    bytes: gzipSync(readFileSync(join(dist, file))).length,
  }))
  return { total: files.reduce((sum, { bytes }) => sum + bytes, 0), files }
}

/** The modules that a module loads immediately. */
const importsOf = (dist: string, file: string): string[] =>
  [...readFileSync(join(dist, file), 'utf8').matchAll(/(?:\bfrom|\bimport)\s*"(\.{1,2}\/[^"]+\.js)"/g)].map(
    ([, path = '']) => posix.join(posix.dirname(file), path),
  )
