import { createReadStream, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Plugin } from 'vite'
import { extensionFiles, zipped } from '../extension.ts'

const FILE_NAME = 'carrel-extension.zip'

/** Serves the packed browser extension where the app offers it. */
export function extension(): Plugin {
  return {
    name: 'extension',
    configureServer(server) {
      server.middlewares.use(`/${FILE_NAME}`, async (_, response) => {
        response.setHeader('content-type', 'application/zip')
        response.end(zipped(await extensionFiles()))
      })
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: FILE_NAME, source: zipped(await extensionFiles()) })
    },
  }
}

/** Browsers require these types for worker scripts, and for streaming compilation of WebAssembly. */
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' }

/** Serves package files under fixed names, for libraries that fetch them by name.
 *  @param files Paths by address, without a leading slash. */
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
