import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Plugin } from 'vite'

const compress = promisify(brotliCompress)
const TEXTS = /\.(?:js|css|html|svg|webmanifest)$/
/** Bytes: a response of one packet gains nothing. */
const MIN_BYTES = 1_400
/** The files that a first visit waits for. */
const FIRST = new Set(['react', 'vendor', 'app', 'shared', 'shelf', 'sign-in'])

/** Adds a compressed copy of each file (`name.js.br`), which static file servers send. Production builds compress more,
 *  which takes ten seconds for a tenth less; others only do so for the first visit's files. */
export function compressed(): Plugin {
  let options: { folder: string; isForProduction: boolean }
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build, mode }) {
      options = { folder: join(root, build.outDir), isForProduction: mode === 'production' }
    },
    // Other plugins still change files before they are written.
    async writeBundle(_, bundle) {
      await Promise.all(
        Object.entries(bundle)
          .filter(([name]) => TEXTS.test(name))
          .map(async ([name, file]) => {
            const path = join(options.folder, name)
            const content = await readFile(path)
            if (content.length < MIN_BYTES) return
            const isFirst = file.type === 'chunk' && FIRST.has(file.name)
            const params = { [constants.BROTLI_PARAM_QUALITY]: options.isForProduction || isFirst ? 11 : 5 }
            await writeFile(`${path}.br`, await compress(content, { params }))
          }),
      )
    },
  }
}
