// Crafted archives of prepared databases must not write outside their folder, and must terminate.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEngine } from '../../src/database/pglite/engine.ts'
import { copyCluster } from '../../src/database/postgres/native-cluster.ts'

const BLOCK = 512

let folder: string
let target: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'undock-archives-'))
  target = join(folder, 'inside', 'data')
  writeFileSync(join(folder, 'victim'), 'untouched')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A crafted entry with the checksum that programs expect. */
function entry(path: string, { type = '0', size = '3', link = '', bytes = 'bad' } = {}): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0, 100)
  block.write('0000644\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(size.padStart(11, '0').slice(-12), 124, 12, 'latin1')
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write(link, 157, 100)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([block, type === '0' ? Buffer.from(bytes.padEnd(BLOCK, '\0')) : Buffer.alloc(0)])
}

const END = Buffer.alloc(2 * BLOCK)
const UPWARDS: [string, Buffer[]][] = [
  ['a parent path', [entry('../../victim')]],
  ['a parent path inside', [entry('base/../../../victim')]],
  ['a Windows parent path', [entry('..\\..\\victim')]],
  ['an absolute path', [entry('/tmp/undock-archives-victim')]],
]
const LINKS: [string, Buffer[]][] = [
  [
    'a symbolic link and a file through it',
    [entry('out', { type: '2', size: '0', link: '../..' }), entry('out/victim')],
  ],
  ['a hard link to a file outside', [entry('out', { type: '1', size: '0', link: '../../victim' }), entry('out')]],
  ['a device', [entry('device', { type: '3', size: '0' })]],
]

test.each([...UPWARDS, ...LINKS])(
  'the native engine writes nothing outside its folder for %s',
  async (what, entries) => {
    const file = join(folder, 'crafted.tar')
    writeFileSync(file, Buffer.concat([...entries, END]))
    const copied = copyCluster(file, target).catch(() => undefined)
    await copied
    expect(readFileSync(join(folder, 'victim'), 'utf8'), what).toBe('untouched')
    expect(existsSync('/tmp/undock-archives-victim')).toBe(false)
  },
)

test('the embedded engine writes nothing outside its folder', async () => {
  const snapshot = join(folder, 'crafted.tar')
  writeFileSync(snapshot, Buffer.concat([...UPWARDS, ...LINKS].flatMap(([, entries]) => entries).concat(END)))
  const options = { folder: target, snapshot, hasPostgis: false, statementLimit: 10_000, waitLimit: 10_000 }
  await openEngine(options).then(
    (engine) => engine.close(),
    () => undefined,
  )
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('untouched')
  expect(existsSync('/tmp/undock-archives-victim')).toBe(false)
})
