import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMigrations, readScripts } from './project-files.ts'

test('reads the files that the CLI reads and reports the others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-files-'))
  try {
    await mkdir(join(folder, 'migrations/20240101000000_folder.sql'), { recursive: true })
    const files = {
      '20211208000000_init.sql': 'select 1',
      '20240102000000_second.sql': '\uFEFFselect 2',
      '9_ninth.sql': 'select 9',
      '20240101000000_.sql': 'select 3',
      '20240103000000-by-hyphen.sql': 'select 4',
      'README.md': 'text',
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'migrations', name), text)
    const skipped: string[] = []
    const found = await readMigrations(folder, (path, reason) => skipped.push(`${path}: ${reason}`))
    expect(found.map(({ version, name, text }) => [version, name, text])).toEqual([
      ['20240101000000', '', 'select 3'],
      ['20240102000000', 'second', 'select 2'],
      ['9', 'ninth', 'select 9'],
    ])
    expect(skipped).toEqual([
      'supabase/migrations/20211208000000_init.sql: give it another name than "init" to have it applied',
      'supabase/migrations/20240103000000-by-hyphen.sql: migrations are named <timestamp>_name.sql',
    ])
    expect(await readMigrations(join(folder, 'nowhere'))).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('matches paths and patterns like the CLI', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-scripts-'))
  try {
    const files = ['a.sql', 'b.txt', '.hidden.sql', 'a[1].sql', '{a}.sql', 'sub/c.sql', 'sub/deep/d.sql', 'sub/e.md']
    for (const path of files) {
      await mkdir(join(folder, 'seeds', path, '..'), { recursive: true })
      await writeFile(join(folder, 'seeds', path), path)
    }
    const read = async (...patterns: string[]) => {
      const { scripts, unmatched } = await readScripts(folder, patterns)
      return [...scripts.map(({ text }) => text), ...unmatched]
    }
    const below = ['sub/c.sql', 'sub/deep/d.sql']
    expect(await read('./seeds')).toEqual(['.hidden.sql', 'a.sql', 'a[1].sql', ...below, '{a}.sql'])
    expect(await read('./seeds/*')).toEqual(['.hidden.sql', 'a.sql', 'a[1].sql', 'b.txt', ...below, '{a}.sql'])
    expect(await read('seeds/*.sql')).toEqual(['.hidden.sql', 'a.sql', 'a[1].sql', '{a}.sql'])
    expect(await read(join(folder, 'seeds', '?.sql'))).toEqual(['a.sql'])
    expect(await read('seeds/a\\[1\\].sql', 'seeds/[^b].sql')).toEqual(['a[1].sql', 'a.sql'])
    expect(await read('seeds/{a}.sql', 'seeds/{a,b}.sql')).toEqual(['{a}.sql', 'supabase/seeds/{a,b}.sql'])
    // In Go, ** is one level.
    expect(await read('seeds/**/*.sql')).toEqual(['sub/c.sql'])
    expect(await read('seeds/[a.sql')).toEqual(['supabase/seeds/[a.sql'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
