// Crafted archives of prepared databases must not write outside their folder, and must terminate.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unpackSnapshot, writeTar } from '../../src/database/pglite/tar.ts'
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

test.each([
  ...UPWARDS,
  ['a size beyond the end', [entry('base', { size: '77777777777' })]],
  ['a negative size, which would loop', [entry('base', { size: '-1000' })]],
  ['an invalid size', [entry('base', { size: 'nonsense' })]],
] satisfies typeof UPWARDS)('the embedded engine rejects %s', (_what, entries) => {
  expect(() => unpackSnapshot(Buffer.concat([...entries, END]), target)).toThrow(/^The snapshot is/)
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('untouched')
})

test.each(LINKS)('the embedded engine creates no link for %s', (_what, entries) => {
  try {
    unpackSnapshot(Buffer.concat([...entries, END]), target)
  } finally {
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('untouched')
    const found = existsSync(target) ? readdirSync(target, { recursive: true, withFileTypes: true }) : []
    expect(found.filter((one) => !one.isFile() && !one.isDirectory())).toEqual([])
  }
})

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

test("unpacks undock's own archives", () => {
  unpackSnapshot(Buffer.concat([...writeTar([{ path: 'base/5/1', bytes: Buffer.from('rows') }])]), target)
  expect(readFileSync(join(target, 'base/5/1'), 'utf8')).toBe('rows')
})
