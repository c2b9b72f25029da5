import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Extension, PGlite } from '@electric-sql/pglite'

const PATH = '/dev/undock_http'
const CLIENT = fileURLToPath(new URL('./http-client.js', import.meta.url))
const LARGEST_ANSWER = 64 * 1024 ** 2

/** The way out that the extension `http` needs: a request in base64 is written to the device, and reading it waits for
 *  the answer. The session stands still meanwhile, as upstream's does. */
export const httpDevice: Extension = {
  name: 'http-device',
  setup: async (database, options) => ({
    emscriptenOpts: options,
    async init() {
      const { FS } = (database as PGlite).Module
      // Emscripten counts its own devices up from 64; the next one is /dev/urandom, which uuids are made of.
      const device = FS.makedev(250, 0)
      let written = ''
      let answer: Buffer | null = null
      FS.registerDevice(device, {
        open: () => undefined,
        close: () => undefined,
        llseek: (_stream: unknown, offset: number) => offset,
        write(_stream: unknown, buffer: Uint8Array, offset: number, length: number) {
          answer = null
          written += Buffer.from(buffer.subarray(offset, offset + length)).toString('latin1')
          return length
        },
        read(_stream: unknown, buffer: Uint8Array, offset: number, length: number, position: number) {
          answer ??= exchange(Buffer.from(written, 'base64'))
          written = ''
          const part = answer.subarray(position, position + length)
          buffer.set(part, offset)
          return part.length
        },
      })
      FS.mkdev(PATH, device)
    },
  }),
}

function exchange(request: Buffer): Buffer {
  const { stdout, error, status } = spawnSync(process.execPath, [CLIENT], {
    input: request,
    maxBuffer: LARGEST_ANSWER,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (!error && status === 0) return stdout
  return Buffer.from(JSON.stringify({ error: error?.message ?? 'The request could not be sent' }))
}
