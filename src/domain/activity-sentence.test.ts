import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { namesItsSubject, sentence } from './activity-sentence.ts'

test.each([
  ['document.renamed', { title: 'New', from: 'Old' }, 'renamed “Old” to “New”'],
  ['member.role_changed', { name: 'Ben', role: 'owner', from: 'editor' }, 'changed Ben from editor to owner'],
  ['member.joined', { name: 'Ben', role: 'guest' }, 'Ben joined as guest'],
  [
    'group.member_added',
    { group: 'Team', names: ['Ada', 'Ben'], count: 3 },
    'added Ada, Ben, and 1 more to the group “Team”',
  ],
  ['group.member_removed', { group: 'Team' }, 'removed … from the group “Team”'],
  ['grant.given', { group: 'Team', collection: 'Letters' }, 'gave the group “Team” access to “Letters”'],
  ['document.trashed', { title: 'Lamp', rule: 'an id' }, 'A retention rule put “Lamp” in the trash'],
  ['retention.set', {}, 'set the retention rule of the library'],
  ['hold.placed', { title: 'Lamp', reason: 'Case 12' }, 'placed a legal hold on “Lamp”: Case 12'],
  ['comment.added', { comment: 'an id' }, 'commented'],
  ['comment.added', { comment: 'an id', title: 'Lamp' }, 'commented on “Lamp”'],
  ['comment.deleted', { comment: 'an id', title: 'Lamp' }, 'deleted a comment on “Lamp”'],
  ['document.added', { title: '<b>{name}</b> \u202e' }, 'added “<b>{name}</b> \u202e”'],
  ['key.revoked', { name: 'Import' }, 'revoked the API key “Import”'],
  ['document.added', null, 'added “…”'],
  ['document.added', { title: 7 }, 'added “…”'],
  [
    'document.ran_rule',
    {
      rule: 'Bills',
      title: 'May',
      changes: [
        { do: 'tag', name: 'Due' },
        { do: 'tell', count: 2 },
      ],
    },
    'Rule “Bills” on “May”: tagged “Due”, notified 2 people',
  ],
  ['tag.added', { id: 'an id', name: 'Due' }, 'added the tag “Due”'],
  ['collection.changed', { name: 'Coast', from: 'Sea' }, 'renamed the collection “Sea” to “Coast”'],
  ['collection.changed', { name: 'Coast', parent: 'an id' }, 'moved the collection “Coast”'],
  ['rule.changed', { name: 'Bills', is_on: false }, 'changed the rule “Bills”'],
  ['rule.changed', { name: 'Bills', from: 'Invoices' }, 'renamed the rule “Invoices” to “Bills”'],
  ['webhook.added', { host: 'hooks.example.org' }, 'added a webhook to “hooks.example.org”'],
  ['company.verified', { domain: 'example.org' }, 'verified the domain “example.org”'],
  ['document.added', { title: 'Lamp' }, 'added “Lamp”'],
  ['tag.added', { name: 7 }, 'added the tag “…”'],
  ['collection.added', { name: 'Coast' }, 'added the collection “Coast”'],
  ['request.created', { request: 'Bills' }, 'requested files: “Bills”'],
  ['document.added', { title: 'Lamp', writers: ['Ada', 'Ben'] }, 'approved “Lamp”, new by Ada and Ben'],
  ['grant.removed', { group: 'Team', collection: 'Letters' }, 'revoked access to “Letters” for the group “Team”'],
  ['something.newer', {}, 'something.newer'],
])('%s', (verb, subject, text) => {
  expect(sentence(verb, subject)).toBe(text)
})

test('people who join or leave are the subject of the sentence', () => {
  expect(['member.joined', 'member.left', 'member.removed'].map((verb) => namesItsSubject(verb, {}))).toEqual([
    true,
    true,
    false,
  ])
})

test('every kind of audit entry has a sentence', async () => {
  const docs = await readFile('docs/audit.md', 'utf8')
  const table = docs.slice(docs.indexOf('## Kinds'), docs.indexOf('Not in the log'))
  const kinds = [...table.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, kind = '']) => kind)
  expect(kinds.length).toBeGreaterThan(60)
  expect(kinds.filter((kind) => sentence(kind, {}) === kind)).toEqual([])
})
