import { enableCompileCache } from 'node:module'

// Parsing and stripping the sources is most of a short command's time; Node keeps the result.
enableCompileCache()

const words = process.argv.slice(2)
// The database engine takes longest to start, so its thread is started before the command line is parsed.
if (words[0] === 'start' || words[0] === 'run') {
  const { prepareWorker } = await import('../database/pglite/spare-worker.ts')
  prepareWorker({ isShortLived: words[0] === 'run' })
}
const { runCli } = await import('./run-cli.ts')
process.exitCode = await runCli(words)
