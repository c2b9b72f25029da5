import { expect, test } from 'vitest'
import { fromKarakeep } from './karakeep.ts'
import { fromNotion } from './notion.ts'
import { fromPaperless } from './paperless.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array | undefined) => new TextDecoder().decode(content)
const ID = '0123456789abcdef0123456789abcdef'
const OTHER = 'fedcba9876543210fedcba9876543210'

test('Notion pages become notes with links to each other and pictures', async () => {
  const files = new Map([
    [
      `Lamps ${ID}.md`,
      bytes(
        `# On lamps\n\nSee [the wick](Lamps%20${ID}/Wick%20(old)%20${OTHER}.md) and [the manual](Lamps%20${ID}/manual.pdf).\n\n![A lamp](Lamps%20${ID}/lamp.png)\n\n[Elsewhere](https://example.org/a) [gone](Lost%20${ID}.md)`,
      ),
    ],
    [`Lamps ${ID}/Wick (old) ${OTHER}.md`, bytes(`[Back](../Lamps%20${ID}.md)`)],
    [`Lamps ${ID}/lamp.png`, bytes('picture')],
    [`Lamps ${ID}/manual.pdf`, bytes('%PDF')],
    [`Stock ${ID}.csv`, bytes('view')],
    [`Stock ${ID}_all.csv`, bytes('all rows')],
  ])
  const { manifest, files: taken } = (await fromNotion(files)) ?? {}
  const documents = manifest?.documents ?? []
  expect(documents.map(({ kind, title }) => [kind, title])).toEqual([
    ['note', 'On lamps'],
    ['note', 'Wick (old)'],
    ['file', 'manual'],
    ['file', 'Stock'],
  ])
  expect(manifest?.collections.map(({ name, parent_id }) => [name, parent_id])).toEqual([['Lamps', null]])
  const [lamps, wick, manual, stock] = documents
  const body = text(taken?.get(lamps?.versions[0]?.path ?? ''))
  expect(body).not.toContain('# On lamps')
  expect(body).toContain(`/d/${wick?.id})`)
  expect(body).toContain(`/d/${manual?.id})`)
  expect(body).toContain('(https://example.org/a)')
  expect(body).toContain(`(Lost%20${ID}.md)`)
  const [, picture = ''] = /!\[A lamp\]\((pictures\/[\w-]+\.png)\)/.exec(body) ?? []
  expect(text(taken?.get(`${lamps?.id}/${picture}`))).toBe('picture')
  expect(text(taken?.get(wick?.versions[0]?.path ?? ''))).toContain(`/d/${lamps?.id})`)
  expect(wick?.collection_id).toBe(manifest?.collections[0]?.id)
  expect(text(taken?.get(stock?.versions[0]?.path ?? ''))).toBe('all rows')
})

test('a Notion database becomes a collection with fields, and callouts become quotes', async () => {
  const page = (name: string, properties: string, id: string): [string, Uint8Array] => [
    `Home ${ID}/Tasks/${name} ${id}.md`,
    bytes(`# ${name}\n\n${properties}\n\nNote: the body stays.\n\n<aside>\n💡 Mind the glass.\n\n</aside>\n\nEnd.`),
  ]
  const { manifest, files } =
    (await fromNotion(
      new Map([
        [
          `Home ${ID}/Tasks ${ID}_all.csv`,
          bytes('\uFEFFName,Status,Price,Due,"Tags",Remark\nTrim,Open,"$1,250.50","March 3, 2024","oil, wick",x'),
        ],
        page('Trim', 'Status: Open\nPrice: $1,250.50\nDue: March 3, 2024\nTags: oil, wick\nRemark: Two\nlines', ID),
        page('Fill', 'Status: Done\nPrice: 3\nDue: February 29, 2024 → March 1, 2024\nTags: oil', OTHER),
      ]),
    )) ?? {}
  expect(
    manifest?.fields?.map(({ name, kind, takes_several, options }) => [name, kind, takes_several, options.length]),
  ).toEqual([
    ['Status', 'choice', false, 2],
    ['Price', 'number', false, 0],
    ['Due', 'date', false, 0],
    ['Tags', 'choice', true, 2],
    ['Remark', 'text', false, 0],
  ])
  expect(
    manifest?.documents.map(({ title, kind, fields }) => [title, kind, fields?.map(({ values }) => values)]),
  ).toEqual([
    ['Trim', 'note', [['Open'], [1250.5], ['2024-03-03'], ['oil', 'wick'], ['Two\nlines']]],
    ['Fill', 'note', [['Done'], [3], ['2024-02-29'], ['oil']]],
  ])
  expect(manifest?.fields?.every(({ collection_id }) => collection_id === manifest.documents[0]?.collection_id)).toBe(
    true,
  )
  expect(text(files?.get(manifest?.documents[0]?.versions[0]?.path ?? ''))).toBe(
    'Note: the body stays.\n\n> 💡 Mind the glass.\n\n\nEnd.',
  )
})

test('a Paperless export keeps correspondents, tags, types, notes and recognized text', () => {
  const rows = [
    { model: 'documents.correspondent', pk: 3, fields: { name: 'Harbour office' } },
    { model: 'documents.correspondent', pk: 4, fields: { name: 'Nobody' } },
    { model: 'documents.tag', pk: 1, fields: { name: 'boats' } },
    { model: 'documents.documenttype', pk: 2, fields: { name: 'Letter' } },
    { model: 'auth.user', pk: 9, fields: { username: 'ada' } },
    {
      model: 'documents.note',
      pk: 5,
      fields: { note: 'Answered.', document: 7, created: '2024-05-01T10:00:00Z', user: 9 },
    },
    { model: 'documents.customfield', pk: 5, fields: { name: 'Amount', data_type: 'monetary' } },
    {
      model: 'documents.customfield',
      pk: 6,
      fields: { name: 'Paid', data_type: 'select', extra_data: { select_options: [{ id: 'a', label: 'By card' }] } },
    },
    { model: 'documents.customfieldinstance', pk: 1, fields: { document: 7, field: 5, value_monetary: 'EUR12.50' } },
    { model: 'documents.customfieldinstance', pk: 11, fields: { document: 7, field: 5, value_monetary: 'USD-3' } },
    { model: 'documents.customfieldinstance', pk: 12, fields: { document: 7, field: 5, value_monetary: 'about 5' } },
    {
      model: 'documents.customfieldinstance',
      pk: 2,
      fields: { document: 7, field: 6, value_text: null, value_select: 'a' },
    },
    { model: 'documents.customfieldinstance', pk: 3, fields: { document: 8, field: 5, value_monetary: 'EUR1.00' } },
    { model: 'documents.customfield', pk: 7, fields: { name: 'See also', data_type: 'documentlink' } },
    { model: 'documents.customfieldinstance', pk: 4, fields: { document: 7, field: 7, value_document_ids: [7, 9] } },
    { model: 'documents.document', pk: 9, fields: { title: 'Lamps', tags: [], deleted_at: '2024-06-01' } },
    {
      model: 'documents.document',
      pk: 7,
      fields: {
        title: 'The boat',
        created: '2024-02-29T00:00:00+01:00',
        correspondent: 3,
        document_type: 2,
        tags: [1],
        original_filename: 'scan.png',
        checksum: '0cc175b9c0f1b6a831c399e269772661',
        archive_serial_number: 42,
        deleted_at: null,
      },
      __exported_file_name__: 'boat.png',
      __exported_archive_name__: 'boat-archive.pdf',
    },
    {
      model: 'documents.document',
      pk: 8,
      fields: { title: 'In the trash', tags: [], deleted_at: '2024-06-01T00:00:00Z' },
      __exported_file_name__: 'gone.pdf',
    },
  ]
  const files = new Map([
    ['manifest.json', bytes(JSON.stringify(rows))],
    ['boat.png', bytes('scan')],
    ['boat-archive.pdf', bytes('%PDF')],
  ])
  const { manifest, problems } = fromPaperless(files) ?? {}
  expect(manifest?.collections).toEqual([
    { id: 'paperless', name: 'Paperless', parent_id: null },
    { id: 'paperless correspondent Harbour office', name: 'Harbour office', parent_id: 'paperless' },
  ])
  expect(manifest?.documents).toHaveLength(1)
  expect(manifest?.documents[0]).toMatchObject({
    kind: 'file',
    title: 'The boat',
    id: 'paperless 0cc175b9c0f1b6a831c399e269772661',
    collection_id: 'paperless correspondent Harbour office',
    tags: ['boats', 'Letter'],
    summary: 'Dated Feb 29, 2024',
    reference: { issued: { 'date-parts': [[2024, 2, 29]] } },
    fields: [
      { field_id: '5 EUR', values: [12.5] },
      { field_id: '5 USD', values: [-3] },
      { field_id: '5', values: ['about 5'] },
      { field_id: '6', values: ['By card'] },
      { field_id: '7', values: ['The boat, Lamps'] },
      { field_id: 'serial', values: [42] },
    ],
    versions: [
      { number: 1, path: 'boat.png', file_name: 'scan.png' },
      { number: 2, path: 'boat-archive.pdf', file_name: 'The boat.pdf' },
    ],
    comments: [{ body: 'Answered.', created_by: 'ada' }],
  })
  expect(manifest?.fields).toMatchObject([
    { collection_id: 'paperless', name: 'Amount (EUR)', kind: 'number' },
    { collection_id: 'paperless', name: 'Amount (USD)', kind: 'number' },
    { collection_id: 'paperless', name: 'Amount', kind: 'text' },
    { collection_id: 'paperless', name: 'Paid', kind: 'choice', options: [{ name: 'By card' }] },
    { collection_id: 'paperless', name: 'See also', kind: 'text' },
    { collection_id: 'paperless', name: 'Archive serial number', kind: 'number' },
  ])
  expect(problems).toEqual([])
})

test('Karakeep bookmarks become links and notes in collections, and empty ones are reported', () => {
  const exported = {
    bookmarks: [
      {
        createdAt: 1_700_000_000,
        title: 'Lenses',
        tags: ['light'],
        lists: ['smart', 'l2'],
        content: { type: 'link', url: 'https://example.org/lens' },
        note: 'Read page 4',
        archived: false,
      },
      {
        createdAt: 1_700_000_000,
        title: null,
        tags: [],
        content: { type: 'text', text: 'Trim the wick\nat dusk' },
        note: null,
      },
      { createdAt: 1_700_000_000, title: 'A photo', tags: [], content: null, note: null },
    ],
    lists: [
      { id: 'l1', name: 'Work', icon: '🏠', description: null, type: 'manual', query: null, parentId: null },
      { id: 'l2', name: 'Glass', icon: '🔎', description: null, type: 'manual', query: null, parentId: 'l1' },
      { id: 'smart', name: 'All', icon: '🔎', description: null, type: 'smart', query: 'is:fav', parentId: null },
    ],
  }
  const { manifest, files, problems } = fromKarakeep(JSON.stringify(exported)) ?? {}
  expect(manifest?.collections).toEqual([
    { id: 'l1', name: 'Work', parent_id: null },
    { id: 'l2', name: 'Glass', parent_id: 'l1' },
  ])
  const [link, note] = manifest?.documents ?? []
  expect(link).toMatchObject({
    kind: 'link',
    title: 'Lenses',
    url: 'https://example.org/lens',
    collection_id: 'l2',
    tags: ['light'],
    comments: [{ body: 'Read page 4' }],
  })
  expect(note).toMatchObject({ kind: 'note', title: 'Trim the wick' })
  expect(text(files?.get(note?.versions[0]?.path ?? ''))).toBe('Trim the wick\nat dusk')
  expect(problems?.map(({ title }) => title)).toEqual(['A photo'])
})

test('other files are not recognized as exports', async () => {
  expect(fromKarakeep('{"bookmarks": 3}')).toBeUndefined()
  expect(fromKarakeep('Dear reader,')).toBeUndefined()
  expect(fromPaperless(new Map([['manifest.json', bytes('[{"model":"a.b","pk":1,"fields":{}}]')]]))).toBeUndefined()
  expect(await fromNotion(new Map([['notes/lamps.md', bytes('# Lamps')]]))).toBeUndefined()
})
