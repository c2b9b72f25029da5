import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { makeFiles } from '../../testing/files.ts'
import { applyMigrations } from './apply.ts'
import { readMigrations } from './project-files.ts'
import { readMigrationState } from './state.ts'

let database: TestDatabase
let folder: string
const supabaseFolder = () => join(folder, 'supabase')

async function files(migrations: Readonly<Record<string, string>>) {
  await rm(join(supabaseFolder(), 'migrations'), { recursive: true, force: true })
  await makeFiles(join(supabaseFolder(), 'migrations'), migrations)
  return readMigrations(supabaseFolder())
}
const stateOf = async (migrations: Readonly<Record<string, string>>) => {
  const { pending, faults } = await readMigrationState(database.db, await files(migrations), supabaseFolder())
  return { pending: pending.map(({ path }) => path), faults }
}

const NOTES = "-- why\ncreate table notes (body text);\n\ninsert into notes values ('a;  b'); -- the first one\n"
const TAGS = "create function tag() returns text language sql as $$ select 'x'; -- inside\n$$;"
const APPLIED = { '20260101000000_notes.sql': NOTES, '20260103000000_tags.sql': TAGS }

beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'undock-state-'))
  await applyMigrations(database.engine, await files(APPLIED), () => undefined)
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

test('ignores unchanged files and changes to comments and line breaks', async () => {
  const clean = { pending: [], faults: [] }
  expect(await stateOf(APPLIED)).toEqual(clean)
  const reformatted = `/* because */ create table notes\r\n  (body text);insert into notes values ('a;  b')`
  expect(await stateOf({ ...APPLIED, '20260101000000_notes.sql': reformatted })).toEqual(clean)
})

test.each([
  ['another column', NOTES.replace('body text', 'body text, at date')],
  ['another string', NOTES.replace('a;  b', 'a; b')],
  ['an additional statement', `${NOTES}\nselect 1;`],
  ['a removed statement', 'create table notes (body text);'],
  ['nothing', ''],
])('reports an edited file that was already applied, with the time: %s', async (_, text) => {
  const migrations = await files({ ...APPLIED, '20260101000000_notes.sql': text })
  const at = new Date('2026-02-03T04:05:06Z')
  await utimes(join(supabaseFolder(), 'migrations/20260101000000_notes.sql'), at, at)
  expect((await readMigrationState(database.db, migrations, supabaseFolder())).faults).toEqual([
    'supabase/migrations/20260101000000_notes.sql was edited after it was applied (its file changed last at ' +
      '2026-02-03T04:05:06.000Z): the database has its earlier contents. Undo the edit and write ' +
      'the change as a new migration, or start over with `undock reset`, which deletes rows, users and files (`undock undo` restores them).',
  ])
})

test('comments inside a function body count as edits', async () => {
  const { faults } = await stateOf({ ...APPLIED, '20260103000000_tags.sql': TAGS.replace('inside', 'outside') })
  expect(faults).toEqual([expect.stringContaining('20260103000000_tags.sql was edited')])
})

test('reports files that are out of order, share a version or are missing', async () => {
  const early = await stateOf({
    ...APPLIED,
    '20260102000000_early.sql': 'select 1',
    '20260104000000_late.sql': 'select 1',
  })
  expect(early).toEqual({
    pending: ['supabase/migrations/20260102000000_early.sql', 'supabase/migrations/20260104000000_late.sql'],
    faults: [
      expect.stringMatching(
        /^supabase\/migrations\/20260102000000_early\.sql is out of order: .*20260103000000_tags\.sql is/,
      ),
    ],
  })
  const doubled = await stateOf({ ...APPLIED, '20260101000000_other.sql': 'select 1' })
  expect(doubled).toEqual({
    pending: [],
    faults: [expect.stringMatching(/20260101000000_notes\.sql and .*20260101000000_other\.sql have the same version/)],
  })
  const gone = await stateOf({ '20260101000000_notes.sql': NOTES })
  expect(gone.faults).toEqual([
    expect.stringMatching(/^The migration 20260103000000_tags was applied, but its file is missing/),
  ])
})

test('reports data of another migration history in one sentence, with how to keep it', async () => {
  const replaced = await stateOf({ '20260201000000_all.sql': NOTES, '20260202000000_more.sql': 'select 1' })
  expect(replaced).toEqual({
    pending: [],
    faults: [
      expect.stringMatching(
        /^The local data was created by 2 migration\(s\), none of which is .* now begins with supabase\/migrations\/20260201000000_all\.sql\. Nothing was changed\. .*db dump --data-only/,
      ),
    ],
  })
  const extended = await stateOf({ ...APPLIED, '20260201000000_all.sql': 'select 1' })
  expect(extended).toEqual({ pending: ['supabase/migrations/20260201000000_all.sql'], faults: [] })
})
