import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Env } from '../../config/env.ts'
import type { ProjectConfig } from '../../config/project.ts'
import { publicHost } from '../../config/public-host.ts'
import { type Listener, listen } from '../../gateway/server.ts'
import { UserError } from '../../kernel/service-error.ts'
import type { Certificate } from '../../platform/certificate.ts'
import { portOwner } from '../../platform/port-owner.ts'
import type { StackPorts } from './port-assignment.ts'

/** A required port is taken. */
export class PortInUseError extends UserError {
  readonly port: number

  constructor(port: number, owner: string | null, what: string, remedy: string) {
    super(`Port ${port}, for ${what}, is in use${owner ? ` by ${owner}` : ''}.\n${remedy}`)
    this.port = port
  }
}

/** The advice for a taken port of config.toml. */
const CONFIG_REMEDY =
  'Stop that program, set another port in supabase/config.toml, start a backend with its own data and ports ' +
  'with `undock start --name NAME`, or use free ports with `--ports free`.'

export type PortClaims = {
  /** Binds a port for `what`; the error names the process using it.
   *  @throws {PortInUseError} */
  claim<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T>
  /** @throws {PortInUseError} */
  claimApi(port: number, certificate: Certificate | null): Promise<Listener>
  /** Checks that a port bound only later is free.
   *  @throws {PortInUseError} */
  probe(port: number, what: string): Promise<void>
}

/** @param portsFile The file the ports come from; null for config.toml. */
export function createPortClaims(host: string, portsFile: string | null): PortClaims {
  const remedy = portsFile
    ? `Stop that program, or delete ${portsFile} so that the next start uses other ports.`
    : CONFIG_REMEDY
  const claim: PortClaims['claim'] = async (port, what, take) => {
    try {
      return await take(port)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      throw new PortInUseError(port, await portOwner(port), what, remedy)
    }
  }
  return {
    claim,
    claimApi: (port, certificate) => claim(port, 'the API', (wanted) => listen(host, wanted, { certificate })),
    probe: (port, what) =>
      claim(port, what, async (wanted) => {
        const server = createServer().listen(wanted, host)
        await once(server, 'listening')
        server.close()
        await once(server, 'close')
      }),
  }
}

/** Returns a project's environment with ports replaced. 0 or none keeps config.toml's. */
export function withPorts({ config, settings, env }: ProjectConfig, ports: Partial<StackPorts>): Env {
  const { api = 0, database = 0, studio = 0, mail = 0, smtp = 0, pooler = 0 } = ports
  const scheme = config.api.tls.enabled ? 'https' : 'http'
  return {
    ...env,
    ...(api && {
      SUPABASE_API_PORT: String(api),
      SUPABASE_API_EXTERNAL_URL: `${scheme}://${publicHost(settings.host)}:${api}`,
    }),
    ...(database && { SUPABASE_DB_PORT: String(database) }),
    ...(studio && { SUPABASE_STUDIO_PORT: String(studio) }),
    ...(pooler && { SUPABASE_DB_POOLER_PORT: String(pooler) }),
    ...(mail && { SUPABASE_LOCAL_SMTP_PORT: String(mail) }),
    // Only if the project has SMTP.
    ...(smtp && config.local_smtp.smtp_port && { SUPABASE_LOCAL_SMTP_SMTP_PORT: String(smtp) }),
  }
}

/** Returns the API's certificate if config.toml enables TLS: the configured one, else undock's own.
 *  @param folder Where undock's own is stored. */
export async function certificateOf({ config, settings }: ProjectConfig, folder: string | null) {
  const { enabled, cert_path, key_path } = config.api.tls
  if (!enabled) return null
  if (cert_path) return { cert: await readFile(cert_path, 'utf8'), key: await readFile(key_path, 'utf8') }
  return certificateFor(settings.host, folder)
}

/** Returns the database port's certificate, shared by all projects on this machine: clients seldom verify it. */
export const databaseCertificate = (host: string, cacheFolder: string): Promise<Certificate> =>
  certificateFor(host, join(cacheFolder, 'tls'))

async function certificateFor(host: string, folder: string | null): Promise<Certificate> {
  const { ownCertificate } = await import('../../platform/certificate.ts')
  const hosts = new Set(['localhost', '127.0.0.1', publicHost(host).replace(/^\[|\]$/g, '')])
  return ownCertificate(folder, [...hosts], new Date())
}
