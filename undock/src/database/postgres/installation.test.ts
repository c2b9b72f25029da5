import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase, testMajor } from '../../testing/database.ts'
import { SHIMS } from '../extensions/shims.ts'
import { provideInstallation } from './installation.ts'

const { binaries, extensions } = await provideInstallation(testMajor, () => undefined)
const shared = join(dirname(dirname(binaries.postgres)), 'share', 'postgresql', 'extension')
const controlOf = (name: string): string => readFileSync(join(shared, `${name}.control`), 'utf8')

test('a project can create extensions, except those that access the machine or table pages', () => {
  for (const name of ['hstore', 'pg_walinspect']) expect(controlOf(name)).toMatch(/trusted = true\n$/)
  for (const name of ['file_fdw', 'pageinspect', 'pg_surgery']) expect(controlOf(name)).toMatch(/trusted = false\n$/)
})

test("doesn't change the package's files", () => {
  const resolved = readFileSync(
    join(dirname(dirname(binaries.postgres)), 'share', 'postgresql', 'postgres.bki'),
    'utf8',
  )
  expect(resolved).toMatch(new RegExp(`^# PostgreSQL ${testMajor}`))
})

test('shims replace only extensions the server lacks', () => {
  expect(extensions.has('pg_trgm')).toBe(true)
  for (const name of SHIMS) {
    expect(existsSync(join(shared, `${name}.control`)), name).toBe(true)
    if (!extensions.has(name)) expect(controlOf(name)).not.toContain('module_pathname')
  }
})

test('pgTAP and pgmq, which are pure SQL, work on the server', async () => {
  const { db, close } = await openTestDatabase()
  try {
    await db.exec('create extension pgtap with schema extensions; create extension pgmq')
    await db.exec(`select pgmq.create('jobs'); select pgmq.send('jobs', '{"a": 1}')`)
    const { rows } = await db.query({
      text: `select extensions.pg_version_num() >= 150000 as tap, (select message from pgmq.pop('jobs')) as message`,
      values: [],
    })
    expect(rows).toEqual([{ tap: true, message: { a: 1 } }])
  } finally {
    await close()
  }
})
