import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Extension, PGlite } from '@electric-sql/pglite'

const PATH = '/dev/undock_http'
const CLIENT = fileURLToPath(new URL('../extensions/http/client.js', import.meta.url))

/** The network access of the extension `http`: a request in base64 is written to the device, and reading the device waits for the
 *  response. The session is blocked meanwhile, like upstream's. */
export const httpDevice: Extension = {
  name: 'http-device',
  setup: async (database, options) => ({
    emscriptenOpts: options,
    async init() {
      const { FS } = (database as PGlite).Module
      // Emscripten numbers its own devices from 64; the next number would replace /dev/urandom, the source of uuids.
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
          answer ??= exchange(written)
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

function exchange(request: string): Buffer {
  const { stdout, error, status } = spawnSync(process.execPath, [CLIENT], {
    input: request,
    // The client limits the response.
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (!error && status === 0) return stdout
  return Buffer.from(JSON.stringify({ error: error?.message ?? 'The request could not be sent' }))
}
