import { spawn } from 'node:child_process'
import { type BackendOptions, findBackend } from './arguments.ts'
import { ask, findRunning } from './running.ts'

export type ConsoleOptions = BackendOptions & { readonly open: boolean }

/** `undock console`: prints a link that opens the console once, and opens it in the browser.
 *  @returns 1 when the backend has no console. */
export async function openConsole({ open, ...options }: ConsoleOptions): Promise<number> {
  const response = await ask(await findRunning(findBackend(options)), '/console', {})
  if (!response) return 1
  const { url } = (await response.json()) as { url: string }
  console.log(url)
  if (open && process.stdout.isTTY) openInBrowser(url)
  return 0
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // cmd.exe's `start` would end the command at an `&` in the URL.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Ignores errors: the link is printed anyway. */
function openInBrowser(url: string): void {
  const [command, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  spawn(command, [...words, url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}
