import { CompletionContext, type CompletionSource } from '@codemirror/autocomplete'
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { sqlLanguage } from './language.ts'

const NAMES = {
  schemas: {
    public: { books: ['id', 'title'], authors: ['id', 'Full name'] },
    auth: { users: ['id', 'email'] },
  },
  functions: ['count', 'auth.uid'],
}

/** The columns and functions offered at the `|` in a text. */
async function namesAt(text: string): Promise<string[]> {
  const at = text.indexOf('|')
  const begun = EditorState.create({ doc: text.replace('|', ''), extensions: sqlLanguage(NAMES) })
  // A new state is parsed for only a few milliseconds; the next one has the whole tree.
  ensureSyntaxTree(begun, begun.doc.length, 30_000)
  const { state } = begun.update({})
  const context = new CompletionContext(state, at, false)
  const sources = state.languageDataAt<CompletionSource>('autocomplete', at)
  const results = await Promise.all(sources.map((source) => source(context)))
  return results.flatMap((result) => {
    const typed = state.sliceDoc(result?.from ?? at, at)
    const options = result?.options.filter(
      ({ type, label }) => OFFERED.test(`${type} ${label}`) && label.startsWith(typed),
    )
    return options?.map(({ label }) => label) ?? []
  })
}

/** Excludes the language's keywords. */
const OFFERED = /^property |^function |^type users$/

const [BOOKS, AUTHORS, USERS] = [
  ['id', 'title'],
  ['id', 'Full name'],
  ['id', 'email'],
]

test.each([
  ['select 1; select b.| from books b; select 2', BOOKS],
  ['select x.id from books x;\nselect x.| from authors x', AUTHORS],
  ['select u.| from books b join auth.users as u on true', USERS],
  ["select ';'; create function f() returns int language sql as $$ select 1; $$; select b.| from books b", BOOKS],
  ['update books b set title = 1 where b.|', BOOKS],
  ['insert into books as b (title) values (1) on conflict (id) do update set title = b.|', BOOKS],
  ['select (select a.| from authors a) from books b', AUTHORS],
  ['select * from books b where exists (select 1 from authors a where a.id = b.|)', BOOKS],
  ['with x as (select b.ti| from books b) select * from x', ['title']],
  ['select * from books b, only authors "A", lateral (select 1) l where "A".|', AUTHORS],
  ['select books.| from books', BOOKS],
  ['select nothing.| from books b', []],
  ['select cou|', ['count']],
  ['select auth.u|', ['users', 'auth.uid']],
])('%s', async (text, expected) => {
  expect(await namesAt(text)).toEqual(expected)
})
