import { createReadStream, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Plugin } from 'vite'

/** A browser runs a script in a worker only under its type, and compiles WebAssembly while it arrives only under its own. */
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' }

/** Serves files of packages under fixed names: those that a library fetches by name when it needs them.
 *  @param files Their paths by their addresses, which begin without a slash. */
export function packageFiles(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'package-files',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = files.get(request.url?.slice(1) ?? '')
        if (path === undefined) return next()
        response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream')
        createReadStream(path).pipe(response)
      })
    },
    generateBundle() {
      for (const [fileName, path] of files) this.emitFile({ type: 'asset', fileName, source: readFileSync(path) })
    },
  }
}
