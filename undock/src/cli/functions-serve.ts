import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type BackendOptions, findBackend, UsageError } from './arguments.ts'
import { logs } from './logs.ts'
import { findRunning } from './running.ts'

export type FunctionsServeOptions = BackendOptions & {
  /** A path, relative to the current folder. */
  readonly envFile?: string
  readonly noVerifyJwt: boolean
}

/** `supabase functions serve`: lets the running backend serve the functions with these settings until this process ends, and prints
 *  their log. */
export async function functionsServe({ envFile, noVerifyJwt, ...options }: FunctionsServeOptions): Promise<number> {
  const running = await findRunning(findBackend(options))
  const path = envFile === undefined ? undefined : resolve(envFile)
  if (path !== undefined && !existsSync(path)) throw new UsageError(`${path} does not exist.`)
  const response = await fetch(`${running.url}/undock/v1/functions/serve`, {
    method: 'POST',
    headers: { apikey: running.identity.keys.secret },
    body: JSON.stringify({ ...(path === undefined ? {} : { envFile: path }), noVerifyJwt }),
  })
  if (!response.ok) throw new UsageError(((await response.json()) as { message: string }).message)
  // An answer that nobody reads is closed when its object is collected.
  void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
  console.error(`Serving functions on ${running.url}/functions/v1/<function-name>`)
  return logs('functions', { ...options, follow: true })
}
