import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { firstFreePort, ROOT, UNDOCK } from './processes.ts'

/** The app's preferred port; other worktrees use the next free one. */
const APP_PORT = 5173
const INBOX_PORT = 54325

export type LocalBackend = {
  readonly process: ChildProcess
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
  readonly app: { readonly port: number; readonly url: string }
  /** Resolves when the backend is ready, or with null if it ended before. */
  readonly ready: Promise<ReadyBackend | null>
}

/** @property appEnvironment The environment for building the app. */
type ReadyBackend = { readonly mailUrl: string; readonly appEnvironment: NodeJS.ProcessEnv }

/** Starts the repository's backend, which prints its progress, for an app on a free port. */
export async function startLocalBackend(): Promise<LocalBackend> {
  const port = await firstFreePort(APP_PORT)
  const url = `http://127.0.0.1:${port}`
  const [node, undock] = UNDOCK as [string, string]
  const backend = spawn(node, [undock, 'start', '--workdir', ROOT], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { SUPABASE_AUTH_SITE_URL: url, ...mailsToInbox(url, await firstFreePort(INBOX_PORT)) },
  })
  const ended = new Promise<number>((resolve) => backend.on('exit', (code) => resolve(code ?? 0)))
  return { process: backend, ended, app: { port, url }, ready: untilReady(backend, ended) }
}

/** The address comes from the running backend: linked git worktrees use other ports than config.toml. */
async function untilReady(backend: ChildProcess, ended: Promise<number>): Promise<ReadyBackend | null> {
  const started = new Promise<void>((resolve) =>
    backend.on('message', (message) => typeof message === 'object' && 'status' in message && resolve()),
  )
  const end = await Promise.race([started, ended])
  if (end !== undefined) return null
  const { API_URL, PUBLISHABLE_KEY, MAILPIT_URL = '' } = await readStatus()
  const app = { VITE_SUPABASE_URL: API_URL, VITE_SUPABASE_PUBLISHABLE_KEY: PUBLISHABLE_KEY }
  return { mailUrl: MAILPIT_URL, appEnvironment: { ...app, ...process.env } }
}

async function readStatus(): Promise<Record<string, string>> {
  const [node, undock] = UNDOCK as [string, string]
  const { stdout } = await promisify(execFile)(node, [undock, 'status', '--workdir', ROOT, '-o', 'json'])
  return JSON.parse(stdout) as Record<string, string>
}

/** Returns the environment variables for mails of the functions, invitations and mentions, which replace
 *  `[edge_runtime.secrets]` of config.toml. `functions/.env` overrides them.
 *  @param server The value of MAIL_SERVER. @param site The value of SITE_URL for the functions. */
export const functionMails = (server: string, site: string) => ({
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_SERVER: server,
  SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_FROM: 'Carrel <carrel@carrel.local>',
  SUPABASE_EDGE_RUNTIME_SECRETS_SITE_URL: site,
})

/** Sends these mails to the local backend's inbox, like those of the auth service, unless the environment says
 *  otherwise.
 *  @param site The app's address.
 *  @param inboxPort A free port for the inbox's SMTP server. */
export const mailsToInbox = (site: string, inboxPort: number): NodeJS.ProcessEnv => ({
  SUPABASE_LOCAL_SMTP_SMTP_PORT: String(inboxPort),
  ...functionMails(`smtp://127.0.0.1:${inboxPort}`, site),
  ...process.env,
})
