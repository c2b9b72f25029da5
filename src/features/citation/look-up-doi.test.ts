import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lookUpDoi } from './look-up-doi.ts'

const fetched = vi.fn<typeof fetch>()
beforeEach(() => {
  fetched.mockReset()
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => vi.unstubAllGlobals())

const answer = (body: unknown, status = 200) =>
  fetched.mockResolvedValueOnce(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }))

test('a DOI is escaped and looked up without credentials or referrer', async () => {
  answer({
    type: 'journal-article',
    title: 'On lamps',
    author: [{ family: 'Fresnel', given: 'Augustin', ORCID: 'x' }],
    issued: { 'date-parts': [[1822, 7]] },
    'container-title': ['Annales de Chimie &amp; Physique'],
    volume: 11,
    ISSN: ['0003-4169', '1'],
    URL: 'https://elsewhere.example/',
    reference: [{ key: 'x' }],
  })
  expect(await lookUpDoi('10.1000/a#b?c/d')).toEqual({
    type: 'article-journal',
    author: [{ family: 'Fresnel', given: 'Augustin' }],
    issued: { 'date-parts': [[1822, 7]] },
    'container-title': 'Annales de Chimie & Physique',
    volume: '11',
    ISSN: '0003-4169',
  })
  expect(fetched).toHaveBeenCalledWith(
    'https://doi.org/10.1000/a%23b%3Fc/d',
    expect.objectContaining({ credentials: 'omit', referrerPolicy: 'no-referrer' }),
  )
})

test('a hostile response is cleaned and truncated', async () => {
  const names = Array.from({ length: 3000 }, () => ({ family: 'F\u0000\nresnel', given: { no: 'name' } }))
  const rest = `"publisher": "${'p'.repeat(5000)}", "volume": {"deep": "x"}, "__proto__": {"polluted": true}`
  answer(`{"author": ${JSON.stringify(names)}, ${rest}}`)
  const found = await lookUpDoi('10.1000/hostile')
  expect(found).toEqual({
    author: Array.from({ length: 40 }, () => ({ family: 'F resnel' })),
    publisher: 'p'.repeat(300),
  })
  expect(found).not.toHaveProperty('polluted')
})

test.each([
  ['an unknown DOI', () => answer('', 404), /doesn’t know this DOI/],
  ['an HTML page', () => answer('<html>'), /doesn’t say how/],
  ['a work without citable properties', () => answer({ title: 'x', author: 'nobody' }), /doesn’t say how/],
  ['a response that isn’t an object', () => answer('[]'), /doesn’t say how/],
  ['a server error', () => answer({ volume: '1' }, 500), /doesn’t say how/],
  ['a response that is too large', () => answer(`"${'x'.repeat(6_000_000)}"`), /doesn’t say how/],
  ['no network', () => fetched.mockRejectedValueOnce(new TypeError('Failed to fetch')), /couldn’t be reached/],
  [
    'a timeout',
    () => fetched.mockRejectedValueOnce(new DOMException('Too slow', 'TimeoutError')),
    /within ten seconds/,
  ],
])('%s gives an error with advice', async (_what, respond, told) => {
  respond()
  await expect(lookUpDoi('10.1000/1')).rejects.toThrow(told)
})
