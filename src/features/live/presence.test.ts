import { expect, test } from 'vitest'
import { parsePresence } from './presence.ts'

const ADA = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001'
const BEN = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0002'
const PAPER = '7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0003'

test('two tabs of one person count once, with the open document', () => {
  expect(
    parsePresence({
      [ADA]: [
        { presence_ref: '1', person: ADA, document: PAPER, page: 3 },
        { presence_ref: '2', person: ADA, document: null, page: null },
      ],
      [BEN]: [{ presence_ref: '3', person: BEN, document: null, page: null }],
    }),
  ).toEqual([
    { person: ADA, document: PAPER, page: 3 },
    { person: BEN, document: null, page: null },
  ])
})

test('invalid presence data is ignored', () => {
  expect(parsePresence({ x: [null, 'ada', {}, { person: 'not an id', document: null, page: null }] })).toEqual([])
})
