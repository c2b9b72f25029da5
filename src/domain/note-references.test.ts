import { expect, test } from 'vitest'
import { documentAddress, referenceIn } from './note-references.ts'

const LIBRARY = '0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c'
const DOCUMENT = '1b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c'

test('a document link round-trips its page and quote', () => {
  const place = { page: 12, quote: 'the lamp (green) & oil — 50 %' }
  const address = documentAddress(LIBRARY, DOCUMENT, place)
  expect(address).not.toMatch(/[()\s]/)
  expect(referenceIn(address)).toEqual({ library: LIBRARY, document: DOCUMENT, ...place })
})

test('links with the app’s origin are references, links of other origins are not', () => {
  const path = `/l/${LIBRARY}/d/${DOCUMENT}?q=oil&page=-1`
  expect(referenceIn(`https://carrel.example${path}`, 'https://carrel.example')).toEqual({
    library: LIBRARY,
    document: DOCUMENT,
  })
  expect(referenceIn(`https://elsewhere.example${path}`, 'https://carrel.example')).toBeUndefined()
})

test('a long quote is not cut inside a surrogate pair', () => {
  const { quote } = referenceIn(documentAddress(LIBRARY, DOCUMENT, { quote: `${'a'.repeat(199)}🐋 and more` })) ?? {}
  expect(quote).toBe(`${'a'.repeat(199)}🐋`)
})
