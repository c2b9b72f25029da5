import { expect, test } from 'vitest'
import { planDocuments } from './import.ts'
import type { ExportedDocument } from './manifest.ts'

const documentOf = (id: string, file_name: string): ExportedDocument => ({
  id,
  kind: 'file',
  title: id,
  summary: '',
  url: null,
  collection_id: null,
  tags: [],
  created_at: '2026-01-01T00:00:00Z',
  created_by: null,
  versions: [
    { number: 1, path: file_name, file_name, mime_type: '', created_at: '2026-01-01T00:00:00Z', created_by: null },
  ],
  comments: [],
})
const DOCUMENTS = [documentOf('mail', 'a.eml'), documentOf('kept', 'a.txt'), documentOf('binned', 'b.txt')]
const KEPT = { deleted_at: null }
const BINNED = { deleted_at: '2026-01-02T00:00:00Z' }

test.each<[string, string[], Record<string, typeof KEPT | typeof BINNED>, string, string[]]>([
  ['a first import adds everything, mails last', ['mail', 'kept'], {}, 'unfinished', ['add kept', 'add mail']],
  [
    'an interrupted import continues',
    ['mail', 'kept', 'binned'],
    { 'new-kept': KEPT, 'new-binned': BINNED },
    'unfinished',
    ['complete kept', 'skip binned', 'add mail'],
  ],
  [
    'a repeated import adds nothing',
    ['kept', 'binned'],
    { 'new-kept': KEPT, 'new-binned': BINNED },
    'finished',
    ['complete kept', 'skip binned'],
  ],
  ['an export without documents still has collections', [], {}, 'unfinished', []],
])('%s', (_name, ids, existing, kind, steps) => {
  const documents = DOCUMENTS.filter(({ id }) => ids.includes(id))
  const plan = planDocuments(documents, (id) => `new-${id}`, new Map(Object.entries(existing)))
  expect(plan.kind).toBe(kind)
  expect(plan.steps.map((step) => `${step.kind} ${step.document.id}`)).toEqual(steps)
})
