import { expect, test } from 'vitest'
import { cite } from './cite.ts'
import { citedItem } from './cited-item.ts'

const document = {
  id: 'one',
  kind: 'file' as const,
  title: 'On the diffraction of light',
  author: null,
  dated: null,
  url: null,
  reference: null,
  created_at: '2026-05-04T10:00:00Z',
}
const article = citedItem({
  ...document,
  author: 'Not this one',
  reference: {
    type: 'article-journal',
    author: [
      { family: 'Fresnel', given: 'Augustin' },
      { family: 'Arago', given: 'François' },
    ],
    issued: { 'date-parts': [[1819]] },
    'container-title': 'Annales de Chimie',
    volume: '11',
    issue: '2',
    page: '246-296',
    DOI: '10.1000/xyz',
  },
})

test('an article is cited in each style', () => {
  expect(cite([article], 'apa', 'en-US').text).toBe(
    'Fresnel, A., & Arago, F. (1819). On the diffraction of light. Annales de Chimie, 11(2), 246–296. https://doi.org/10.1000/xyz',
  )
  expect(cite([article], 'mla', 'en-US').text).toBe(
    'Fresnel, Augustin, and François Arago. “On the Diffraction of Light.” Annales de Chimie, vol. 11, no. 2, 1819, pp. 246–96, https://doi.org/10.1000/xyz.',
  )
  expect(cite([article], 'chicago', 'en-US').text).toBe(
    'Fresnel, Augustin, and François Arago. 1819. “On the Diffraction of Light.” Annales de Chimie 11 (2): 246–96. https://doi.org/10.1000/xyz.',
  )
  const { text, html } = cite([article], 'bibtex', 'en-US')
  expect(text).toMatch(/^@article\{Fresnel1819/)
  expect(text).toContain('author = {Fresnel, Augustin and Arago, Fran{\\c c}ois}')
  expect(text).toContain('journal = {Annales de Chimie}')
  expect(html).toBeUndefined()
})

test('the HTML has italics, and user text is escaped', () => {
  const { html } = cite([{ ...article, title: 'Light <script>alert(1)</script>' }], 'apa', 'en-US')
  expect(html).toContain('<i>Annales de Chimie</i>')
  expect(html).not.toContain('<script>')
})

test('a document without a reference is cited by its own metadata', () => {
  const page = citedItem({
    ...document,
    kind: 'link',
    title: 'Lamps',
    author: 'Ada Keeper, Ben Light',
    dated: '2020-03-02',
    url: 'https://example.org/lamps',
  })
  expect(cite([page], 'apa', 'en-US').text).toBe(
    'Keeper, A., & Light, B. (2020, March 2). Lamps. https://example.org/lamps',
  )
  expect(cite([citedItem({ ...document, title: 'A scan' })], 'apa', 'en-US').text).toBe('A scan. (n.d.).')
})

test('several documents are sorted as the style requires, in the chosen language', () => {
  const scan = citedItem({ ...document, id: 'two', title: 'Abend', author: 'Ada Keeper' })
  expect(
    cite([scan, article], 'apa', 'de-DE')
      .text.split('\n')
      .map((line) => line.slice(0, 24)),
  ).toEqual(['Fresnel, A., & Arago, F.', expect.stringMatching(/^Keeper, A\. \(o\.\sJ\.\)/)])
})
