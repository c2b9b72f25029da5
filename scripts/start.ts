// `npm start`: starts the backend on this machine and serves the built app.
import { createServer } from 'node:http'
import sirv from 'sirv'
import { buildStamp } from './build-stamp.mjs'
import { startLocalBackend } from './local-backend.ts'
import { ROOT, run, tool } from './processes.ts'

const { process: backend, ended, app, ready } = await startLocalBackend()
// Ctrl-C reaches all processes; this one waits until the backend has closed its files.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => backend.kill(signal))
const found = await ready
if (!found) process.exit(await ended)

// The backend's address is part of the build.
const stamp = buildStamp(`${ROOT}dist`, {
  root: ROOT,
  paths: [
    ...[
      'src',
      'public',
      'types',
      'supabase/functions/_shared',
      'scripts/vite',
      'index.html',
      'vite.config.ts',
      'package-lock.json',
    ],
    ...['.env', '.env.local', '.env.development', '.env.development.local'],
  ],
  settings: JSON.stringify(Object.entries(found.appEnvironment).filter(([name]) => name.startsWith('VITE_'))),
})
if (!stamp.isFresh) {
  console.log('Building the app …')
  const built = await run(tool('vite'), ['build', '--logLevel', 'warn', '--mode', 'development'], found.appEnvironment)
  if (built !== 0) {
    backend.kill('SIGTERM')
    await ended
    process.exit(1)
  }
  stamp.keep()
}
createServer(sirv(`${ROOT}dist`, { etag: true, dev: true, single: true, brotli: true })).listen(app.port, '127.0.0.1')
console.log(`
Carrel is at ${app.url}
  Sign in to the demo library as demo@carrel.local with the password carrel-demo-library,
  or sign up: the confirmation email arrives at ${found.mailUrl}
Ctrl-C ends everything; what you put in stays.
`)
process.exit(await ended)
