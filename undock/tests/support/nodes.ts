import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { readNodeSettings } from '../../src/runtime/serve/settings.ts'
import type { Credentials } from '../../src/storage/s3/signer.ts'
import type { TestStore } from '../../src/testing/s3-store.ts'
import { freePort, makeProject, type TestProject } from './project.ts'
import { type CommandResult, end, launch, outcomeOf, untilSaid } from './undock.ts'

export type ServedNode = {
  readonly url: string
  readonly adminUrl: string
  readonly process: ChildProcess
  /** Sends a signal and waits for the exit. @returns its exit code */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/** A project before its nodes are started. */
export type ServedProject = {
  readonly project: TestProject
  readonly keys: { readonly publishable: string; readonly secret: string }
  readonly s3Credentials: Credentials
  /** Runs `undock serve` with flags. */
  command(flags: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>
  /** @param env Can also set its ports. */
  start(env?: Readonly<Record<string, string>>): Promise<ServedNode>
  remove(): Promise<void>
}

/** The variables that configure a store. */
export const storeVariables = ({ files }: Pick<TestStore, 'files'>): Record<string, string> => ({
  UNDOCK_SERVE_S3_ENDPOINT: files.endpoint ?? '',
  UNDOCK_SERVE_S3_REGION: files.region,
  UNDOCK_SERVE_S3_BUCKET: files.bucket,
  UNDOCK_SERVE_S3_PREFIX: files.prefix,
  UNDOCK_SERVE_S3_ACCESS_KEY_ID: files.accessKeyId,
  UNDOCK_SERVE_S3_SECRET_ACCESS_KEY: files.secretAccessKey,
})

const SMTP = `
[auth.email.smtp]
enabled = true
host = "127.0.0.1"
port = 9
user = "mailer"
pass = "x"
admin_email = "admin@example.com"
`

/** Creates a project with its own secrets.
 *  @param files Contents by their path in `supabase/`.
 *  @param environment Variables of every node. */
export async function makeServedProject(
  { 'config.toml': config = '', ...files }: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Promise<ServedProject> {
  const project = await makeProject({ 'config.toml': `${config}\n${SMTP}`, ...files })
  const secrets = join(project.folder, 'secrets')
  const own = { folder: project.folder, ports: {} }
  const made = await outcomeOf(launch(own, ['serve', '--new-secrets', secrets]))
  const named = Object.fromEntries(
    made.stdout
      .trim()
      .split('\n')
      .map((line): [string, string] => {
        const [name = '', value = ''] = line.split('=')
        return [name, value]
      }),
  )
  // One process by default, because signals from tests must reach the node itself.
  const env = { UNDOCK_SERVE_WORKERS: '1', ...named, ...environment }
  const { config: read, s3Credentials } = readNodeSettings(project.folder, { ...process.env, ...env })
  if (!s3Credentials) throw new Error('New secrets have none for the S3 protocol')
  return {
    project,
    s3Credentials,
    keys: { publishable: read.auth.publishable_key, secret: read.auth.secret_key },
    command: (flags, more = {}) => outcomeOf(launch({ ...own, ports: { ...env, ...more } }, ['serve', ...flags])),
    async start(more = {}) {
      const { UNDOCK_SERVE_PORT: port = await freePort(), UNDOCK_SERVE_ADMIN_PORT: adminPort = await freePort() } = more
      const ports = { UNDOCK_SERVE_PORT: String(port), UNDOCK_SERVE_ADMIN_PORT: String(adminPort) }
      const child = launch({ ...own, ports: { ...env, ...more, ...ports } }, ['serve'])
      child.stdout?.resume()
      await untilSaid(child, 'Serving on port')
      return {
        url: `http://127.0.0.1:${port}`,
        adminUrl: `http://127.0.0.1:${adminPort}`,
        process: child,
        async end(signal = 'SIGTERM') {
          await end(child, signal)
          return child.exitCode
        },
      }
    },
    remove: project.remove,
  }
}
