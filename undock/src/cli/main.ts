import { enableCompileCache } from 'node:module'

// Parsing and stripping the sources is most of a short command's time; Node keeps the result.
enableCompileCache()

const { runCli } = await import('./run-cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
