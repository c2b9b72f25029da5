import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderFault } from '../../config/fault.ts'
import { makeFiles } from '../../testing/files.ts'
import { versionWarnings } from './pinned-versions.ts'

let workdir: string
beforeEach(async () => {
  workdir = await mkdtemp(join(tmpdir(), 'undock-linked-'))
})
afterEach(() => rm(workdir, { recursive: true, force: true }))

const warnings = () => versionWarnings(workdir, 17).map(renderFault)
const lock = (postgrest: string, majorVersion: number) =>
  JSON.stringify({
    $schema: 'https://supabase.com/docs/cli/supabase-lock/v1.schema.json',
    lockfileVersion: 1,
    services: {
      database: { majorVersion, line: 'stock', resolved: { upstreamVersion: '17.6.1', revision: 1 } },
      rest: { resolution: 'resolved', resolved: { upstreamVersion: postgrest, revision: 1 } },
    },
  })

test.each([['v16.2'], ['16.5\n'], ['latest'], ['']])("doesn't warn about %j", async (text) => {
  await makeFiles(workdir, { 'supabase/.temp/rest-version': text, 'supabase/supabase.lock': lock('v16.1.0', 17) })
  expect(warnings()).toEqual([])
})

test("doesn't warn about an unlinked project", () => {
  expect(warnings()).toEqual([])
})

test('reports other major versions of the linked project and the lock', async () => {
  await makeFiles(workdir, { 'supabase/.temp/rest-version': 'v14.12', 'supabase/supabase.lock': lock('v15.0', 15) })
  expect(warnings()).toEqual([
    'supabase/.temp/rest-version: the linked project runs PostgREST 14.12; the Data API here behaves like PostgREST 16',
    'supabase/supabase.lock: PostgREST 15.0 is pinned; the Data API here behaves like PostgREST 16',
    'supabase/supabase.lock: PostgreSQL 15 is pinned, but PostgreSQL 17 runs here, as db.major_version says',
  ])
  await makeFiles(workdir, { 'supabase/supabase.lock': '{"lockfileVersion": 2}' })
  expect(warnings()[1]).toContain('not a lock file of version 1')
})
