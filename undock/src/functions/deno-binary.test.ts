import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DENO_VERSION, provideDeno } from './deno-binary.ts'

const versionOf = (binary: string): string =>
  execFileSync(binary, ['--version'], { encoding: 'utf8' }).split(/\s/)[1] ?? ''

test("uses the project's Deno, which is the version that would be downloaded", async () => {
  const told: string[] = []
  const binary = await provideDeno(() => told.push('fetching'))
  expect([versionOf(binary), told]).toEqual([DENO_VERSION, []])
})

test('downloads Deno once if the project has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-deno-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const sources = new URL('../', import.meta.url)
  for (const part of ['kernel', 'platform'])
    await cp(new URL(`${part}/`, sources), join(folder, part), { recursive: true })
  await cp(new URL('functions/deno-binary.ts', sources), join(folder, 'functions/deno-binary.ts'))
  await mkdir(join(folder, 'node_modules'))
  for (const name of ['zod', 'cross-spawn']) {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    await symlink(dirname(manifest), join(folder, 'node_modules', name))
  }
  const script = `
    import { provideDeno } from './functions/deno-binary.ts'
    for (const time of [1, 2]) console.log(await provideDeno(() => console.log('fetching')))`
  const lines = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, UNDOCK_CACHE_DIR: join(folder, 'cache') },
  })
    .trim()
    .split('\n')
  expect(lines).toEqual(['fetching', expect.stringContaining(join(folder, 'cache')), lines[1]])
  expect(versionOf(lines[1] ?? '')).toBe(DENO_VERSION)
})
