import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package undock. */
export const UNDOCK = fileURLToPath(new URL('../..', import.meta.url))
export const COMMAND = join(UNDOCK, 'bin/undock.js')

/** The `node_modules` with the tests' packages: undock's or the surrounding workspace's. */
export const PACKAGES = dirname(dirname(createRequire(import.meta.url).resolve('vitest/package.json')))

/** The path of a package's command. */
export const commandOf = (name: string): string => join(PACKAGES, '.bin', name)
