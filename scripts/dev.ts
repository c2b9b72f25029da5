// `npm run dev`: starts the backend, and the app in Vite's development server with hot reload.
import { mailsToInbox } from './mention-mails.ts'
import { ROOT, run, start, tool, UNDOCK } from './processes.ts'

const [node, undock] = UNDOCK as [string, string]
const backend = start(node, [undock, 'start', '--workdir', ROOT], mailsToInbox('http://127.0.0.1:5173'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => backend.kill(signal))
const ended = new Promise<number>((resolve) => backend.on('exit', (code) => resolve(code ?? 0)))
void run(tool('vite'), []).then(() => backend.kill('SIGTERM'))
process.exit(await ended)
