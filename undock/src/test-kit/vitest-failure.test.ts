import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const CONFIG = fileURLToPath(new URL('../testing/vitest/vitest.config.ts', import.meta.url))

// A separate run, like in a project.
test("a failing Vitest test prints its requests, other tests don't", { timeout: 300_000 }, async () => {
  const run = promisify(execFile)(process.execPath, [VITEST, 'run', '--config', CONFIG])
  const failed: { code: number; stderr: string } = await run.then(
    () => Promise.reject(new Error('The run passed')),
    (error) => error,
  )
  expect(failed.code).toBe(1)
  expect(failed.stderr.match(/GET \/rest\/v1\/lists\S*/g)).toEqual(['GET /rest/v1/lists?select=name'])
  expect(failed.stderr).toContain('SQL as service_role')
})
