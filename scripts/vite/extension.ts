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
