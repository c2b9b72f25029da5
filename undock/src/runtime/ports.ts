import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Env } from '../config/env.ts'
import type { ProjectConfig } from '../config/project.ts'
import { publicHost } from '../config/public-host.ts'
import { portOwner } from '../gateway/port-owner.ts'
import { type Listener, listen } from '../gateway/server.ts'
import type { Certificate } from '../kernel/certificate.ts'

/** A port that a stack needs is taken. */
export class PortInUseError extends Error {
  readonly port: number

  constructor(port: number, owner: string | null, what: string) {
    super(
      `Port ${port}, for ${what}, is in use${owner ? ` by ${owner}` : ''}.\n` +
        'End that program, give this project another port in supabase/config.toml, or take free ones with `--ports free`.',
    )
    this.name = 'PortInUseError'
    this.port = port
  }
}

/** Takes a port for `what`; the error names the process that uses it already.
 *  @throws {PortInUseError} */
export async function claim<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T> {
  try {
    return await take(port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new PortInUseError(port, await portOwner(port), what)
  }
}

export const claimApi = (host: string, port: number, certificate: Certificate | null): Promise<Listener> =>
  claim(port, 'the API', (wanted) => listen(host, wanted, certificate))

/** Checks that a port is free that will be taken only later.
 *  @throws {PortInUseError} */
export async function probe(host: string, port: number, what: string): Promise<void> {
  await claim(port, what, async (wanted) => {
    const server = createServer().listen(wanted, host)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
  })
}

/** The environment of a project that is moved to the port that was found free for it. */
export const withApiPort = ({ config, settings, env }: ProjectConfig, port: number): Env => ({
  ...env,
  SUPABASE_API_PORT: String(port),
  SUPABASE_API_EXTERNAL_URL: `${config.api.tls.enabled ? 'https' : 'http'}://${publicHost(settings.host)}:${port}`,
})

/** The certificate that the API speaks TLS with, when config.toml asks for TLS: the one it names, else one of our own.
 *  @param folder Where our own is kept. */
export async function certificateOf({ config, settings }: ProjectConfig, folder: string | null) {
  const { enabled, cert_path, key_path } = config.api.tls
  if (!enabled) return null
  if (cert_path) return { cert: await readFile(cert_path, 'utf8'), key: await readFile(key_path, 'utf8') }
  return certificateFor(settings.host, folder)
}

/** The certificate of the database port, one for all projects of this machine: its clients seldom check it. */
export const databaseCertificate = (host: string, cacheFolder: string): Promise<Certificate> =>
  certificateFor(host, join(cacheFolder, 'tls'))

async function certificateFor(host: string, folder: string | null): Promise<Certificate> {
  const { ownCertificate } = await import('../kernel/certificate.ts')
  const hosts = new Set(['localhost', '127.0.0.1', publicHost(host).replace(/^\[|\]$/g, '')])
  return ownCertificate(folder, [...hosts], new Date())
}
