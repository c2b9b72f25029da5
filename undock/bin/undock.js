#!/usr/bin/env node
// Plain JavaScript, for whatever Node starts it. In the repository undock is TypeScript that Node runs as it is; the published
// package holds the same built, because Node strips no types below node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNewEnough, newerNode, tooOld } from './node-version.js'

const isSource = existsSync(new URL('../src/cli/main.ts', import.meta.url))
const moduleAt = (path) => new URL(isSource ? `../src/${path}.ts` : `../dist/${path}.js`, import.meta.url)

if (isNewEnough()) {
  await import(moduleAt('cli/main'))
} else {
  const child = spawn(await otherNode(), [fileURLToPath(moduleAt('cli/main')), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', ...(process.send ? ['ipc'] : [])],
  })
  // Who started this one waits to be told that the backend is ready.
  child.on('message', (message) => process.send?.(message))
  // The terminal sends these to the child as well; it decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)))
}

/** The Node that the repository's set-up installed, or the one of the npm package `node` in the project, or one that is fetched once
 *  on a machine. */
async function otherNode() {
  if (isSource) return fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  try {
    return createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    return fetchedNode()
  }
}

async function fetchedNode() {
  const { fetchPackage } = await import(moduleAt('platform/fetched-package'))
  const { name, version, program } = newerNode()
  try {
    const modules = await fetchPackage(`${name}@${version}`, () =>
      console.error(`${tooOld()}. Fetching Node ${version} (once on this machine)`),
    )
    return join(modules, name, program)
  } catch (error) {
    console.error(`${tooOld()}. Install it.\n${error.message}`)
    process.exit(1)
  }
}
