import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }

test('a search is filtered, saved, navigated by keyboard and repeated', async ({ page, signedIn, library }) => {
  test.slow()
  const { data: tag } = await signedIn.client
    .from('tags')
    .insert({ library_id: library, name: 'sea' })
    .select('id')
    .single()
    .throwOnError()
  for (const [title, body] of [
    ['Lamps at sea', 'A lamp shows the way into the harbour.'],
    ['Lamps at home', 'A lamp stands on the reading desk.'],
  ] as const) {
    const { data: note } = await signedIn.client.rpc('add_note', { library, title, body }).throwOnError()
    await signedIn.client.functions.invoke('ingest', { body: { document_id: note.id } })
    if (title === 'Lamps at sea') {
      await signedIn.client
        .from('document_tags')
        .insert({ library_id: library, document_id: note.id, tag_id: tag.id })
        .throwOnError()
    }
  }
  await page.goto(`/l/${library}/search?q=lamp`)
  await expect(page.getByText('2 passages in 2 documents')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('Matched by words, not by meaning')).toBeVisible()
  await page.getByRole('button', { name: 'Every tag' }).click()
  await page.getByRole('menuitemradio', { name: 'sea' }).click()
  await expect(page.getByText('1 passage in 1 document')).toBeVisible()
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'Filter 1' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filter' })
  await expect(sheet.getByLabel('Tag')).toHaveText('sea')
  await sheet.getByLabel('Kind').click()
  await page.getByRole('option', { name: 'PDF' }).click()
  await expectAccessible(page, 'filters in a sheet')
  await sheet.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Remove a filter, or try fewer or other words.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove kind: PDF' }).click()
  await page.setViewportSize(DESKTOP)
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.getByLabel('Name').fill('Lamps by the sea')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const kept = page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: 'Lamps by the sea' })
  await expect(kept).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save this search' })).toBeHidden()
  await expectAccessible(page, 'search')

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Find documents, passages, people and commands…').fill('lamp')
  const passages = page.getByRole('group', { name: 'Passages' }).getByRole('option')
  await expect(passages).toHaveCount(2)
  await page.getByPlaceholder('Find documents, passages, people and commands…').fill(signedIn.name)
  await expect(
    page.getByRole('group', { name: 'People and permissions' }).getByRole('option', { name: signedIn.name }),
  ).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(page.getByText('2 passages in 2 documents')).toBeVisible()
  await kept.click()
  await expect(page.getByText('1 passage in 1 document')).toBeVisible()
  await page.getByRole('button', { name: 'Delete Lamps by the sea' }).click()
  await expect(kept).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(kept).toBeVisible()

  await page.getByRole('searchbox').press('Escape')
  await page.getByRole('searchbox').blur()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'The passage' })).toBeVisible()
})

test('an empty result gives advice, and the card of a private address says why it was not fetched', {
  tag: '@nightly',
}, async ({ page, library }) => {
  await page.goto(`/l/${library}/search?q=zeppelin`)
  await expect(page.getByRole('heading', { name: 'No matching passages' })).toBeVisible({ timeout: 120_000 })
  await page.goto(`/l/${library}`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'A link…' }).click()
  await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1/admin')
  await page.getByRole('button', { name: 'Keep it' }).click()
  const card = page.getByRole('article', { name: 'http://127.0.0.1/admin' })
  await expect(card.getByText('This address isn’t on the public internet')).toBeVisible({ timeout: 120_000 })
  await expect(card.getByRole('button', { name: 'Read it again' })).toBeVisible()
})

test('documents are read without an open screen, and the shelf shows the progress', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  await page.route('**/functions/v1/**', (route) => route.abort('connectionfailed'))
  await signedIn.client.rpc('add_note', { library, title: 'Elsewhere', body: 'Wicks.' }).throwOnError()
  await page.getByLabel('Files to add').setInputFiles({
    name: 'unlucky.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('A keeper trims the wick.'),
  })
  for (const title of ['Unlucky', 'Elsewhere']) {
    const card = page.getByRole('article', { name: title })
    await expect(card).toBeVisible()
    await expect(card.getByRole('progressbar')).toHaveCount(0, { timeout: 120_000 })
    await expect(card.getByRole('button', { name: 'Read it again' })).toHaveCount(0)
  }
  await expect(page.getByText(/documents can be found/)).toHaveCount(0)
})

test('an upload interrupted by a reload resumes automatically', async ({ page, library }) => {
  test.slow()
  expect(library).toBeTruthy()
  const bytes = Buffer.alloc(14 * 1024 * 1024, 'lamps and ships and lamps. ')
  // Only the first pieces are sent before the reload. Another stays unanswered, because a refused one would be retried.
  let pieces = 0
  let isReloaded = false
  await page.route('**/storage/v1/upload/resumable/**', async (route) => {
    pieces += 1
    if (pieces === 1 || isReloaded) await route.continue()
  })
  await page.getByLabel('Files to add').setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: bytes })
  await expect.poll(() => pieces, { timeout: 120_000 }).toBeGreaterThan(1)
  page.once('framenavigated', () => {
    isReloaded = true
  })
  await page.reload()
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('long.txt')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('On the shelf')).toBeVisible({
    timeout: 120_000,
  })
})
