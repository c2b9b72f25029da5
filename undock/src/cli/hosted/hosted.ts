import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { readProjectConfig } from '../../config/project.ts'
import { LockedError, withLock } from '../../database/project/lock.ts'
import { HTTP_LIMITS } from '../../kernel/node-http.ts'
import { makeStateFolder, stateFolder } from '../../runtime/place/state-folders.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { findWorkdir, UsageError } from '../arguments.ts'
import { showLine, tellEvent } from '../report.ts'
import { exitSoon, untilSignal } from '../signals.ts'
import { prettyStatus } from '../stack/environment.ts'
import { type DeployedProject, openDeployedProject } from './project.ts'
import { createManagementApi } from './routes.ts'

type HostedOptions = {
  readonly workdir?: string
  readonly port: number
  readonly projectRef?: string
  readonly empty: boolean
}

/** `undock hosted`: runs an empty project that the Supabase CLI deploys to as it does to the platform, until Ctrl-C. */
export async function hosted({ workdir: given, ...options }: HostedOptions): Promise<number> {
  const { projectRef } = options
  if (projectRef !== undefined && !/^[a-z]{20}$/.test(projectRef))
    throw new UsageError('--project-ref is 20 lowercase letters, such as abcdefghijklmnopqrst.')
  const workdir = findWorkdir(given)
  await makeStateFolder(workdir)
  // Its backend's own lock is free while a change restarts it.
  const lock = join(stateFolder(workdir), 'hosted.lock')
  return withLock(lock, 'hosted', () => serve(workdir, options)).catch((error: Error) => {
    if (!(error instanceof LockedError) || error.holder.name !== 'hosted') throw error
    throw new UsageError(`undock hosted is running already, as process ${error.holder.pid}. End it with Ctrl-C first.`)
  })
}

async function serve(workdir: string, { port, projectRef, empty }: Omit<HostedOptions, 'workdir'>): Promise<number> {
  const folder = join(stateFolder(workdir), 'hosted')
  if (empty) await rm(folder, { recursive: true, force: true })
  const signal = untilSignal()
  const address = addressOf(port)
  const { auto_expose_new_tables: exposes = true } = readProjectConfig(workdir).config.api
  const env = { ...backendEnvironment(address.host, port), SUPABASE_API_AUTO_EXPOSE_NEW_TABLES: String(exposes) }
  const project = await openDeployedProject(folder, projectRef, (own) =>
    startStack({ workdir: own, env, console: true, tell: tellEvent, show: showLine }),
  )
  try {
    const tell = (line: string) => console.error(`[management] ${line}`)
    const api = createManagementApi({ project, poolerHost: address.pooler, tell })
    const server = createServer(HTTP_LIMITS, getRequestListener(api)).listen(port, address.host)
    await once(server, 'listening')
    console.error(prettyStatus(project.stack))
    console.log(await writeProfile(folder, `http://${address.host}:${port}`, project))
    await signal
    server.close()
    server.closeAllConnections()
    return 0
  } finally {
    await rm(scriptIn(folder), { force: true })
    await project.stop()
    exitSoon()
  }
}

/** Returns the project's own loopback address: the CLI only connects to port 5432 of hosted projects, which another Postgres may use.
 *  macOS has no other address. The CLI refuses a pooler whose host is an IP address, but not in the short form of `inet_aton`. */
const addressOf = (port: number): { host: string; pooler: string } =>
  process.platform === 'darwin'
    ? { host: '127.0.0.1', pooler: '127.1' }
    : { host: `127.0.${port >> 8}.${port & 255}`, pooler: `127.${port}` }

/** Returns this process's variables without those that would override settings of the project. */
const backendEnvironment = (host: string, port: number): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:SUPABASE|UNDOCK)_/.test(name))),
  UNDOCK_HOST: host,
  SUPABASE_DB_PORT: '5432',
  SUPABASE_API_PORT: String(port + 1),
  SUPABASE_STUDIO_PORT: String(port + 2),
  SUPABASE_LOCAL_SMTP_PORT: String(port + 3),
})

/** Exists while the project can be deployed to. */
const scriptIn = (folder: string): string => join(folder, 'env.sh')

/** Writes a profile for the CLI, and a script that sets its variables.
 *  @returns the script. */
async function writeProfile(folder: string, url: string, { deployed, stack }: DeployedProject): Promise<string> {
  const profile = join(folder, 'profile.json')
  // The name resolves nowhere, so that the CLI uses the pooler.
  const settings = { name: 'undock', api_url: url, dashboard_url: url, project_host: 'undock.invalid' }
  await writeFile(profile, JSON.stringify(settings))
  const variables = {
    SUPABASE_PROFILE: profile,
    SUPABASE_ACCESS_TOKEN: deployed.token,
    SUPABASE_PROJECT_ID: deployed.ref,
    SUPABASE_DB_PASSWORD: new URL(stack.dbUrl).password,
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
  const script = [...lines, `# supabase link --project-ref ${deployed.ref}`].join('\n')
  await writeFile(scriptIn(folder), `${script}\n`, { mode: 0o600 })
  return script
}
