import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeReference } from '../../scripts/reference.ts'

// The site's build imports the settings modules by name.
test("the reference includes the sources' commands and settings", () => {
  const folder = mkdtempSync(join(tmpdir(), 'undock-reference-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeReference(folder)
  const page = (name: string): string => readFileSync(join(folder, `${name}.md`), 'utf8')
  expect(page('commands')).toContain('undock db diff')
  expect(page('config-toml')).toContain('`db.major_version`')
  expect(page('library')).toContain('PublicStackOptions')
})
