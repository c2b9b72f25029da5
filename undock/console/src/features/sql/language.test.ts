import { CompletionContext, type CompletionSource } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { sqlLanguage } from './language.ts'

const SCHEMA = {
  public: { books: ['id', 'title'], authors: ['id', 'name'] },
  auth: { users: ['id', 'email'] },
}

/** The names that are offered at the `|` of a text. */
async function namesAt(text: string): Promise<string[]> {
  const at = text.indexOf('|')
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: sqlLanguage(SCHEMA) })
  const context = new CompletionContext(state, at, true)
  const sources = state.languageDataAt<CompletionSource>('autocomplete', at)
  const results = await Promise.all(sources.map((source) => source(context)))
  return results.flatMap((result) => result?.options ?? []).map(({ label }) => label)
}

test.each([
  ['select 1; select b.| from books b; select 2', ['id', 'title']],
  ['select x.id from books x;\nselect x.| from authors x', ['id', 'name']],
  ['select u.| from books b join auth.users as u on true', ['id', 'email']],
  [
    "select ';'; create function f() returns int language sql as $$ select 1; $$; select b.| from books b",
    ['id', 'title'],
  ],
])('%s', async (text, expected) => {
  expect(await namesAt(text)).toEqual(expected)
})
