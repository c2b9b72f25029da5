import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { readProjectConfig } from '../../config/project.ts'
import { LockedError, withLock } from '../../database/project/lock.ts'
import { HTTP_LIMITS } from '../../kernel/node-http.ts'
import { makeStateFolder, stateFolder } from '../../runtime/place/state-folders.ts'
import type { StackOptions } from '../../runtime/stack/options.ts'
import { startStack } from '../../runtime/stack/stack.ts'
import { findWorkdir, UsageError } from '../arguments.ts'
import { printEvent, quote, showLine } from '../report.ts'
import { exitSoon, untilSignal } from '../signals.ts'
import { prettyStatus } from '../stack/environment.ts'
import { openDeployedProject } from './project.ts'
import { createManagementApi } from './routes.ts'

type HostedOptions = {
  readonly workdir?: string
  readonly port: number
  readonly projectRef?: string
  readonly empty: boolean
}

/** `undock hosted`: runs an empty project until Ctrl-C, to which the Supabase CLI deploys like to the platform. */
export async function hosted({ workdir: given, port, projectRef, empty }: HostedOptions): Promise<number> {
  checkedRef(projectRef)
  const workdir = findWorkdir(given)
  return whileAlone(workdir, 'hosted', async () => {
    const folder = hostedFolder(workdir)
    if (empty) await rm(folder, { recursive: true, force: true })
    const signal = untilSignal()
    const tell = (line: string) => console.error(`[management] ${line}`)
    const place = await openHosted(folder, workdir, [port, projectRef], tell, { console: true })
    try {
      console.error(prettyStatus(place.project.stack))
      const exports = Object.entries(place.variables).map(([name, value]) => `export ${name}=${quote(value)}`)
      const script = [...exports, `# supabase link --project-ref ${place.project.deployed.ref}`].join('\n')
      await writeFile(scriptIn(folder), `${script}\n`, { mode: 0o600 })
      console.log(script)
      await signal
      return 0
    } finally {
      await rm(scriptIn(folder), { force: true })
      await place.close()
      exitSoon()
    }
  })
}

/** Where `undock hosted` keeps what was deployed. */
export const hostedFolder = (workdir: string): string => join(stateFolder(workdir), 'hosted')

/** @throws {UsageError} for a text that can't be a project's reference. */
export function checkedRef<Ref extends string | undefined>(ref: Ref): Ref {
  if (ref === undefined || /^[a-z]{20}$/.test(ref)) return ref
  throw new UsageError(
    `"${ref}" is not a project ref, which has 20 lowercase letters, as in https://supabase.com/dashboard/project/REF.`,
  )
}

/** Runs work while neither `hosted` nor `rehearse` runs for the project.
 *  @throws {UsageError} if one does. */
export async function whileAlone<T>(workdir: string, command: string, work: () => Promise<T>): Promise<T> {
  await makeStateFolder(workdir)
  // The backend's own lock is free while a change restarts it.
  return withLock(join(stateFolder(workdir), 'hosted.lock'), command, work).catch((error: Error) => {
    if (!(error instanceof LockedError) || error.holder.name === null) throw error
    const { name, pid } = error.holder
    throw new UsageError(`undock ${name} is running already, as process ${pid}. End it with Ctrl-C first.`)
  })
}

/** A deployed project that runs with its Management API. */
export type Hosted = Awaited<ReturnType<typeof openHosted>>

/** Starts a folder's project, or an empty one, on a port and the following ones. @param workdir The project to deploy. @param tell Called
 *  for each of the CLI's requests. @returns it with the variables that the CLI needs to deploy to it. */
export async function openHosted(
  folder: string,
  workdir: string,
  [port, ref]: readonly [port: number, ref: string | undefined],
  tell: (line: string) => void,
  options: Partial<StackOptions> = {},
) {
  const { host, pooler } = addressOf(port)
  const env = {
    ...backendEnvironment(workdir),
    UNDOCK_HOST: host,
    SUPABASE_DB_PORT: '5432',
    SUPABASE_API_PORT: String(port + 1),
    SUPABASE_STUDIO_PORT: String(port + 2),
    SUPABASE_LOCAL_SMTP_PORT: String(port + 3),
  }
  const project = await openDeployedProject(folder, ref, (own) =>
    startStack({ workdir: own, env, tell: printEvent, show: showLine, ...options }),
  )
  const api = createManagementApi({ project, poolerHost: pooler, tell })
  const server = createServer(HTTP_LIMITS, getRequestListener(api)).listen(port, host)
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await project.stop()
  }
  try {
    await once(server, 'listening')
    const profile = join(folder, 'profile.json')
    const url = `http://${host}:${port}`
    // The name doesn't resolve, so that the CLI uses the pooler.
    const settings = { name: 'undock', api_url: url, dashboard_url: url, project_host: 'undock.invalid' }
    await writeFile(profile, JSON.stringify(settings))
    const variables = {
      SUPABASE_PROFILE: profile,
      SUPABASE_ACCESS_TOKEN: project.deployed.token,
      SUPABASE_PROJECT_ID: project.deployed.ref,
      SUPABASE_DB_PASSWORD: new URL(project.stack.dbUrl).password,
    }
    return { folder, project, variables, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the project's own loopback address: the CLI only connects to port 5432 of hosted projects, which another Postgres may use.
 *  macOS has no other address. The CLI refuses a pooler whose host is an IP address, but not in the short form of `inet_aton`. */
const addressOf = (port: number): { host: string; pooler: string } =>
  process.platform === 'darwin'
    ? { host: '127.0.0.1', pooler: '127.1' }
    : { host: `127.0.${port >> 8}.${port & 255}`, pooler: `127.${port}` }

/** Returns this process's variables without those that would override settings of the project. */
export const backendEnvironment = (workdir: string): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:SUPABASE_|UNDOCK_(?!CACHE_DIR$))/.test(name)),
  ),
  SUPABASE_API_AUTO_EXPOSE_NEW_TABLES: String(readProjectConfig(workdir).config.api.auto_expose_new_tables ?? true),
})

/** Exists while the project accepts deployments. */
const scriptIn = (folder: string): string => join(folder, 'env.sh')
