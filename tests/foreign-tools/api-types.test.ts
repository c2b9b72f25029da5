// The committed client types of the API for programs are those that openapi-typescript makes of its description today.
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runIn } from './tools.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('types/api.ts is up to date', async () => {
  const { code, output } = await runIn(ROOT, process.execPath, [
    'undock/bin/undock.js',
    'run',
    '--',
    process.execPath,
    'scripts/api-types.ts',
    '--check',
  ])
  expect(code, output).toBe(0)
})
