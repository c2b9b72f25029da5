// `npm start`: starts the backend on this machine and serves the built app.
import { fileURLToPath } from 'node:url'
import { mailsToInbox } from './mention-mails.ts'
import { run, start, tool, UNDOCK } from './processes.ts'

const APP_URL = 'http://127.0.0.1:5173'
const [node, undock] = UNDOCK as [string, string]

console.log('Building the app …')
if ((await run(tool('vite'), ['build', '--logLevel', 'warn', '--mode', 'development'])) !== 0) process.exit(1)

const backend = start(
  node,
  [undock, 'start', '--workdir', fileURLToPath(new URL('..', import.meta.url))],
  mailsToInbox(APP_URL),
)
const ended = new Promise<number>((resolve) => backend.on('exit', (code) => resolve(code ?? 0)))
const up = await Promise.race([ended.then(() => false), untilHealthy()])
if (!up) process.exit(await ended)

const app = start(tool('vite'), ['preview', '--logLevel', 'warn'])
console.log(`
Carrel is at ${APP_URL}
  Sign in to the demo library as demo@carrel.local with the password carrel-demo-library,
  or sign up: the confirmation mail arrives at http://127.0.0.1:54324
Ctrl-C ends everything; what you put in stays.
`)
// The terminal's Ctrl-C reaches all three processes; this one waits until the backend has closed its files.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => backend.kill(signal))
app.on('exit', () => backend.kill('SIGTERM'))
const code = await ended
app.kill('SIGTERM')
process.exit(code)

/** True once the backend responds. It prints its progress in the meantime. */
async function untilHealthy(): Promise<boolean> {
  for (;;) {
    const answered = await fetch('http://127.0.0.1:54321/undock/v1/health').then(
      (response) => response.ok,
      () => false,
    )
    if (answered && backend.exitCode === null) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
