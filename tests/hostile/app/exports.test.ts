// Malicious names of documents and collections, which must not harm people who unpack an export.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/features/activity/format.ts'
import { folderOf, truncateName, uniquePaths } from '../../../src/features/transfer/paths.ts'
import { randomFrom } from '../../../undock/tests/support/random.ts'

const NAMES = [
  ...[
    '../../../etc/passwd',
    '..\\..\\windows\\system.ini',
    '/etc/passwd',
    'C:\\autoexec.bat',
    '~/.bashrc',
    '.',
    '..',
    '...',
  ],
  ...[
    'con',
    'NUL.txt',
    'com1.tar.gz',
    'LPT¹',
    'aux.',
    'a'.repeat(500),
    '漢'.repeat(500),
    '😀'.repeat(500),
    '\ud83d',
    '',
  ],
  ...[
    'a\u0000b',
    'a\nb',
    'a\r\nb',
    '\u001b]0;x\u0007',
    '\u009b31m',
    'fdp\u202egpj',
    'a\u2028b',
    ' \u061c ',
    '\t',
    '-rf',
    '=1+1',
  ],
  ...[
    'carrel',
    'Carrel.json',
    'templates',
    'versions',
    'PICTURES',
    'Report',
    'report',
    'REPORT.pdf',
    'Report.PDF',
    'e\u0301',
    'é',
  ],
  ...[
    'file:stream',
    'x|y',
    '$(touch x)',
    '`id`',
    '%2e%2e%2f',
    '%SystemRoot%',
    'a?b*c',
    '"quoted"',
    '<script>',
    'a/b/c',
    'a\\b',
  ],
]
const ENDINGS = ['.md', '.pdf', '.json', '.bin']

/** Names reserved by Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\..*)?$/i

function paths(random: () => number): string[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const collections = Array.from({ length: 30 }, (_, id) => ({
    id: String(id),
    name: pick(NAMES),
    parent_id: random() < 0.6 ? null : String(Math.floor(random() * 30)),
  }))
  const next = uniquePaths()
  return [
    'carrel.json',
    ...Array.from({ length: 300 }, () =>
      next(
        folderOf(collections, random() < 0.3 ? null : pick(collections).id),
        truncateName(pick(NAMES)),
        pick(ENDINGS),
      ),
    ),
  ]
}

test('no path escapes its folder, is reserved, too long, or both a file and a folder', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const all = paths(randomFrom(seed))
    const folders = new Set(
      all.flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, at, parts) =>
            parts
              .slice(0, at + 1)
              .join('/')
              .toLowerCase(),
          ),
      ),
    )
    expect(new Set(all.map((path) => path.toLowerCase())).size).toBe(all.length)
    for (const path of all) {
      expect(normalize(path)).toBe(path)
      expect(folders.has(path.toLowerCase()), path).toBe(false)
      expect(path, path).not.toMatch(/^\/|\p{Cc}|\p{Bidi_Control}|\p{Cs}|[<>:"\\|?*\u2028\u2029]/u)
      for (const part of path.split('/')) {
        expect(part, path).not.toMatch(RESERVED)
        expect(part, path).not.toMatch(/^\.|[. ]$|^$/)
        expect(new TextEncoder().encode(part).length, path).toBeLessThanOrEqual(255)
      }
    }
    expect([...folders].filter((folder) => /^(?:.*\/)?(templates|versions|pictures)$/.test(folder))).toEqual([])
  }
})

test('a file system accepts all paths without overwriting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-export-'))
  try {
    const all = paths(randomFrom(7)).filter((path) => path.length < 1000)
    for (const path of all) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), path, { flag: 'wx' })
    }
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    expect(files.filter((entry) => entry.isFile()).length).toBe(all.length)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('no cell of an exported audit log is a formula', () => {
  const entry = {
    created_at: '2026-01-01T00:00:00Z',
    kind: 'x',
    person_id: null,
    document_id: null,
    details: {},
    id: 1,
  }
  for (const sign of '=+-@\t\r\n＝＋－＠') {
    const line = linesOf([{ ...entry, person: `${sign}HYPERLINK("https://evil.example","x")` }], 'csv')
    expect(line).not.toMatch(/(^|,)"[=+\-@\t\r\n＝＋－＠]/)
    expect(line).toContain('""https')
  }
})
