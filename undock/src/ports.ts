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

/** The settings of a project, moved to the port that was found free for it. */
export const withApiPort = (env: Env, port: number): Env => ({
  ...env,
  SUPABASE_API_PORT: String(port),
  SUPABASE_API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
})
