#!/usr/bin/env node
// Plain JavaScript, for whatever Node starts it. In the repository undock is TypeScript that Node 24 runs as it is; the
// published package holds the same built, because Node strips no types below node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const WANTED = 24
const source = new URL('../src/cli/main.ts', import.meta.url)
const main = existsSync(source) ? source : new URL('../dist/cli/main.js', import.meta.url)

if (Number(process.versions.node.split('.', 1)[0]) >= WANTED) {
  await import(main)
} else {
  const node = ownNode()
  if (!node) {
    console.error(
      `undock needs Node ${WANTED} or newer; this is ${process.version}.\nInstall it, or add it to the project: npm install --save-dev node@${WANTED}`,
    )
    process.exit(1)
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal sends these to the child as well; it decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)))
}

/** The Node of the npm package `node`, when the project has it. */
function ownNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    return null
  }
}
