import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Env } from './config/env.ts'
import { portOwner } from './gateway/port-owner.ts'
import { type Listener, listen } from './gateway/server.ts'

/** A port that a stack needs is taken. */
export class PortInUseError extends Error {
  readonly port: number

  constructor(port: number, owner: string | null, what: string) {
    super(
      `Port ${port}, for ${what}, is in use${owner ? ` by ${owner}` : ''}.\n` +
        'End that program, or give this project another port in supabase/config.toml.',
    )
    this.name = 'PortInUseError'
    this.port = port
  }
}

/** Takes a port for `what`; when it is taken, says by whom.
 *  @throws {PortInUseError} */
export async function claim<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T> {
  try {
    return await take(port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new PortInUseError(port, await portOwner(port), what)
  }
}

export const claimApi = (host: string, port: number): Promise<Listener> =>
  claim(port, 'the API', (wanted) => listen(host, wanted))

/** Finds out that a port is free, for what will take it only later.
 *  @throws {PortInUseError} */
export async function probe(host: string, port: number, what: string): Promise<void> {
  await claim(port, what, async (wanted) => {
    const server = createServer().listen(wanted, host)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
  })
}

/** The settings of a project, moved to the port that was found free for it. */
export const withApiPort = (env: Env, port: number): Env => ({
  ...env,
  SUPABASE_API_PORT: String(port),
  SUPABASE_API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
})
