// `npm run dev`: starts the backend, and the app in Vite's development server with hot reload.
import { startLocalBackend } from './local-backend.ts'
import { run, tool } from './processes.ts'

const { process: backend, ended, app, ready } = await startLocalBackend()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => backend.kill(signal))
const found = await ready
if (found) {
  void run(tool('vite'), ['--port', String(app.port)], found.appEnvironment).then(() => backend.kill('SIGTERM'))
}
process.exit(await ended)
