import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Extension, PGlite } from '@electric-sql/pglite'
import { pg_hashids } from '@electric-sql/pglite-pg_hashids'
import { pg_ivm } from '@electric-sql/pglite-pg_ivm'
import { pg_uuidv7 } from '@electric-sql/pglite-pg_uuidv7'
import { pgmq } from '@electric-sql/pglite-pgmq'
import { pgtap } from '@electric-sql/pglite-pgtap'
import { vector } from '@electric-sql/pglite-pgvector'
import { postgis } from '@electric-sql/pglite-postgis'
import { trustedLines } from '../extensions/known-extensions.ts'
import { readShim, SHIMS } from '../extensions/shims.ts'

const PATH = '/dev/undock_http'
const CLIENT = fileURLToPath(new URL('../extensions/http/client.js', import.meta.url))

/** Network access for `http`: it writes a base64 request to this device and reads the response, blocking the session. */
const httpDevice: Extension = {
  name: 'http-device',
  setup: async (database, options) => ({
    emscriptenOpts: options,
    async init() {
      const { FS } = (database as PGlite).Module
      // Emscripten numbers its devices from 64; the next number would replace /dev/urandom, the source of UUIDs.
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
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (!error && status === 0) return stdout
  return Buffer.from(JSON.stringify({ error: error?.message ?? 'The request could not be sent' }))
}

/** The extensions of PostgreSQL that come with PGlite. */
const CONTRIB = (
  'amcheck bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance fuzzystrmatch hstore intarray ' +
  'isn lo ltree moddatetime pageinspect pg_buffercache pg_freespacemap pg_stat_statements pg_trgm pg_visibility ' +
  'pg_walinspect pgcrypto seg tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid_ossp'
).split(' ')

async function contrib(name: string): Promise<readonly [string, Extension]> {
  const parts: Record<string, Extension> = await import(`@electric-sql/pglite/contrib/${name}`)
  const extension = parts[name]
  if (!extension) throw new Error(`PGlite has no extension ${name}`)
  return [name, extension]
}

const FOLDER = '/pglite/share/postgresql/extension'
const CONTROL = '.control'
/** Its library crashes the session. */
const LEFT_OUT = 'postgis_raster'

/** Lets the project create the extensions, as on hosted projects, and adds undock's own. */
const ours: Extension = {
  name: 'ours',
  setup: async (database, options) => ({
    // Libraries are compiled when they are first called: all of them would take most of a start.
    emscriptenOpts: { ...options, noWasmDecoding: true },
    async init() {
      const { FS } = (database as PGlite).Module
      const files: string[] = FS.readdir(FOLDER)
      for (const file of files.filter((one) => one.endsWith(CONTROL))) {
        const name = file.slice(0, -CONTROL.length)
        if (name === LEFT_OUT) FS.unlink(`${FOLDER}/${file}`)
        else FS.writeFile(`${FOLDER}/${file}`, trustedLines(name), { flags: 'a' })
      }
      for (const { name, text } of SHIMS.flatMap(readShim)) FS.writeFile(`${FOLDER}/${name}`, text)
    },
  }),
}

const extensions = {
  ours,
  httpDevice,
  ...Object.fromEntries(await Promise.all(CONTRIB.map(contrib))),
  pg_hashids,
  pg_ivm,
  pg_uuidv7,
  pgmq,
  pgtap,
  vector,
}

/** Returns the extensions of the embedded engine: all that are built for it and available to hosted projects.
 *  @param hasPostgis PostGIS doubles the time and memory of a start. */
export const extensionsWith = (hasPostgis: boolean) => (hasPostgis ? { ...extensions, postgis } : extensions)
