import { mkdir, writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { expect, type Person, test } from './fixtures.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
type Chosen = { name: string; mimeType: string; buffer: Buffer }
const zip = (name: string, files: Record<string, Uint8Array | string>): Chosen => {
  const entries = Object.entries(files).map(([path, text]) => [path, typeof text === 'string' ? strToU8(text) : text])
  return { name, mimeType: 'application/zip', buffer: Buffer.from(zipSync(Object.fromEntries(entries))) }
}

/** A workspace's "Markdown & CSV" export: a ZIP of ZIPs, whose folders have no ids, with an empty row and a picture. */
function notion(): Chosen {
  const id = (n: number) => `1f0c2a9e7d4b80${String(n).padStart(2, '0')}9c3fd1e2a4b5c6d7`
  const rows = ['Trim the wick', 'Polish the lens', 'Oil the clockwork'].map((name, n): [string, string] => [
    `Private & Shared/Keeper/Tasks/${name} ${id(n)}.md`,
    `# ${name}\n\nStatus: ${n === 0 ? 'Done' : 'Open'}\nDue: March ${n + 1}, 2024\nHours: ${n + 0.5}\n${n === 2 ? '' : '\nSee [Keeper](../../Keeper%20'}${n === 2 ? '' : `${id(9)}.md).\n`}`,
  ])
  const part = zip('part', {
    [`Private & Shared/Keeper ${id(9)}.md`]: `# Keeper\n\n<aside>\n💡 Mind the glass.\n\n</aside>\n\n![lamp.png](Keeper/lamp.png)\n\n[Tasks](Keeper/Tasks%20${id(8)}.csv)\n`,
    'Private & Shared/Keeper/lamp.png': new Uint8Array(PIXEL),
    [`Private & Shared/Keeper/Tasks ${id(8)}.csv`]:
      '\uFEFFName,Status,Due,Hours\nTrim the wick,Done,"March 1, 2024",0.5\n',
    [`Private & Shared/Keeper/Tasks ${id(8)}_all.csv`]:
      '\uFEFFName,Status,Due,Hours\nTrim the wick,Done,"March 1, 2024",0.5\nPolish the lens,Open,"March 2, 2024",1.5\nOil the clockwork,Open,"March 3, 2024",2.5\n',
    ...Object.fromEntries(rows),
  })
  return zip('5c7b_Export-9a1f.zip', {
    'ExportBlock-4d2e9c1a-7b3f-4a6d-8e5c-1f2a3b4c5d6e-Part-1.zip': new Uint8Array(part.buffer),
  })
}

/** What `document_exporter --zip` writes: all tables in one list, next to the files and thumbnails. */
function paperless(): Chosen {
  const document = (pk: number, title: string, correspondent: number | null) => ({
    model: 'documents.document',
    pk,
    fields: {
      owner: 3,
      correspondent,
      storage_path: null,
      title,
      document_type: 1,
      content: 'Recognized',
      mime_type: 'text/plain',
      checksum: String(pk).padStart(32, 'c'),
      archive_checksum: null,
      created: `2024-02-2${pk}`,
      modified: '2024-05-01T08:12:44.123456Z',
      added: '2024-05-01T08:12:43.654321Z',
      filename: `${title}.txt`,
      archive_filename: null,
      original_filename: `scan ${pk}.txt`,
      archive_serial_number: pk,
      deleted_at: null,
      restored_at: null,
      transaction_id: null,
      tags: [1],
    },
    __exported_file_name__: `${title}.txt`,
    __exported_thumbnail_name__: `${title}-thumbnail.webp`,
  })
  const value = (pk: number, on: number, field: number, own: object) => ({
    model: 'documents.customfieldinstance',
    pk,
    fields: {
      created: '2024-05-01T08:20:00Z',
      document: on,
      field,
      deleted_at: null,
      value_text: null,
      value_bool: null,
      value_url: null,
      value_date: null,
      value_int: null,
      value_float: null,
      value_monetary: null,
      value_document_ids: null,
      value_select: null,
      ...own,
    },
  })
  const rows = [
    { model: 'auth.user', pk: 3, fields: { username: 'keeper', password: '!', is_active: true } },
    { model: 'documents.correspondent', pk: 2, fields: { name: 'Harbour office', match: '', owner: 3 } },
    { model: 'documents.documenttype', pk: 1, fields: { name: 'Invoice', match: '', owner: 3 } },
    { model: 'documents.tag', pk: 1, fields: { name: 'oil', color: '#a6cee3', is_inbox_tag: false, owner: 3 } },
    { model: 'documents.customfield', pk: 1, fields: { name: 'Amount', data_type: 'monetary', extra_data: null } },
    { model: 'documents.customfield', pk: 2, fields: { name: 'Due', data_type: 'date', extra_data: null } },
    document(1, 'Oil in spring', 2),
    document(2, 'Oil in autumn', 2),
    document(3, 'A loose leaf', null),
    value(1, 1, 1, { value_monetary: 'EUR12.50' }),
    value(2, 1, 2, { value_date: '2024-03-31' }),
    value(3, 3, 1, { value_monetary: 'EUR7.00' }),
    {
      model: 'documents.note',
      pk: 1,
      fields: { note: 'Paid in cash.', created: '2024-05-02T09:00:00Z', document: 1, user: 3, deleted_at: null },
    },
  ]
  return zip('export-2024-06-01.zip', {
    'manifest.json': JSON.stringify(rows),
    'metadata.json': '{"version": "2.16.3"}',
    'Oil in spring.txt': 'Forty litres of oil.',
    'Oil in autumn.txt': 'Sixty litres of oil.',
    'A loose leaf.txt': 'A leaf.',
    'Oil in spring-thumbnail.webp': 'RIFF',
  })
}

const KARAKEEP = {
  bookmarks: [
    ...['https://example.org/lens', 'https://example.org/fog'].map((url, n) => ({
      createdAt: 1_718_000_000 + n,
      title: n === 0 ? 'On lenses' : null,
      tags: ['light'],
      lists: ['l2'],
      content: { type: 'link', url },
      note: n === 0 ? 'Read page 4' : null,
      archived: false,
    })),
    {
      createdAt: 1_718_000_009,
      title: null,
      tags: [],
      lists: [],
      content: { type: 'text', text: 'Trim at dusk' },
      note: null,
      archived: true,
    },
  ],
  lists: [
    { id: 'l1', name: 'Work', description: null, icon: '🏠', type: 'manual', query: null, parentId: null },
    { id: 'l2', name: 'Glass', description: null, icon: '🔎', type: 'manual', query: null, parentId: 'l1' },
  ],
}

const text = (name: string, content: string): Chosen => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

/** Zotero's RIS: its own tags, Windows line ends, and two entries that only their order distinguishes. */
const ZOTERO = [
  'TY  - JOUR\nTI  - On the diffraction of light\nAU  - Fresnel, Augustin\nT2  - Annales de Chimie\nDO  - 10.1000/xyz\nDA  - 1819/04/01/\nPY  - 1819\nDP  - Gallica\nKW  - light\nL1  - files/12/fresnel.pdf\nER  - ',
  'TY  - JOUR\nTI  - Editorial\nPY  - 1820\nSP  - 1\nER  - ',
  'TY  - JOUR\nTI  - Editorial\nPY  - 1820\nSP  - 90\nER  - ',
]
  .join('\n\n')
  .replaceAll('\n', '\r\n')

async function choose(page: Page, file: Chosen) {
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByLabel('File to import').setInputFiles(file)
  return dialog
}

/** What a library contains, without times and ids of versions. */
async function contentsOf({ client }: Person, library: string) {
  const columns = {
    documents: 'id, title, kind, dated, collection:collections(name, parent_id), tags:document_tags(tag_id)',
    collections: 'id, name, parent_id',
    tags: 'id, name',
    collection_fields: 'id, name, kind',
    field_values: 'field_id, document_id, text_value, number_value, date_value, option:field_options(name)',
    comments: 'document_id, body',
    versions: 'document_id, number, body',
  } as const
  const rows = await Promise.all(
    Object.entries(columns).map(async ([table, selected]) => {
      const { data } = await client
        .from(table as 'documents')
        .select(selected as 'id')
        .eq('library_id', library)
        .throwOnError()
      return [table, data.map((row) => JSON.stringify(row)).toSorted()] as const
    }),
  )
  return Object.fromEntries(rows)
}

const EXPORTS: [string, () => Chosen, number, Record<string, number>][] = [
  ['Notion', notion, 4, { collections: 3, collection_fields: 3, field_values: 9 }],
  ['Paperless', paperless, 3, { collections: 2, collection_fields: 3, field_values: 6, comments: 1, tags: 2 }],
  [
    'Karakeep',
    () => text('karakeep-export-2024.json', JSON.stringify(KARAKEEP)),
    3,
    { collections: 2, comments: 1, tags: 1 },
  ],
  ['Zotero', () => text('My Library.ris', ZOTERO), 3, { documents: 3, tags: 1 }],
]

for (const [program, make, count, rows] of EXPORTS) {
  const tag = program === 'Notion' ? [] : '@nightly'
  test(`importing an export of ${program} twice adds nothing`, { tag }, async ({ page, signedIn, library }) => {
    const dialog = await choose(page, make())
    await expect(dialog.getByText(`${count} documents were imported`)).toBeVisible()
    const before = await contentsOf(signedIn, library)
    expect(before).toMatchObject(
      Object.fromEntries(
        Object.entries({ documents: count, ...rows }).map(([table, length]) => [
          table,
          Array.from({ length }, () => expect.any(String)),
        ]),
      ),
    )
    await page.reload()
    await choose(page, make())
    await expect(dialog.getByText('Nothing was imported')).toBeVisible()
    await expect(dialog.getByText(`${count} documents were already here.`)).toBeVisible()
    expect(await contentsOf(signedIn, library)).toEqual(before)
  })
}

test('an import resumes after the tab is closed and after a connection loss', async ({
  page,
  context,
  signedIn,
  library,
}) => {
  // The first note has no picture yet.
  await page.route('**/object/pictures/**', () => page.close())
  await choose(page, notion())
  await page.waitForEvent('close')

  const again = await context.newPage()
  await again.goto(`/l/${library}`)
  await again.route('**/rpc/import_document', (route) => route.abort(), { times: 1 })
  const dialog = await choose(again, notion())
  await expect(dialog.getByText('The connection was lost before the end.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('3 documents were imported')).toBeVisible()
  const { documents, collections, collection_fields, field_values, versions } = await contentsOf(signedIn, library)
  const all = [documents, collections, collection_fields, field_values, versions]
  expect(all.map((rows) => rows?.length)).toEqual([4, 3, 3, 9, 4])

  await again.keyboard.press('Escape')
  await again.getByRole('article', { name: 'Polish the lens' }).getByRole('link', { name: 'Polish the lens' }).click()
  await again.locator('.prose').getByRole('link', { name: 'Keeper' }).click()
  await expect(again.locator('.prose blockquote')).toHaveText('💡 Mind the glass.')
  await expect(again.locator('.prose').getByRole('img', { name: 'lamp.png' })).toHaveJSProperty('naturalWidth', 1)
})

test('documents deleted since an import stay deleted, and new ones in a later export are added', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  const { client } = signedIn
  const dialog = await choose(page, text('first.ris', ZOTERO))
  await expect(dialog.getByText('3 documents were imported')).toBeVisible()
  await client.from('tags').delete().eq('library_id', library).throwOnError()
  const deleted_at = new Date().toISOString()
  await client.from('documents').update({ deleted_at }).like('title', '%diffraction%').throwOnError()
  await dialog.getByLabel('File to import').setInputFiles(text('first.ris', ZOTERO))
  await expect(dialog.getByText('3 documents were already here. 1 is in the trash.')).toBeVisible()
  expect((await contentsOf(signedIn, library)).tags).toEqual([])

  const later = `${ZOTERO}\r\n\r\nTY  - BOOK\r\nTI  - On fog\r\nPY  - 1830\r\nER  - \r\n`
  await dialog.getByLabel('File to import').setInputFiles(text('later.ris', later))
  await expect(dialog.getByText('1 document was imported')).toBeVisible()
  await expect(dialog.getByText('3 documents were already here. 1 is in the trash.')).toBeVisible()
})

test("importing a library's own export adds only missing documents, elsewhere it makes a copy", async ({
  page,
  signedIn,
  library,
}) => {
  const { client } = signedIn
  const { data: folder } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Lamps' })
    .select('id')
    .single()
    .throwOnError()
  const { data: note } = await client
    .rpc('add_note', { library, title: 'Wicks', body: 'First', collection: folder.id })
    .throwOnError()
  const based_on = note.current_version_id ?? ''
  await client.rpc('save_note', { document: note.id, body: 'Second', based_on }).throwOnError()
  await client.rpc('add_note', { library, title: 'Blank', body: '' }).throwOnError()
  for (const body of ['One', 'Two', 'Three'])
    await client.from('comments').insert({ library_id: library, document_id: note.id, body }).throwOnError()

  await page.goto(`/l/${library}/settings`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const path = await (await downloading).path()
  const before = await contentsOf(signedIn, library)
  await page.getByLabel('File to import').setInputFiles(path)
  await expect(page.getByText('2 documents were already here.')).toBeVisible()
  expect(await contentsOf(signedIn, library)).toEqual(before)

  const { data: other } = await client.rpc('create_library', { name: 'Elsewhere' }).throwOnError()
  await page.goto(`/l/${other.id}/settings`)
  await page.getByLabel('File to import').setInputFiles(path)
  await expect(page.getByText('2 documents were imported')).toBeVisible()
  const { data: comments } = await client
    .from('comments')
    .select('body')
    .eq('library_id', other.id)
    .order('created_at')
    .throwOnError()
  expect(comments.map(({ body }) => body.split(': ').at(-1))).toEqual(['One', 'Two', 'Three'])
  const { data: versions } = await client
    .from('versions')
    .select('number, body, document:documents!versions_document_id_library_id_fkey(title)')
    .eq('library_id', other.id)
    .order('number')
    .throwOnError()
  // A blank note would be deleted after a day.
  expect(versions.map(({ number, body, document }) => [document.title, number, body]).toSorted()).toEqual([
    ['Blank', 1, '# Blank'],
    ['Wicks', 1, 'First'],
    ['Wicks', 2, 'Second'],
  ])
  await client.from('libraries').delete().eq('id', other.id)
})

test('adding a folder twice adds nothing', { tag: '@nightly' }, async ({ page, library }, { outputDir }) => {
  const folder = `${outputDir}/Papers`
  await mkdir(`${folder}/old`, { recursive: true })
  for (const [name, words] of [
    ['a.txt', 'Oil burns slowly.'],
    ['b.md', '# Glass'],
    ['old/c.txt', 'A wick.'],
  ])
    await writeFile(`${folder}/${name}`, words ?? '')
  for (const said of ['3 files added', '3 files were already there']) {
    await page.getByLabel('A folder to add').setInputFiles(folder)
    await expect(page.getByRole('region', { name: 'Uploads' }).getByRole('heading')).toHaveText(said)
    await page.getByRole('button', { name: 'Dismiss the list' }).click()
  }
  await page.getByRole('link', { name: 'Papers', exact: true }).click()
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(2)
  expect(library).not.toBe('')
})
