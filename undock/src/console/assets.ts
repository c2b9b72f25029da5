import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The files of the built client. Only files that are there at the first request are answered, by their exact path. */
export function createAssets(folder: string): (path: string) => Promise<Response | null> {
  let listing: Promise<ReadonlySet<string>> | undefined
  const list = async () => {
    const entries = await readdir(folder, { recursive: true }).catch(() => [])
    return new Set(entries.map((entry) => `/${entry.split(sep).join('/')}`))
  }
  return async (path) => {
    listing ??= list()
    const type = TYPES[extname(path)]
    if (!type || !(await listing).has(path)) return null
    const headers = {
      'content-type': type,
      // The names of these files contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    }
    return new Response(await readFile(join(folder, path)), { headers })
  }
}
