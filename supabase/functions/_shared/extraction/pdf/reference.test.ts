import { deepStrictEqual } from 'node:assert/strict'
import { doisIn } from '../reference.ts'
import { referenceOfPdf } from './reference.ts'

const properties = (xmp: Record<string, string | string[]>, subject = '') => ({
  title: '',
  author: '',
  created: '',
  subject,
  xmp: (name: string) => [xmp[name] ?? []].flat(),
})
const page = (...lines: string[]) => lines.map((text, index) => ({ text, size: 10, y: 700 - index * 12 }))

Deno.test("the metadata of a publisher's PDF becomes its reference", () => {
  deepStrictEqual(
    referenceOfPdf(
      properties({
        'dc:creator': ['Augustin Fresnel', 'Arago, François', 'unknown', 'Poisson'],
        'dc:publisher': 'Crochard',
        'prism:aggregationtype': 'Journal',
        'prism:publicationname': 'Annales  de Chimie',
        'prism:volume': '11',
        'prism:number': '2',
        'prism:startingpage': '246',
        'prism:endingpage': '296',
        'prism:coverdate': '1819-04',
        'prism:issn': '0003-4169',
        'dc:identifier': 'doi:10.1000/xyz',
      }),
      page('See also https://doi.org/10.1000/other'),
    ),
    {
      type: 'article-journal',
      author: [
        { family: 'Fresnel', given: 'Augustin' },
        { family: 'Arago', given: 'François' },
        { literal: 'Poisson' },
      ],
      issued: { 'date-parts': [[1819, 4]] },
      'container-title': 'Annales de Chimie',
      publisher: 'Crochard',
      volume: '11',
      issue: '2',
      page: '246-296',
      DOI: '10.1000/xyz',
      ISSN: '0003-4169',
    },
  )
})

Deno.test('a book has an ISBN, a chapter its container title', () => {
  deepStrictEqual(referenceOfPdf(properties({ 'prism:isbn': '978-3-16-148410-0' }), []), {
    type: 'book',
    ISBN: '978-3-16-148410-0',
  })
  deepStrictEqual(
    referenceOfPdf(properties({ 'prism:aggregationtype': 'book', 'prism:publicationname': 'Lamps' }), []),
    {
      type: 'chapter',
      'container-title': 'Lamps',
    },
  )
})

Deno.test('an unpublished document has no reference', () => {
  deepStrictEqual(
    referenceOfPdf(properties({ 'dc:creator': ['Ada Keeper'], 'dc:publisher': 'Acme' }), page('Hello')),
    null,
  )
})

Deno.test('a DOI on the first page counts only if it is the only one', () => {
  const doi = (...lines: string[]) => referenceOfPdf(properties({}), page(...lines))
  deepStrictEqual(doi('Lamps', 'https://doi.org/10.1000/xyz.'), { DOI: '10.1000/xyz' })
  deepStrictEqual(doi('doi:10.1000/xyz', 'Cite as 10.1000/XYZ'), { DOI: '10.1000/XYZ' })
  deepStrictEqual(doi('10.1000/xyz', '[1] 10.1000/abc'), null)
  deepStrictEqual(referenceOfPdf(properties({}, 'Annales, 11 (1819). doi:10.1000/xyz'), page('10.1000/abc')), {
    DOI: '10.1000/xyz',
  })
})

for (const [text, dois] of [
  ['(doi: 10.1000/xyz).', ['10.1000/xyz']],
  ['10.1016/S0140-6736(20)30183-5,', ['10.1016/S0140-6736(20)30183-5']],
  ['10.1000/a(1)', ['10.1000/a(1)']],
  ['version 10.1000 of a/b, 110.1000/x', []],
] as const) {
  Deno.test(`the DOIs in “${text}”`, () => deepStrictEqual(doisIn(text), dois))
}

Deno.test('a reference stays within the limits of the database', () => {
  const long = (size: number) => 'ü'.repeat(size)
  const xmp = {
    'dc:creator': Array.from({ length: 200 }, () => `${long(80)} ${long(80)}`),
    'prism:publicationname': long(300),
    'dc:publisher': long(300),
    'prism:volume': long(301),
    'prism:doi': `10.1000/${long(400)}`,
  }
  const reference = referenceOfPdf(properties(xmp), [])
  deepStrictEqual([reference?.volume, reference?.DOI, reference?.author?.length], [undefined, undefined, 40])
  deepStrictEqual(new TextEncoder().encode(JSON.stringify(reference)).length < 8000, true)
})
