import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Benches, runBenches } from './page.ts'

let folder: string
let page: string
const run: string[] = []
const of = (name: string) => async () => {
  run.push(`${name} on ${process.env.UNDOCK_ENGINE}`)
  return name
}
const BENCHES: Benches = {
  reads: { title: 'Reads', run: of('reads') },
  port: { title: 'The port', run: of('port') },
}
const start = (benches: Benches, ...names: string[]) => runBenches(benches, names, page)

beforeEach(async () => {
  vi.stubEnv('UNDOCK_ENGINE', '')
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
  run.length = 0
  folder = await mkdtemp(join(tmpdir(), 'page-'))
  page = join(folder, 'benchmarks.md')
  await writeFile(page, 'of an earlier run')
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

test('one run measures everything, and writes the whole page', async () => {
  await start(BENCHES)
  expect(run).toEqual(['reads on native', 'port on native'])
  const text = await readFile(page, 'utf8')
  expect(text).not.toContain('earlier')
  expect(text.match(/^#.*$/gm)).toEqual(['# Benchmarks', '## Reads', '## The port'])
  expect(text.match(/One run of .* on \d+ \w+ \d{4} /g)).toHaveLength(1)
})

test('figures of named benchmarks never get onto the page', async () => {
  await start(BENCHES, 'reads')
  expect(run).toEqual(['reads on native'])
  expect(await readFile(page, 'utf8')).toBe('of an earlier run')
})

test('neither do those of a run in which one failed, nor of one with an unknown name', async () => {
  const failing = { ...BENCHES, last: { title: 'Last', run: () => Promise.reject(new Error('no memory left')) } }
  await expect(start(failing)).rejects.toThrow('no memory left')
  await expect(start(BENCHES, 'reads', 'writes')).rejects.toThrow('There is no benchmark "writes"')
  expect(await readFile(page, 'utf8')).toBe('of an earlier run')
})
