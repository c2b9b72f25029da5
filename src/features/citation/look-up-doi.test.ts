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

test('a work is asked for by its DOI, whatever is in it, and nothing of the person goes along', async () => {
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

test('an answer is hostile until it is read: its texts are lines of a length, its names some', async () => {
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
  ['a DOI that is not known', () => answer('', 404), /doesn’t know this DOI/],
  ['a page in place of an answer', () => answer('<html>'), /doesn’t say how/],
  ['nothing that can be cited', () => answer({ title: 'x', author: 'nobody' }), /doesn’t say how/],
  ['no object', () => answer('[]'), /doesn’t say how/],
  ['a server that has a problem', () => answer({ volume: '1' }, 500), /doesn’t say how/],
  ['an endless answer', () => answer(`"${'x'.repeat(6_000_000)}"`), /doesn’t say how/],
  ['no network', () => fetched.mockRejectedValueOnce(new TypeError('Failed to fetch')), /couldn’t be reached/],
  [
    'no answer',
    () => fetched.mockRejectedValueOnce(new DOMException('Too slow', 'TimeoutError')),
    /within ten seconds/,
  ],
])('%s is told, with what to do', async (_what, respond, told) => {
  respond()
  await expect(lookUpDoi('10.1000/1')).rejects.toThrow(told)
})
