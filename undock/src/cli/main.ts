import { enableCompileCache } from 'node:module'

// Parsing and stripping the sources is most of a short command's time; Node keeps the result.
enableCompileCache()

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const { runCli } = await import('./run-cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
