import { expect, test } from 'vitest'
import { readReceived } from './received.ts'

const NOTHING = { title: '', text: '', url: '', files: [] }
const PAGE = 'https://lamps.example/history'

test('an address becomes a link, even if it is shared as text', () => {
  const link = { kind: 'link', title: 'Lamps', url: PAGE }
  expect(readReceived({ ...NOTHING, title: 'Lamps', url: PAGE })).toEqual(link)
  expect(readReceived({ ...NOTHING, title: 'Lamps', text: PAGE })).toEqual(link)
  expect(readReceived({ ...NOTHING, title: 'Lamps', text: `A history of lamps ${PAGE}` })).toEqual(link)
})

test('other text becomes a note that keeps its address', () => {
  expect(readReceived({ ...NOTHING, text: '# A quote\n\nabout lamps', url: PAGE })).toEqual({
    kind: 'note',
    title: 'A quote',
    body: `# A quote\n\nabout lamps\n\n${PAGE}`,
  })
  expect(readReceived({ ...NOTHING, title: 'Lamps', text: 'Oil and wick.' })).toEqual({
    kind: 'note',
    title: 'Lamps',
    body: 'Oil and wick.',
  })
  expect(readReceived({ ...NOTHING, url: 'javascript:alert(1)' })).toMatchObject({ kind: 'note' })
})

test('a selection becomes a note that quotes it literally', () => {
  const page = { ...NOTHING, title: 'Lamps', url: PAGE }
  expect(readReceived(page, 'Oil *and* wick.\n<b>1</b>')).toEqual({
    kind: 'note',
    title: 'Lamps',
    body: `> Oil \\*and\\* wick.\n> \\<b\\>1\\</b\\>\n\n<${PAGE}>`,
  })
  expect(readReceived({ ...page, url: 'javascript:alert(1)' }, 'x')).toEqual({
    kind: 'note',
    title: 'Lamps',
    body: '> x',
  })
  expect(readReceived(page, ' ')).toMatchObject({ kind: 'link' })
})

test('a page from the browser extension is attached, and its selection becomes a highlight', () => {
  const page = new Blob(['<p>Oil and wick.</p>'])
  const shared = { ...NOTHING, title: 'Lamps', url: PAGE, page }
  expect(readReceived(shared)).toEqual({ kind: 'link', title: 'Lamps', url: PAGE, page, quote: '' })
  expect(readReceived({ ...shared, quote: ' and wick\n' })).toMatchObject({ kind: 'link', page, quote: 'and wick' })
  expect(readReceived({ ...shared, url: 'javascript:alert(1)' })).toMatchObject({ kind: 'note' })
})

test('files take precedence over text, and empty input is ignored', () => {
  const files = [new File(['x'], 'a.txt')]
  expect(readReceived({ ...NOTHING, text: 'with a word', files })).toEqual({ kind: 'files', files })
  expect(readReceived({ ...NOTHING, text: ' \n' })).toBeNull()
})
