// @vitest-environment node
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { auditSentence } from './audit-sentence.ts'

test('every kind of audit entry has a sentence', async () => {
  const docs = await readFile('docs/audit.md', 'utf8')
  const table = docs.slice(docs.indexOf('## Kinds'), docs.indexOf('Not in the log'))
  const kinds = [...table.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, kind = '']) => kind)
  expect(kinds.length).toBeGreaterThan(60)
  expect(kinds.filter((kind) => auditSentence(kind, {}) === kind)).toEqual([])
})

test.each([
  ['tag.added', { id: 'an id', name: 'Due' }, 'added the tag “Due”'],
  ['collection.changed', { name: 'Coast', from: 'Sea' }, 'renamed the collection “Sea” to “Coast”'],
  ['collection.changed', { name: 'Coast', parent: 'an id' }, 'moved the collection “Coast”'],
  ['rule.changed', { name: 'Bills', is_on: false }, 'changed the rule “Bills”'],
  ['rule.changed', { name: 'Bills', from: 'Invoices' }, 'renamed the rule “Invoices” to “Bills”'],
  ['webhook.added', { host: 'hooks.example.org' }, 'added a webhook to “hooks.example.org”'],
  ['company.verified', { domain: 'example.org' }, 'verified the domain “example.org”'],
  ['document.added', { title: 'Lamp' }, 'added “Lamp”'],
  ['tag.added', { name: 7 }, 'added the tag “…”'],
  ['something.newer', {}, 'something.newer'],
])('%s', (kind, details, words) => {
  expect(auditSentence(kind, details)).toBe(words)
})
