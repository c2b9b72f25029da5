import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The build has no subfolders, and a leading dot could lead elsewhere. */
const FILE = /^\/(?:assets\/)?[\w-][\w.-]*$/

const compress = promisify(gzip)

/** Serves the built client's files; null for an unknown path. Compresses scripts and styles if the browser accepts gzip. */
export function createAssets(folder: string): (path: string, request: Request) => Promise<Response | null> {
  const compressed = new Map<string, Promise<Buffer<ArrayBuffer>>>()
  return async (path, request) => {
    const extension = extname(path)
    const type = TYPES[extension]
    if (!type || !FILE.test(path)) return null
    const content = await readFile(join(folder, path)).catch(() => null)
    if (!content) return null
    // File names in assets/ contain a content hash, so cached files stay valid.
    const isImmutable = path.startsWith('/assets/')
    const headers = new Headers({
      'content-type': type,
      'cache-control': isImmutable ? 'max-age=31536000, immutable' : 'no-cache',
    })
    if (!isImmutable || (extension !== '.js' && extension !== '.css')) return new Response(content, { headers })
    headers.set('vary', 'accept-encoding')
    if (!/\bgzip\b(?!;q=0)/.test(request.headers.get('accept-encoding') ?? ''))
      return new Response(content, { headers })
    const smaller = compressed.get(path) ?? compress(content)
    compressed.set(path, smaller)
    headers.set('content-encoding', 'gzip')
    return new Response(await smaller, { headers })
  }
}
