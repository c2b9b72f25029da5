import { fileURLToPath } from 'node:url'
import type { Console, ConsoleOptions } from '../console/index.ts'
import { PortInUseError } from './ports.ts'

/** The client, which `npm run console` builds and the published package contains. */
const CLIENT = fileURLToPath(new URL('../../console/dist', import.meta.url))

type OpenConsoleOptions = Omit<ConsoleOptions, 'folder'> & {
  /** Called when the console has another port than the wanted one. */
  onOtherPort(port: number, reason: string): void
}

/** Starts the console. No program depends on its port, so a port that is taken does not stop the backend: the console takes a
 *  free one. */
export async function openConsole({ onOtherPort, ...options }: OpenConsoleOptions): Promise<Console> {
  const { startConsole } = await import('../console/index.ts')
  try {
    return await startConsole({ ...options, folder: CLIENT })
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error
    const console = await startConsole({ ...options, folder: CLIENT, port: 0 })
    onOtherPort(Number(new URL(console.url).port), error.message.split('\n', 1)[0] ?? '')
    return console
  }
}
