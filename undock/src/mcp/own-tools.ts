import { z } from 'zod'
import { UserError } from '../kernel/service-error.ts'
import type { SqlClient } from './sql.ts'
import type { StackApi } from './stack-api.ts'
import { defineTool, type Tool, untrusted } from './tool.ts'

export type OwnToolsDeps = {
  readonly api: StackApi
  readonly sql: SqlClient
  /** The project's publishable key. */
  readonly publishableKey: string
  /** The inbox's URL, or null. */
  readonly mailUrl: string | null
}

/** The tools that only undock has, each based on a route that other clients use too. */
export function createOwnTools({ api, sql, publishableKey, mailUrl }: OwnToolsDeps): Tool[] {
  return [
    defineTool({
      name: 'list_requests',
      title: 'List requests',
      description:
        'Lists the last requests to the local backend, newest first: method, path, status, duration in milliseconds, caller and number of SQL statements. Use it to find the request behind a failure; show_request shows what it caused.',
      effect: 'reads',
      input: {
        failed: z.boolean().optional().describe('Only requests that failed, or in which something failed'),
        slow: z.number().nonnegative().optional().describe('Only requests that took at least this many milliseconds'),
        service: z
          .string()
          .optional()
          .describe('Only requests to this service, such as rest, auth, storage, functions'),
        limit: z.number().int().min(1).max(200).default(20),
      },
      run: async (query) => untrusted(await api('/undock/v1/requests', { query })),
    }),
    defineTool({
      name: 'show_request',
      title: 'Show a request',
      description:
        'Shows a request with everything it caused: its caller, each SQL statement with role, duration and error, emails, calls of edge functions, and nested requests.',
      effect: 'reads',
      input: { id: z.string().min(1).max(100).describe('The id of list_requests, or its beginning') },
      run: async ({ id }) => untrusted(await api(`/undock/v1/requests/${encodeURIComponent(id)}`)),
    }),
    defineTool({
      name: 'explain_access',
      title: 'Explain access',
      description:
        'Explains whether a caller can read or write rows, files or Realtime topics, and why: grants, each row security policy with its value for this caller and these rows, and what would change the answer. Ask about a recorded request (request), or about any caller (as, action, target). Writes are tried and rolled back, unless this server is read-only.',
      effect: 'reads',
      input: {
        request: z.string().optional().describe('The id of a request, or its beginning'),
        as: z.string().optional().describe("A user's id, address or phone number, or a role such as anon"),
        action: z
          .string()
          .optional()
          .describe('select, insert, update, delete; download, upload, remove (a file); listen, send (a topic)'),
        target: z
          .string()
          .optional()
          .describe('A table or view (schema.name), a stored file (bucket/path), or a topic of Realtime'),
        where: z.string().optional().describe('The rows in question, as an SQL condition'),
        row: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('The values that are inserted, or that an update sets'),
        returning: z.boolean().optional().describe('Whether the rows are returned, as by .select()'),
        claims: z.record(z.string(), z.unknown()).optional().describe("Replace or join the claims of the user's token"),
      },
      run: async (question, { isReadOnly }) =>
        untrusted(await api('/undock/v1/explain', { method: 'POST', body: { ...question, readsOnly: isReadOnly } })),
    }),
    defineTool({
      name: 'list_policies',
      title: 'List policies',
      description: 'Lists what each role may do with each table and view of the exposed schemas, by command.',
      effect: 'reads',
      input: {},
      run: () => api('/undock/v1/policies'),
    }),
    defineTool({
      name: 'reset_database',
      title: 'Reset the database',
      description:
        'Deletes all rows, users, stored files and emails of the local backend, and runs migrations and seed again. Its answer says how to bring them back.',
      effect: 'deletes',
      input: {
        seed: z.boolean().default(true).describe('Whether the seed runs after the migrations'),
        until: z
          .string()
          .regex(/^\d+$/)
          .optional()
          .describe('The version of the last migration that runs (default: all run)'),
      },
      run: ({ seed, until }) =>
        api('/undock/v1/reset', {
          method: 'POST',
          body: { ...(seed ? {} : { seed: false }), ...(until === undefined ? {} : { until }) },
        }),
    }),
    defineTool({
      name: 'fork_backend',
      title: 'Fork the backend',
      description:
        'Starts a second backend of this project with a copy of all rows, users and files as of now, to try something without changing this one. Returns its URLs; it has the same keys, and these tools at /mcp. `undock fork keep NAME` then replaces the data of this backend with that of the fork, and `undock fork delete NAME` deletes the fork.',
      effect: 'writes',
      needsSecretKey: false,
      input: { name: z.string().max(63).describe('The name of the fork, such as try-tags') },
      run: ({ name }) => api('/undock/v1/forks', { method: 'POST', body: { name } }),
    }),
    defineTool({
      name: 'advance_clock',
      title: 'Advance the clock',
      description:
        "Sets the clock of the local backend's services forward, so that tokens, codes, links and limits expire, or back to the machine's time. SQL statements use the machine's clock. Returns the time.",
      effect: 'writes',
      input: {
        by: z
          .string()
          .max(40)
          .optional()
          .describe('A duration, such as 90s, 1h30m or 24h; without it, the clock is set back'),
      },
      run: ({ by }) => api('/undock/v1/clock', { method: 'POST', body: by === undefined ? {} : { by } }),
    }),
    defineTool({
      name: 'list_mails',
      title: 'List emails',
      description: 'Lists the emails that the local backend caught, newest first.',
      effect: 'reads',
      input: { limit: z.number().int().min(1).max(100).default(20) },
      run: async ({ limit }) => untrusted(await readInbox(mailUrl, `messages?limit=${limit}`)),
    }),
    defineTool({
      name: 'read_mail',
      title: 'Read a mail',
      description: 'Reads a caught mail: its recipients, subject, text and HTML, with the links and codes in them.',
      effect: 'reads',
      input: { id: z.string().min(1).max(100).describe('The id of list_mails, or "latest"') },
      run: async ({ id }) => untrusted(await readInbox(mailUrl, `message/${encodeURIComponent(id)}`)),
    }),
    defineTool({
      name: 'sign_in_as',
      title: 'Sign in as a user',
      description:
        'Creates a session for an existing user that has an address, and returns its access and refresh token, for supabase.auth.setSession. An address that was not confirmed is confirmed by it.',
      effect: 'writes',
      needsSecretKey: true,
      input: { user: z.string().min(1).max(320).describe("The user's id or address") },
      run: async ({ user }) => {
        const email = await addressOf(sql, user)
        const link = await api('/auth/v1/admin/generate_link', { method: 'POST', body: { type: 'magiclink', email } })
        const { hashed_token } = z.object({ hashed_token: z.string() }).parse(link)
        const body = { type: 'magiclink', token_hash: hashed_token }
        return api('/auth/v1/verify', { method: 'POST', apikey: publishableKey, body })
      },
    }),
  ]
}

/** @throws {UserError} if there's no such user, or the user has no email address. */
async function addressOf(sql: SqlClient, user: string): Promise<string> {
  const [found] = await sql.read(
    'select email from auth.users where (id::text = $1 or email = lower($1)) and deleted_at is null and is_sso_user = false',
    [user],
  )
  if (!found) throw new UserError(`No user has the id or address ${user}.`)
  if (typeof found.email !== 'string' || found.email === '')
    throw new UserError('This user has no address, and a session can be created by a mailed link only.')
  return found.email
}

/** @throws {UserError} */
async function readInbox(mailUrl: string | null, path: string): Promise<unknown> {
  if (mailUrl === null) throw new UserError('This backend has no inbox: [local_smtp] is turned off in config.toml.')
  const response = await fetch(new URL(`/api/v1/${path}`, mailUrl))
  if (response.status === 404) throw new UserError('There is no such mail.')
  if (!response.ok) throw new UserError(`The inbox has answered with ${response.status}.`)
  return response.json()
}
