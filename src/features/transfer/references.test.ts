import { expect, test } from 'vitest'
import { parseReferences, referenceToNote } from './references.ts'

const RIS = `TY  - JOUR
TI  - On the diffraction
      of light
AU  - Fresnel, Augustin
AU  - Arago, François
PY  - 1819/04/01
T2  - Annales de Chimie
VL  - 11
IS  - 2
SP  - 246
EP  - 296
DO  - 10.1000/xyz
UR  - javascript:alert(1)
KW  - light
KW  - waves
AB  - What light does.
ER  - 

TY  - BOOK
TI  - Second
PB  - Light & Sons
SN  - 978-3-16-148410-0
ER  - `

const BIBTEX = `@comment{not this}
@string{acm = "ACM"}
@article{fresnel1819,
  title = {On the {D}iffraction of \\"{u}ber-\\emph{light}},
  author = "Fresnel, Augustin and Gau{\\ss}, Carl and {The Society}",
  year = 1819,
  month = mar,
  journal = {Annales \\& more},
  publisher = acm,
  pages = {1--20},
  url = {https://example.org/a},
  keywords = {light; waves},
}
@phdthesis{x, title={Second}, school={MIT}}
`

test('RIS becomes CSL, including multi-line values and an invalid URL', () => {
  expect(parseReferences(RIS)).toEqual({
    references: [
      {
        title: 'On the diffraction of light',
        abstract: 'What light does.',
        keywords: ['light', 'waves'],
        reference: {
          type: 'article-journal',
          author: [
            { family: 'Fresnel', given: 'Augustin' },
            { family: 'Arago', given: 'François' },
          ],
          issued: { 'date-parts': [[1819, 4, 1]] },
          'container-title': 'Annales de Chimie',
          volume: '11',
          issue: '2',
          page: '246-296',
          DOI: '10.1000/xyz',
        },
      },
      {
        title: 'Second',
        abstract: undefined,
        keywords: [],
        reference: { type: 'book', publisher: 'Light & Sons', ISBN: '978-3-16-148410-0' },
      },
    ],
    problems: [],
  })
})

const FRESNEL = {
  title: 'On the Diffraction of über-light',
  abstract: undefined,
  keywords: ['light', 'waves'],
  reference: {
    type: 'article-journal',
    'citation-key': 'fresnel1819',
    author: [{ family: 'Fresnel', given: 'Augustin' }, { family: 'Gauß', given: 'Carl' }, { family: 'The Society' }],
    issued: { 'date-parts': [[1819, 3]] },
    'container-title': 'Annales & more',
    publisher: 'ACM',
    page: '1-20',
    URL: 'https://example.org/a',
  },
}
const SECOND = expect.objectContaining({
  title: 'Second',
  reference: { type: 'thesis', 'citation-key': 'x', publisher: 'MIT', genre: 'PhD thesis' },
})

test('BibTeX becomes CSL, including nested braces, accents and literal names', () => {
  expect(parseReferences(BIBTEX)).toEqual({ references: [FRESNEL, SECOND], problems: [] })
})

test('a broken entry does not stop the others', () => {
  expect(parseReferences(`${BIBTEX}@misc{broken, title={never closed`)).toEqual({
    references: [FRESNEL, SECOND],
    problems: [expect.objectContaining({ title: '@misc{broken, title={never closed' })],
  })
})

test.each([
  ['', undefined],
  ['Dear reader,', undefined],
  ['@', undefined],
])('%j is neither RIS nor BibTeX', (text, references) => {
  expect(parseReferences(text)).toEqual(references)
})

test('reference texts are escaped in a note', () => {
  const [reference] = parseReferences(RIS)?.references ?? []
  if (!reference) throw new Error('no reference')
  expect(referenceToNote({ ...reference, title: '<img src=x> *bold*', abstract: undefined })).toBe(
    '# \\<img src=x\\> \\*bold\\*\n\nFresnel, Augustin; Arago, François. 1819. *Annales de Chimie*\n\n[doi:10.1000/xyz](https://doi.org/10.1000/xyz)',
  )
})

test('a genre named like an Object.prototype member stays text', () => {
  const parsed = parseReferences('@misc{a, title={T}, type={constructor}}')
  expect(parsed?.references).toEqual([
    expect.objectContaining({ reference: expect.objectContaining({ genre: 'constructor' }) }),
  ])
})
