import { expect, test } from 'vitest'
import { closed, newTab, renamed, type Tab, taken, withSnippet, written } from './tabs.ts'

const tab = (id: string, more: Partial<Tab> = {}): Tab => ({ ...newTab([]), id, ...more })
const snippet = { name: 'reports/monthly', text: 'select 1', version: 'v1' }

test('numbers a new script with the first free number', () => {
  expect(newTab([tab('a'), tab('b', { name: 'Script 3' })]).name).toBe('Script 2')
})

test('opens a snippet once', () => {
  const tabs = withSnippet([tab('a')], snippet)
  expect(tabs[1]).toMatchObject({
    name: 'monthly',
    text: 'select 1',
    snippet: { name: 'reports/monthly', version: 'v1', isChanged: false },
  })
  expect(withSnippet(tabs, { ...snippet, version: 'v2' })).toBe(tabs)
})

test('marks an edited snippet as changed, and replaces the editor when it is reloaded', () => {
  const opened = withSnippet([], snippet)[0] ?? tab('none')
  const changed = { ...opened, ...written(opened, 'select 2') }
  expect([changed.text, changed.snippet?.isChanged]).toEqual(['select 2', true])
  expect(written(tab('a'), 'select 2')).toEqual({ text: 'select 2' })
  const again = { ...changed, ...taken(changed, { ...snippet, version: 'v2' }) }
  expect([again.text, again.edition, again.snippet]).toEqual([
    'select 1',
    changed.edition + 1,
    { name: 'reports/monthly', version: 'v2', isChanged: false },
  ])
  expect(renamed(again, 'weekly')).toEqual({ name: 'weekly', snippet: { ...again.snippet, name: 'weekly' } })
})

test('closing a tab selects the next, else the last, else a new one', () => {
  const tabs = [tab('a'), tab('b'), tab('c')]
  const ids = (id: string, of = tabs) => {
    const { tabs: left, next } = closed(of, id)
    return [left.map((one) => one.id), next.id]
  }
  expect(ids('a')).toEqual([['b', 'c'], 'b'])
  expect(ids('c')).toEqual([['a', 'b'], 'b'])
  const last = closed([tab('a', { text: 'select 1' })], 'a')
  expect([last.tabs, last.next.text]).toEqual([[last.next], ''])
})
