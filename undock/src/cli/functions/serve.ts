import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnvFile } from '../../config/env.ts'
import { FileWatch } from '../../functions/file-watch.ts'
import { type BackendOptions, findBackend, UsageError } from '../arguments.ts'
import { findRunning, type Running } from '../running.ts'
import { logs } from '../stack/logs.ts'

type FunctionsServeOptions = BackendOptions & {
  /** A path relative to the current folder. */
  readonly envFile?: string
  readonly noVerifyJwt: boolean
}

/** `supabase functions serve`: makes the running backend use these settings for functions until this process ends, and prints their log. */
export async function functionsServe({ envFile, noVerifyJwt, ...options }: FunctionsServeOptions): Promise<number> {
  const running = await findRunning(findBackend(options))
  const path = envFile === undefined ? undefined : resolve(envFile)
  if (path !== undefined && !existsSync(path)) throw new UsageError(`${path} does not exist.`)
  let serving = await serve(running, path, noVerifyJwt)
  if (path !== undefined) {
    const watch = new FileWatch(async () => {
      const before = serving
      serving = await serve(running, path, noVerifyJwt).catch((error: unknown) => {
        console.error(`The functions keep their current variables: ${error instanceof Error ? error.message : error}`)
        return before
      })
      if (serving !== before) before.abort()
    })
    watch.set([path])
  }
  console.error(`Serving functions on ${running.url}/functions/v1/<function-name>`)
  return logs('functions', { ...options, follow: true })
}

/** @param path A file with variables. @returns a function that stops it.
 *  @throws {UsageError} */
async function serve(
  { url, identity }: Running,
  path: string | undefined,
  noVerifyJwt: boolean,
): Promise<AbortController> {
  const variables = path === undefined ? {} : { variables: parseEnvFile(await readFile(path, 'utf8'), path) }
  const end = new AbortController()
  const response = await fetch(`${url}/undock/v1/functions/serve`, {
    method: 'POST',
    headers: { apikey: identity.keys.secret },
    body: JSON.stringify({ ...variables, noVerifyJwt }),
    signal: end.signal,
  })
  if (!response.ok) throw new UsageError(((await response.json()) as { message: string }).message)
  // An unread response is closed when it's garbage-collected.
  void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
  return end
}
