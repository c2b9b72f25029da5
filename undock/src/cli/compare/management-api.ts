import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../kernel/service-error.ts'
import { UsageError } from '../arguments.ts'

/** The used parts of the platform's responses.
 *  @see https://api.supabase.com/api/v1 */
export const ANSWERS = {
  project: z.object({ database: z.object({ postgres_engine: z.string() }) }),
  settings: z.record(z.string(), z.unknown()),
  functions: z.array(z.object({ slug: z.string(), verify_jwt: z.boolean().optional() })),
  secrets: z.array(z.object({ name: z.string() })),
  keys: z.array(z.object({ name: z.string(), type: z.string().nullish() })),
} as const

/** One row of a query. */
const Rows = z.array(z.record(z.string(), z.unknown()))
export type Rows = z.infer<typeof Rows>

/** Reads a hosted project. */
export type HostedProject = {
  /** @param path Relative to the project's. @throws {HostedError} */
  get<S extends z.ZodType>(path: string, shape: S): Promise<z.output<S>>
  /** Runs a query in a read-only transaction. @throws {HostedError} */
  query(text: string): Promise<Rows>
}

/** The platform didn't answer a request. */
export class HostedError extends UserError {}

/** Milliseconds to wait for a response. */
const PATIENCE = 30_000

/** @param address The Management API's. @throws {UsageError} if there is no access token. */
export async function openHostedProject(address: string, ref: string): Promise<HostedProject> {
  const token = await findToken()
  async function ask(path: string, body?: object): Promise<unknown> {
    const method = body ? 'POST' : 'GET'
    const response = await fetch(new URL(`/v1/projects/${encodeURIComponent(ref)}${path}`, address), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(PATIENCE),
    }).catch((cause: unknown) => {
      throw new HostedError(`Couldn't reach ${address}: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      })
    })
    if (response.ok) return response.json()
    const { data } = z.object({ message: z.string() }).safeParse(await response.json().catch(() => null))
    const reason =
      response.status === 401 ? 'the access token was refused; create another one with `npx supabase login`' : ''
    throw new HostedError(
      `${method} ${path || '/'} responded with ${response.status}: ${reason || data?.message || ''}`,
    )
  }
  function checked<S extends z.ZodType>(shape: S, path: string, answer: unknown): z.output<S> {
    const result = shape.safeParse(answer)
    if (result.success) return result.data
    throw new HostedError(`The response to ${path} has an unexpected format`)
  }
  return {
    get: async (path, shape) => checked(shape, path, await ask(path)),
    query: async (query) =>
      checked(Rows, '/database/query/read-only', await ask('/database/query/read-only', { query })),
  }
}

/** Where `supabase login` stores the token if the system has no keychain. */
const TOKEN_FILE = join(homedir(), '.supabase', 'access-token')

async function findToken(): Promise<string> {
  const token = process.env.SUPABASE_ACCESS_TOKEN || (await readFile(TOKEN_FILE, 'utf8').catch(() => '')).trim()
  if (token !== '') return token
  throw new UsageError(
    'Set SUPABASE_ACCESS_TOKEN to an access token of your account. Create one at https://supabase.com/dashboard/account/tokens.',
  )
}
