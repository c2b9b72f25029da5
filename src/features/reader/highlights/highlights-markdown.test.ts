import { expect, test } from 'vitest'
import type { Comment } from '../queries.ts'
import { highlightsToMarkdown } from './highlights-markdown.ts'

const mark = (id: string, change: Partial<Comment>): Comment => ({
  id,
  parent_id: null,
  body: '',
  quote: 'A steady *lamp*\nneeds a keeper.',
  color: null,
  page: 3,
  start_offset: 10,
  passage_id: null,
  resolved_at: null,
  edited_at: null,
  created_at: '2026-11-02T12:00:00Z',
  created_by: 'ada',
  author: { display_name: 'Ada_Lovelace', avatar_path: null },
  ...change,
})

test('a highlight is exported as a quote with page, color, person, comments and link', () => {
  const highlight = mark('one', {})
  const passage = mark('two', { body: 'Why?\n# Really', page: null, color: null })
  const answer = mark('three', { parent_id: 'two', quote: null, body: 'Because.', author: null })
  expect(
    highlightsToMarkdown({
      title: 'Lamps [1]',
      address: 'https://carrel.example/l/a/d/b',
      marks: [highlight, passage],
      comments: [highlight, passage, answer],
    }),
  ).toBe(`# Highlights in “Lamps \\[1\\]”

> A steady \\*lamp\\*
> needs a keeper.

— Page 3, Yellow, Ada\\_Lovelace, Nov 2, 2026: [Open in Carrel](https://carrel.example/l/a/d/b?comment=one)

> A steady \\*lamp\\*
> needs a keeper.

— Comment, Ada\\_Lovelace, Nov 2, 2026: [Open in Carrel](https://carrel.example/l/a/d/b?comment=two)

**Ada\\_Lovelace:** Why?
\\# Really

- **Former member:** Because.
`)
})
