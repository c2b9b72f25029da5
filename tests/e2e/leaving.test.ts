import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { expect, test } from './fixtures.ts'

const PICTURE = '0b1f4a52-9d1c-4a53-8d5b-0a4d2f6a1b2c.png'
const GONE = '<h1>A page</h1><p>Nothing answers at its address any more.</p>'
const SECOND = `Second words. ![A lamp](pictures/${PICTURE})`

test('a library is exported as a ZIP and completely imported into another one', async ({ page, signedIn, library }) => {
  const { client } = signedIn
  const { data: collection } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Lamps/oil' })
    .select('id')
    .single()
    .throwOnError()
  const { data: note } = await client
    .rpc('add_note', { library, title: 'How: a lamp?', body: 'First words.', collection: collection.id })
    .throwOnError()
  await client
    .rpc('save_note', { document: note.id, body: SECOND, based_on: note.current_version_id ?? '' })
    .throwOnError()
  const picture = await client.storage
    .from('pictures')
    .upload(`${library}/${note.id}/${PICTURE}`, new Blob(['\x89PNG lamp'], { type: 'image/png' }))
  expect(picture.error).toBeNull()
  const reference = { type: 'book', author: [{ literal: 'The Society' }], DOI: '10.1000/lamp' }
  await client.from('documents').update({ reference }).eq('id', note.id).throwOnError()
  const { data: tag } = await client
    .from('tags')
    .insert({ library_id: library, name: 'Light' })
    .select('id')
    .single()
    .throwOnError()
  await client
    .from('document_tags')
    .insert({ library_id: library, document_id: note.id, tag_id: tag.id })
    .throwOnError()
  await client.from('comments').insert({ library_id: library, document_id: note.id, body: 'A question' }).throwOnError()
  await client.from('note_templates').insert({ library_id: library, title: 'Minutes', body: '# Who' }).throwOnError()
  // A page that exists only as a readable copy: its address is unreachable.
  const pageId = randomUUID()
  const pagePath = `${library}/${pageId}/${randomUUID()}/page.html`
  await client.storage.from('documents').upload(pagePath, GONE, { contentType: 'text/html' })
  const link = { library, document: pageId, path: pagePath, url: 'http://127.0.0.1:9/gone', title: 'A page' }
  await client.rpc('add_link', link).throwOnError()
  const noise = Buffer.from([0, 1, 2, 255])
  await page.getByLabel('Files to add').setInputFiles([
    { name: 'Paper.txt', mimeType: 'text/plain', buffer: Buffer.from('The keeper of the lamp.') },
    { name: 'Quartz.xyz', mimeType: '', buffer: noise },
  ])
  await expect(page.getByRole('article', { name: 'Paper' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'Quartz.xyz' })).toBeVisible()

  await page.goto(`/l/${library}/settings`)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe('Reading group.zip')
  const path = await saved.path()
  const entries = unzipSync(await readFile(path))
  expect(Object.keys(entries).sort()).toEqual([
    'A page.html',
    'Lamps oil/How a lamp.md',
    `Lamps oil/pictures/${PICTURE}`,
    'Paper.txt',
    'Quartz.xyz',
    'carrel.json',
    'templates/Minutes.md',
    `versions/${note.id}/1.md`,
  ])
  expect(strFromU8(entries['Lamps oil/How a lamp.md'] ?? new Uint8Array())).toBe(SECOND)
  expect(strFromU8(entries['Paper.txt'] ?? new Uint8Array())).toBe('The keeper of the lamp.')

  const { data: second } = await client.rpc('create_library', { name: 'Second home' }).throwOnError()
  await page.goto(`/l/${second.id}/settings`)
  await page.getByLabel('File to import').setInputFiles({
    name: 'Reading group.zip',
    mimeType: 'application/zip',
    buffer: await readFile(path),
  })
  await expect(page.getByText('4 documents were imported')).toBeVisible({ timeout: 120_000 })
  const { data: templates } = await client.from('note_templates').select('title, body').eq('library_id', second.id)
  expect(templates).toEqual([{ title: 'Minutes', body: '# Who' }])
  const { data: arrived } = await client
    .from('documents')
    .select(
      'id, title, reference, versions!versions_document_id_library_id_fkey(number, body, file_name, storage_path), collection:collections(name), tags:document_tags(tag:tags(name)), comments(body)',
    )
    .eq('library_id', second.id)
    .order('title')
    .throwOnError()
  expect(arrived).toEqual([
    {
      id: expect.any(String),
      title: 'A page',
      reference: null,
      versions: [expect.objectContaining({ number: 1 })],
      collection: null,
      tags: [],
      comments: [],
    },
    {
      id: expect.any(String),
      title: 'How: a lamp?',
      reference,
      versions: expect.arrayContaining([
        expect.objectContaining({ number: 1, body: 'First words.' }),
        expect.objectContaining({ number: 2, body: SECOND }),
      ]),
      collection: { name: 'Lamps/oil' },
      tags: [{ tag: { name: 'Light' } }],
      comments: [{ body: expect.stringMatching(/^Ada Lovelace, .*: A question$/) }],
    },
    {
      id: expect.any(String),
      title: 'Paper',
      reference: null,
      versions: [expect.objectContaining({ number: 1, file_name: 'Paper.txt' })],
      collection: null,
      tags: [],
      comments: [],
    },
    {
      id: expect.any(String),
      title: 'Quartz.xyz',
      reference: null,
      versions: [expect.objectContaining({ number: 1, file_name: 'Quartz.xyz' })],
      collection: null,
      tags: [],
      comments: [],
    },
  ])
  const kept = await client.storage.from('documents').download(arrived[3]?.versions[0]?.storage_path ?? '')
  expect(Buffer.from((await kept.data?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(noise)
  const copied = await client.storage.from('documents').download(arrived[0]?.versions[0]?.storage_path ?? '')
  expect(await copied.data?.text()).toBe(GONE)
  const carried = await client.storage.from('pictures').download(`${second.id}/${arrived[1]?.id}/${PICTURE}`)
  expect(await carried.data?.text()).toBe('\x89PNG lamp')
  await client.from('libraries').delete().eq('id', second.id).throwOnError()
})

test('an email links to its attachments, even after export and import', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  const { client } = signedIn
  const mail =
    'From: Ada <ada@example.org>\r\nSubject: Wicks\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n' +
    '--x\r\nContent-Type: text/plain\r\n\r\nThe wicks are here.\r\n' +
    '--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=prices.txt\r\n\r\nTwo pence.\r\n' +
    '--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=unwanted.txt\r\n\r\nNothing.\r\n--x--\r\n'
  await page
    .getByLabel('Files to add')
    .setInputFiles([{ name: 'wicks.eml', mimeType: 'message/rfc822', buffer: Buffer.from(mail) }])
  for (const name of ['Wicks', 'prices', 'unwanted']) {
    await expect(page.getByRole('article', { name })).toBeVisible({ timeout: 30_000 })
  }
  await client
    .from('documents')
    .update({ deleted_at: new Date().toISOString() })
    .eq('library_id', library)
    .eq('title', 'unwanted')
    .throwOnError()

  const follow = async () => {
    await page.getByRole('article', { name: 'Wicks' }).getByRole('link', { name: 'Wicks' }).click()
    const frame = page.frameLocator('main iframe')
    await expect(frame.getByText('unwanted.txt')).toBeVisible()
    await frame.getByRole('link', { name: 'prices.txt' }).click()
    await expect(page.getByText('Two pence.')).toBeVisible()
  }
  await follow()

  await page.goto(`/l/${library}/settings`)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const path = await (await download).path()
  const { data: second } = await client.rpc('create_library', { name: 'Second home' }).throwOnError()
  await page.goto(`/l/${second.id}/settings`)
  await page.getByLabel('File to import').setInputFiles(path)
  await expect(page.getByText('2 documents were imported')).toBeVisible({ timeout: 60_000 })
  const names = async () => {
    const { data } = await client.from('versions').select('file_name').eq('library_id', second.id).throwOnError()
    return data.map(({ file_name }) => file_name).toSorted()
  }
  const { data: copies } = await client.from('documents').select('id').eq('library_id', second.id).throwOnError()
  for (const { id } of copies) await client.functions.invoke('ingest', { body: { document_id: id } })
  expect(await names()).toEqual(['prices.txt', 'wicks.eml'])
  await page.goto(`/l/${second.id}`)
  await follow()
  await client.from('libraries').delete().eq('id', second.id).throwOnError()
})

test('a Notion export becomes linked notes', { tag: '@nightly' }, async ({ page, library }) => {
  const id = '0123456789abcdef0123456789abcdef'
  const inner = id.replace('0', 'f')
  const pages = zipSync({
    [`Lamps ${id}.md`]: strToU8(`# Lamps\n\nSee [the wick](Lamps%20${id}/Wick%20${inner}.md).`),
    [`Lamps ${id}/Wick ${inner}.md`]: strToU8('# Wick\n\nTrim it at dusk.'),
  })
  await page.goto(`/l/${library}/settings`)
  await page.getByLabel('File to import').setInputFiles({
    name: 'notion.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(zipSync({ 'ExportBlock-Part-1.zip': pages })),
  })
  await expect(page.getByText('2 documents were imported')).toBeVisible()
  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'Lamps' }).getByRole('link', { name: 'Lamps' }).click()
  await page.getByRole('link', { name: /wick/i }).first().click()
  await expect(page.getByText('Trim it at dusk.')).toBeVisible()
})

test('a failed import is reported: no ZIP, a damaged one, an incomplete export', {
  tag: '@nightly',
}, async ({ page, library }) => {
  await page.goto(`/l/${library}/settings`)
  const take = (name: string, buffer: Buffer) =>
    page.getByLabel('File to import').setInputFiles({ name, mimeType: 'application/zip', buffer })
  await take('letter.txt', Buffer.from('Dear reader,'))
  await expect(page.getByRole('alert')).toContainText('isn’t a ZIP, Karakeep bookmarks')
  await take('damaged.zip', Buffer.from('PK\u0003\u0004 and then nothing'))
  await expect(page.getByRole('alert')).toContainText('This ZIP can’t be opened')
  const manifest = {
    format: 'carrel-library',
    version: 1,
    exported_at: '',
    library: { name: 'x', description: '' },
    members: [],
    collections: [],
    tags: [],
    documents: [
      {
        id: 'x',
        kind: 'file',
        title: 'Lost',
        summary: '',
        url: null,
        collection_id: null,
        tags: [],
        created_at: '',
        created_by: null,
        versions: [
          { number: 1, path: '../lost.pdf', file_name: 'lost.pdf', mime_type: 'x', created_at: '', created_by: null },
        ],
        comments: [],
      },
    ],
  }
  await take('export.zip', Buffer.from(zipSync({ 'carrel.json': Buffer.from(JSON.stringify(manifest)) })))
  await expect(page.getByText('Lost: “../lost.pdf” is not in the ZIP.')).toBeVisible()
  await take(
    'newer.zip',
    Buffer.from(zipSync({ 'carrel.json': Buffer.from('{"format":"carrel-library","version":9}') })),
  )
  await expect(page.getByRole('alert')).toContainText('It may come from a newer Carrel')
})

test('folders of a plain ZIP become collections, and paths cannot escape', {
  tag: '@nightly',
}, async ({ page, library }) => {
  await page.goto(`/l/${library}/settings`)
  await page.getByLabel('File to import').setInputFiles({
    name: 'papers.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(
      zipSync({
        'Lamps/../../oil.txt': strToU8('It steps out.'),
        '/Lamps/Deep//colza.txt': strToU8('Colza burns well.'),
        'Lamps/wick.md': strToU8('# Wicks'),
        'tool.exe': strToU8('MZ'),
        '__MACOSX/Lamps/._wick.md': strToU8('x'),
      }),
    ),
  })
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText('On the shelf')).toHaveCount(3, { timeout: 120_000 })
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Lamps', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Wick' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'Oil' })).toHaveCount(0)
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Deep', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Colza' })).toBeVisible()
})
