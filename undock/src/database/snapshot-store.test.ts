import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeLeastUsed } from './snapshot-store.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-snapshots-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('keeps snapshots that another process may be copying, and removes old ones', async () => {
  const minutesAgo = { now: 0, 'a moment ago': 1, 'within reach': 9, 'an hour ago': 60, 'a day ago': 1_440 }
  for (const [name, minutes] of Object.entries(minutesAgo)) {
    await mkdir(join(folder, name, 'base'), { recursive: true })
    const used = new Date(Date.now() - minutes * 60_000)
    await utimes(join(folder, name), used, used)
  }
  await removeLeastUsed(
    [...Object.keys(minutesAgo), 'never there'].map((name) => join(folder, name)),
    2,
  )
  expect((await readdir(folder)).sort()).toEqual(['a moment ago', 'now', 'within reach'])
})
