import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderFault } from '../../config/fault.ts'
import { makeFiles } from '../../testing/files.ts'
import { linkedRestWarning } from './linked-rest-version.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-linked-'))
})
afterEach(() => rm(workdir, { recursive: true, force: true }))

test.each([['v16.2'], ['16.5\n'], ['latest'], ['']])('%j needs no warning', async (text) => {
  await makeFiles(workdir, { 'supabase/.temp/rest-version': text })
  expect(linkedRestWarning(workdir)).toBeNull()
})

test('a project that is not linked needs no warning', () => {
  expect(linkedRestWarning(workdir)).toBeNull()
})

test('another major version is reported', async () => {
  await makeFiles(workdir, { 'supabase/.temp/rest-version': 'v14.12' })
  const warning = linkedRestWarning(workdir)
  expect(warning && renderFault(warning)).toBe(
    'supabase/.temp/rest-version: the linked project runs PostgREST 14.12; the Data API here behaves like PostgREST 16',
  )
})
