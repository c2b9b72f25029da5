import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Extension, PGlite } from '@electric-sql/pglite'
import { intarray } from '@electric-sql/pglite/contrib/intarray'
import { moddatetime } from '@electric-sql/pglite/contrib/moddatetime'
import { pg_stat_statements } from '@electric-sql/pglite/contrib/pg_stat_statements'
import { uuid_ossp } from '@electric-sql/pglite/contrib/uuid_ossp'
import { pg_hashids } from '@electric-sql/pglite-pg_hashids'
import { pg_ivm } from '@electric-sql/pglite-pg_ivm'
import { pg_uuidv7 } from '@electric-sql/pglite-pg_uuidv7'
import { pgmq } from '@electric-sql/pglite-pgmq'
import { pgtap } from '@electric-sql/pglite-pgtap'
import { vector } from '@electric-sql/pglite-pgvector'
import { postgis } from '@electric-sql/pglite-postgis'
import { readShim, SHIMS } from '../extensions/shims.ts'
import { type LazyPart, markTrusted, readOnDemand, unpackOnDemand } from './lazy-extension-files.ts'

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

/** The extensions of PostgreSQL that come with PGlite and need no more than their files. */
const CONTRIB = (
  'amcheck bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance fuzzystrmatch hstore ' +
  'isn lo ltree pageinspect pg_buffercache pg_freespacemap pg_trgm pg_visibility pg_walinspect pgcrypto ' +
  'seg tablefunc tcn tsm_system_rows tsm_system_time unaccent'
).split(' ')

async function contrib(name: string): Promise<readonly [string, Extension]> {
  const parts: Record<string, Extension> = await import(`@electric-sql/pglite/contrib/${name}`)
  const extension = parts[name]
  if (!extension) throw new Error(`PGlite has no extension ${name}`)
  return [name, extension]
}

const plain = {
  ...Object.fromEntries(await Promise.all(CONTRIB.map(contrib))),
  pg_hashids,
  pg_ivm,
  pg_uuidv7,
  vector,
}

const SHARED = 'share/postgresql/extension'
const controlFile = (name: string) => `${SHARED}/${name}.control`
const library = (name: string) => `lib/postgresql/${name}.so`
const files = (...names: readonly string[]): [LazyPart] => [
  { placeholders: names.flatMap((name) => [controlFile(name), library(name)]) },
]

const POSTGIS = '3.6.2'
const PGMQ = '1.11.1'

/** PostGIS (90 MB) is listed but only unpacked on demand. Raster is left out: its library crashes the session. */
const postgisParts = [
  { name: 'postgis', needs: [] },
  { name: 'postgis_topology', needs: ['schema = topology', "requires = 'postgis'"] },
  { name: 'postgis_tiger_geocoder', needs: ['schema = tiger', "requires = 'postgis, fuzzystrmatch'"] },
].map(({ name, needs }): LazyPart => {
  const control = [
    `default_version = '${POSTGIS}'`,
    `module_pathname = '$libdir/${name}-3'`,
    'relocatable = false',
    ...needs,
    '',
  ]
  const placeholders = [`share/postgresql/extension/${name}--${POSTGIS}.sql`, library(`${name}-3`)]
  return {
    written: { [controlFile(name)]: control.join('\n') },
    placeholders,
    unpacked: [...placeholders, 'share/proj/'],
  }
})

/** Extensions of the embedded engine: all that are built for it and available to hosted projects. */
export const extensions = {
  ...Object.fromEntries(
    Object.entries<Extension>(plain).map(([name, one]) => [name, unpackOnDemand(one, files(name))]),
  ),
  uuid_ossp: unpackOnDemand(uuid_ossp, files('uuid-ossp')),
  moddatetime: unpackOnDemand(moddatetime, files('moddatetime', 'autoinc', 'insert_username', 'refint')),
  intarray: unpackOnDemand(intarray, [{ placeholders: [controlFile('intarray'), library('_int')] }]),
  pgtap: unpackOnDemand(pgtap, [{ placeholders: [controlFile('pgtap')] }]),
  pgmq: unpackOnDemand(pgmq, [
    {
      placeholders: [controlFile('pgmq')],
      unpacked: [controlFile('pgmq'), `${SHARED}/pgmq--${PGMQ}.sql`],
    },
  ]),
  postgis: unpackOnDemand(postgis, postgisParts),
  httpDevice,
  shims: readOnDemand('shims', new Map(SHIMS.map((name) => [controlFile(name), () => shimFiles(name)] as const))),
  // PGlite loads this library when it starts.
  pg_stat_statements: markTrusted(pg_stat_statements, controlFile('pg_stat_statements')),
}

function* shimFiles(name: string): Generator<readonly [string, string]> {
  for (const file of readShim(name)) yield [`${SHARED}/${file.name}`, file.text]
}
