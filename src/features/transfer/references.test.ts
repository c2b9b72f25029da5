// @vitest-environment node
import { expect, test } from 'vitest'
import { parseReferences, referenceToNote } from './references.ts'

const RIS = `TY  - JOUR
TI  - On the diffraction
      of light
AU  - Fresnel, Augustin
AU  - Arago, François
PY  - 1819/04/01
T2  - Annales de Chimie
DO  - 10.1000/xyz
UR  - javascript:alert(1)
KW  - light
KW  - waves
AB  - What light does.
ER  - 

TY  - BOOK
TI  - Second
ER  - `

const BIBTEX = `@comment{not this}
@string{acm = "ACM"}
@article{fresnel1819,
  title = {On the {D}iffraction of \\"{u}ber-light},
  author = "Fresnel, Augustin and Gau{\\ss}, Carl",
  year = 1819,
  journal = {Annales \\& more},
  url = {https://example.org/a},
  keywords = {light; waves},
}
@book{x, title={Second}}
@misc{broken, title={never closed`

test('RIS is parsed, with a value over two lines and an invalid address', () => {
  expect(parseReferences(RIS)).toEqual([
    {
      title: 'On the diffraction of light',
      authors: ['Augustin Fresnel', 'François Arago'],
      year: '1819',
      venue: 'Annales de Chimie',
      doi: '10.1000/xyz',
      url: undefined,
      abstract: 'What light does.',
      keywords: ['light', 'waves'],
    },
    expect.objectContaining({ title: 'Second', authors: [], keywords: [] }),
  ])
})

test('BibTeX is parsed, with nested braces, accents, and a missing end', () => {
  expect(parseReferences(BIBTEX)).toEqual([
    expect.objectContaining({
      title: 'On the Diffraction of über-light',
      authors: ['Augustin Fresnel', 'Carl Gauß'],
      year: '1819',
      venue: 'Annales & more',
      url: 'https://example.org/a',
      keywords: ['light', 'waves'],
    }),
    expect.objectContaining({ title: 'Second' }),
    expect.objectContaining({ title: 'never closed' }),
  ])
})

test.each([
  ['', undefined],
  ['Dear reader,', undefined],
  ['@', undefined],
])('%j is neither RIS nor BibTeX', (text, references) => {
  expect(parseReferences(text)).toEqual(references)
})

test('in a note, no text of a reference becomes markup', () => {
  const [reference] = parseReferences(RIS) ?? []
  if (!reference) throw new Error('no reference')
  expect(referenceToNote({ ...reference, title: '<img src=x> *bold*', abstract: undefined })).toBe(
    '# \\<img src=x\\> \\*bold\\*\n\nAugustin Fresnel, François Arago. 1819. *Annales de Chimie*\n\n[doi:10.1000/xyz](https://doi.org/10.1000/xyz)',
  )
})
