import { expect, test } from 'vitest'
import { boundsOf, geometryText, movePosition, readGeometry } from './geometry.ts'

test.each([
  ['point', '(1,-2.5)'],
  ['lseg', '[(0,0),(1,1)]'],
  ['box', '(2,2),(0,0)'],
  ['path', '[(0,0),(1,1),(2,0)]'],
  ['path', '((0,0),(1,1),(2,0))'],
  ['polygon', '((0,0),(1,1e-7),(2,0))'],
  ['circle', '<(1,2),3>'],
])('reads and writes a %s %s', (type, text) => {
  const geometry = readGeometry(type, text)
  expect(geometry && geometryText(geometry)).toBe(text)
})

// PostGIS's output for the text next to it.
test.each([
  ['0101000020E6100000000000000000F03F0000000000000040', 'SRID=4326;POINT(1 2)'],
  ['010100000000000000000000', null],
  ['0101000000000000000000F87F000000000000F87F', 'POINT EMPTY'],
  [
    '01020000A0E6100000020000000000000000000000000000000000000000000000000000000000000000000840000000000000F03F0000000000000040',
    'SRID=4326;LINESTRING Z(0 0 0,3 1 2)',
  ],
  [
    '010300000001000000040000000000000000000000000000000000000000000000000000000000000000000040000000000000004000000000000000000000000000000000000000000000000000',
    'POLYGON((0 0,0 2,2 0,0 0))',
  ],
  [
    '01040000000200000001010000000000000000000000000000000000F03F010100000000000000000000400000000000000840',
    'MULTIPOINT((0 1),(2 3))',
  ],
  ['0108000000', null],
  ['0102000000FFFFFFFF', null],
  ['00', null],
])('%s from PostGIS is %s', (hex, text) => {
  const geometry = readGeometry('extensions.geometry', hex)
  expect(geometry && geometryText(geometry)).toBe(text)
})

test.each(['line', 'text', 'inet'])("doesn't draw a %s", (type) => {
  expect(readGeometry(type, type === 'line' ? '{1,2,3}' : 'no geometry')).toBeNull()
})

test('moving a position updates the bounds', () => {
  const polygon = readGeometry('polygon', '((0,0),(4,0),(4,3))')
  if (!polygon) throw new Error('not read')
  const moved = movePosition(polygon, 1, 8, -1)
  expect(geometryText(moved)).toBe('((0,0),(8,-1),(4,3))')
  expect(boundsOf(moved.shape)).toEqual({ x: 0, y: -1, width: 8, height: 4 })
})
