import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { loadConfig } from '../config/load.ts'
import { createFunctions, type Functions, type FunctionsOptions } from '../functions/index.ts'
import { listen } from '../gateway/server.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { type Log, systemClock } from '../kernel/service.ts'

export type FunctionsServer = {
  readonly url: string
  /** The functions' folder. */
  readonly folder: string
  readonly identity: Identity
  /** `NAME: what was logged`, with `-` where it concerns no function. */
  readonly logged: string[]
  /** @param key Instead of the publishable one. */
  client(key?: string): SupabaseClient
  /** A request with the anonymous token. */
  call(name: string, init?: RequestInit): Promise<Response>
  readonly serveWith: Functions['serveWith']
  readonly states: Functions['known']
  /** A file below supabase/. */
  write(path: string, text: string): Promise<void>
  /** @param target From the link's own folder. */
  link(path: string, target: string): Promise<void>
  close(): Promise<void>
}

export type FunctionsServerOptions = Pick<Partial<FunctionsOptions>, 'limits' | 'env'> & { readonly toml?: string }

/** Edge functions behind a real HTTP server, in a project of their own. @param files Texts by their path below supabase/. */
export async function startFunctionsServer(
  files: Readonly<Record<string, string>>,
  { toml = '', limits = {}, env = process.env }: FunctionsServerOptions = {},
): Promise<FunctionsServer> {
  const project = await mkdtemp(join(tmpdir(), 'undock-project-'))
  const supabase = join(project, 'supabase')
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(supabase, path)), { recursive: true })
    await writeFile(join(supabase, path), text)
  }
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const { config } = loadConfig({ toml, file: 'config.toml', env: {}, folder: supabase })
  const identity = await createIdentity({ config: config.auth, clock: systemClock })
  const logged: string[] = []
  const keep = (message: string, fields: { function?: unknown } = {}) =>
    void logged.push(`${fields.function ?? '-'}: ${message}`)
  const log: Log = { info: keep, warn: keep, error: (message, error, fields) => keep(`${message} ${error}`, fields) }
  const functions = await createFunctions({
    identity,
    config,
    folder: join(supabase, 'functions'),
    env,
    machine: env,
    apiUrl: 'http://127.0.0.1:54321',
    dbUrl: 'postgresql://postgres:postgres@127.0.0.1:54322/postgres',
    log,
    bodyLimit: 100 * 2 ** 20,
    limits,
  })
  const context = { requestId: 'request-1', address: '10.0.0.1' }
  const listener = await listen('127.0.0.1', 0)
  listener.attach(
    async (request) => functions.handle(request, context),
    () => functions.upgrade,
  )
  const url = `http://127.0.0.1:${listener.port}`
  return {
    url,
    folder: join(supabase, 'functions'),
    identity,
    logged,
    client: (key = identity.keys.publishable) => createClient(url, key, { auth: { persistSession: false } }),
    call: (name, init = {}) =>
      fetch(`${url}/functions/v1/${name}`, {
        ...init,
        headers: { authorization: `Bearer ${identity.keys.anon}`, ...init.headers },
      }),
    serveWith: functions.serveWith,
    states: functions.known,
    write,
    async link(path, target) {
      await mkdir(dirname(join(supabase, path)), { recursive: true })
      await symlink(target, join(supabase, path))
    },
    async close() {
      listener.endRequests()
      await functions.close()
      await listener.close()
      await rm(project, { recursive: true, force: true })
    },
  }
}
