import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The build has no deeper folders, and a name that begins with a dot leads elsewhere. */
const FILE = /^\/(?:assets\/)?[\w-][\w.-]*$/

/** The files of the built client; null for a path that is none. */
export function createAssets(folder: string): (path: string) => Promise<Response | null> {
  return async (path) => {
    const type = TYPES[extname(path)]
    if (!type || !FILE.test(path)) return null
    const content = await readFile(join(folder, path)).catch(() => null)
    if (!content) return null
    const headers = {
      'content-type': type,
      // The names of these files contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    }
    return new Response(content, { headers })
  }
}
