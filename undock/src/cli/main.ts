import { enableCompileCache } from 'node:module'

// Parsing the sources takes most of a short command's time, so Node caches the result.
enableCompileCache()

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const { runCli } = await import('./run-cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
