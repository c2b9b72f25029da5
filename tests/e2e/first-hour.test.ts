import { readFile } from 'node:fs/promises'
import { strToU8, zipSync } from 'fflate'
import { drop, expect, fixture, PASSWORD, test } from './fixtures.ts'

test('a new user signs up, creates a library, drops files on it and opens a found passage', async ({
  page,
  mailbox,
  newAddress,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL(/\/sign-in$/)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Email').fill(newAddress)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()

  const mail = await mailbox.nextTo(newAddress)
  await page.goto(mail.link)
  await page.getByRole('button', { name: 'Confirm and continue' }).click()
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()

  await page.getByRole('button', { name: 'New library' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Lighthouse papers')
  await page.getByRole('button', { name: 'Create library' }).click()
  await expect(page.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()

  await drop(page, [
    { name: 'reading-room.pdf', type: 'application/pdf', bytes: await readFile(fixture('reading-room.pdf')) },
    { name: 'lighthouse.md', type: '', bytes: await readFile(fixture('lighthouse.md')) },
  ])
  const pdf = page.getByRole('article', { name: /reading.room/i })
  const note = page.getByRole('article', { name: 'lighthouse' })
  await expect(pdf.getByText('20 pages')).toBeVisible({ timeout: 120_000 })
  for (const card of [pdf, note]) {
    await expect(card).toBeVisible()
    await expect(card.getByRole('progressbar')).toHaveCount(0, { timeout: 120_000 })
    await expect(card.getByRole('button', { name: 'Read it again' })).toHaveCount(0)
  }

  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox').fill('keeper of the lighthouse')
  const hit = page
    .locator('[data-hit]')
    .filter({ has: page.locator('mark') })
    .first()
  await hit.click()

  await expect(page).toHaveURL(/passage=/)
  await expect(page.getByRole('heading', { name: 'The passage' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => CSS.highlights.get('passage')?.size ?? 0)).toBe(1)
})

test('a passage of a PDF is highlighted on its page', async ({ page, library }) => {
  await page.getByLabel('Files to add').setInputFiles(fixture('reading-room.pdf'))
  await expect(page.getByRole('article', { name: /reading.room/i }).getByText('20 pages')).toBeVisible({
    timeout: 120_000,
  })
  await page.goto(`/l/${library}/search?q=lighthouse`)
  const hit = page
    .locator('[data-hit]')
    .filter({ hasText: /Page \d+/ })
    .last()
  const place = await hit.textContent()
  await hit.click()
  const wanted = Number(/Page (\d+)/.exec(place ?? '')?.[1])
  await expect(page.locator(`[data-page="${wanted}"] .pdf-text span`).first()).toBeAttached()
  await expect.poll(() => page.evaluate(() => CSS.highlights.get('passage')?.size ?? 0)).toBe(1)
  await expect(page.locator(`[data-page="${wanted}"]`)).toBeInViewport()
})

test('an empty library offers an import, an invitation and a removable sample', async ({ page, library }) => {
  await page.goto(`/l/${library}`)
  const shelf = page.getByRole('main')
  const ways = page.getByRole('list', { name: 'Other ways to start' })
  await expect(page.getByRole('button', { name: 'Choose a folder' })).toBeVisible()
  await expect(ways.getByRole('link', { name: 'Invite people' })).toBeVisible()

  await ways.getByRole('button', { name: 'Add a sample' }).click()
  await expect(shelf.getByRole('heading', { name: 'Sample documents', level: 1 })).toBeVisible()
  await expect(shelf.getByRole('article')).toHaveCount(3)
  await expect(shelf.getByRole('article').first()).toContainText('Start here')
  await page.goto('/')
  const card = page.getByRole('listitem').filter({ hasText: 'Reading group' })
  await expect(card.getByText(/^3 documents · 1 person · changed /)).toBeVisible()
  await card.getByRole('link', { name: 'Reading group' }).click()
  await page.getByRole('link', { name: 'Sample documents' }).click()
  await shelf.getByRole('button', { name: 'Remove the sample' }).click()
  await expect(page.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sample documents' })).toHaveCount(0)

  await ways.getByRole('button', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.evaluate((panel) => {
    const dataTransfer = new DataTransfer()
    const book = '@book{fresnel, title = {On a new system of lighthouse illumination}, year = {1822}}'
    dataTransfer.items.add(new File([book], 'lamps.bib'))
    // On the dialog's text it's imported; next to the dialog it isn't uploaded.
    for (const target of [panel.querySelector('p'), panel.previousElementSibling])
      for (const type of ['dragenter', 'dragover', 'drop'])
        target?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
  })
  await expect(dialog.getByText('1 document was imported')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Uploads' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('article', { name: 'On a new system of lighthouse illumination' })).toBeVisible()
  await expect(ways).toHaveCount(0)
})

test('an import whose dialog is closed continues in sight', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/l/${library}`)
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  await page.route(/rpc\/import_document/, (route) => closed.then(() => route.continue()))
  await page.getByRole('list', { name: 'Other ways to start' }).getByRole('button', { name: 'Import…' }).click()
  const buffer = Buffer.from('@book{fresnel, title = {Lighthouse illumination}, year = {1822}}')
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByLabel('File to import').setInputFiles({ name: 'lamps.bib', mimeType: 'text/plain', buffer })
  await expect(dialog.getByRole('progressbar', { name: 'Importing' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main').getByRole('progressbar', { name: 'Importing' })).toBeVisible()
  close()
  await expect(page.getByText('1 document was imported')).toBeVisible()
  await expect(page.getByRole('article', { name: 'Lighthouse illumination' })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Importing' })).toHaveCount(0)
})

test('an empty collection says so and shows no filters', async ({ page, signedIn, library }) => {
  const { data: collection } = await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: 'Invoices' })
    .select('id')
    .single()
    .throwOnError()
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await expect(page.getByRole('heading', { name: 'This collection is empty' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Filter/ })).toHaveCount(0)
  await page.goto(`/l/${library}?collection=${collection.id}&kind=note`)
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await expect(page.getByRole('heading', { name: 'This collection is empty' })).toBeVisible()
})

test('several people are invited together, and a rejected address stays with its reason', async ({
  page,
  library,
  newAddress,
}) => {
  await page.goto(`/l/${library}/members`)
  const field = page.getByLabel('Invite by email')
  await field.fill(`one-${newAddress}, Grace Hopper <two-${newAddress}>\nnot-an-address ONE-${newAddress}`)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(field).toHaveValue('not-an-address', { timeout: 120_000 })
  await expect(page.getByRole('alert').filter({ hasText: 'not-an-address' })).toContainText('isn’t an email address')
  const waiting = page.getByRole('region', { name: 'Invited, not here yet' }).getByRole('listitem')
  await expect(waiting.filter({ hasText: newAddress })).toHaveCount(2)
})

test('unreadable files are summarized, listed and retried together', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  const broken = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(`%PDF-1.7 ${name}`) })
  await page.getByLabel('Files to add').setInputFiles([broken('one.pdf'), broken('two.pdf')])
  const summary = page.getByRole('alert').filter({ hasText: '2 documents could not be read' })
  await expect(summary).toBeVisible({ timeout: 120_000 })
  await summary.getByRole('button', { name: 'Show' }).click()
  await expect(page).toHaveURL(/state=failed/)
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(2)
  await page.goto(`/l/${library}`)
  const asked = page.waitForRequest(/rpc\/read_again/)
  await summary.getByRole('button', { name: 'Retry all' }).click()
  expect((await asked).postDataJSON().documents).toHaveLength(2)
  const failed = signedIn.client.from('documents').select('id').eq('library_id', library).eq('state', 'failed')
  await expect.poll(async () => (await failed).data?.length, { timeout: 120_000 }).toBe(2)
  await summary.getByRole('button', { name: 'Dismiss' }).click()
  await page.reload()
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(2)
  await expect(summary).toHaveCount(0)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Retry' }).click()
  await expect.poll(async () => (await failed).data?.length, { timeout: 120_000 }).toBe(2)
})

test('a Notion database is imported as a collection with a board', { tag: '@nightly' }, async ({ page, library }) => {
  const id = '0123456789abcdef0123456789abcdef'
  const row = (status: string) =>
    strToU8(`# ${status} lamp\n\nStatus: ${status}\n\n<aside>\nMind the glass.\n</aside>\n`)
  const archive = zipSync({
    [`Lamps ${id}_all.csv`]: strToU8('Name,Status\nOpen lamp,Open\nDone lamp,Done\n'),
    [`Lamps/Open lamp ${id}.md`]: row('Open'),
    [`Lamps/Done lamp ${id.replace('0', 'f')}.md`]: row('Done'),
  })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Import…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog
    .getByLabel('File to import')
    .setInputFiles({ name: 'notion.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) })
  await expect(dialog.getByText('2 documents were imported')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Lamps', exact: true }).click()
  await page.getByRole('radio', { name: 'Board' }).click()
  for (const status of ['Open', 'Done'])
    await expect(page.getByRole('region', { name: new RegExp(`^${status}`) }).getByText(`${status} lamp`)).toBeVisible()
  await page.getByRole('link', { name: 'Open lamp' }).click()
  await expect(page.locator('.prose blockquote')).toHaveText('Mind the glass.')
  expect(library).not.toBe('')
})
