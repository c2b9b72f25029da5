// `node website/serve.ts [PORT]`: serves the built site as a host of static files does, compressed.
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'

const DIST = join(import.meta.dirname, 'dist')

/** Types that a host compresses. */
const TEXTS: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** @param port 0 takes a free one. */
export function serveSite(port: number): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://site').pathname))
    const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`]
    const file = candidates.map((one) => join(DIST, one)).find((one) => extname(one) !== '' && existsSync(one))
    const text = TEXTS[extname(file ?? '.html')]
    const bytes = readFileSync(file ?? join(DIST, '404.html'))
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': text ?? 'application/octet-stream',
      ...(text && { 'content-encoding': 'gzip' }),
    })
    response.end(text ? gzipSync(bytes) : bytes)
  })
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
}

if (import.meta.main) {
  const port = Number(process.argv[2] ?? 4173)
  await serveSite(port)
  console.log(`http://127.0.0.1:${port}`)
}
