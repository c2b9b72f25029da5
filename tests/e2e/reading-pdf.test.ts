import { expectAccessible } from './accessibility.ts'
import { expect, fixture, test } from './fixtures.ts'

test('a PDF is searched, zoomed, navigated by thumbnails, and reopens at the last position', async ({
  page,
  library,
}) => {
  test.slow()
  expect(library).toBeTruthy()
  await page.getByLabel('Files to add').setInputFiles(fixture('reading-room.pdf'))
  await page
    .getByRole('article', { name: /reading.room/i })
    .getByRole('link')
    .first()
    .click({ timeout: 120_000 })
  await page.getByRole('button', { name: 'Find in this document' }).click()
  await page.getByRole('searchbox', { name: 'Find in this document' }).fill('light')
  await expect(page.getByText(/^1 of \d+$/)).toBeVisible({ timeout: 120_000 })
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^2 of \d+$/)).toBeVisible()
  await page.getByRole('searchbox', { name: 'Find in this document' }).fill('nowhere at all')
  await expect(page.getByText('nothing', { exact: true })).toBeVisible({ timeout: 120_000 })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Details and comments' }).click()
  await page.getByRole('button', { name: 'Two pages side by side' }).click()
  const top = async (number: number) => (await page.locator(`[data-page="${number}"]`).boundingBox())?.y ?? 0
  await expect(page.getByRole('complementary', { name: 'About this document' })).toBeHidden()
  expect(await top(2)).toBe(await top(3))
  expect(await top(1)).toBeLessThan(await top(2))
  await page.keyboard.press('d')
  await expect.poll(async () => (await top(2)) < (await top(3))).toBe(true)
  await page.getByRole('button', { name: 'Larger' }).click()
  await expect(page.getByRole('button', { name: /^Zoom 125 %/ })).toBeVisible()
  await page.getByRole('button', { name: 'Thumbnails' }).click()
  const kept = page.waitForResponse((response) => response.url().includes('reading_positions') && response.ok())
  await page.getByRole('button', { name: 'Go to page 9' }).click()
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('9')
  await expectAccessible(page, 'pdf')
  await kept
  await page.reload()
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('9', { timeout: 120_000 })
  await page.goto(`${page.url()}?page=4`)
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('4', { timeout: 120_000 })
  await page.goto(`/l/${library}`)
  await expect(page.getByRole('article', { name: /reading.room/i })).toContainText(/Page \d of 20/)
})

/** Pages of two shapes, so that placeholders differ in size, with an outline. */
async function longPdf(pages: number): Promise<Buffer> {
  const { PDFDocument, PDFName, PDFString } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  for (let number = 1; number <= pages; number += 1) {
    document
      .addPage(number % 3 === 0 ? [842, 595] : [595, 842])
      .drawText(`The keeper of lamp ${number} writes the log of the night.`, { x: 50, y: 500 })
  }
  const { context } = document
  const entry = context.nextRef()
  const outlines = context.register(context.obj({ Type: 'Outlines', First: entry, Last: entry, Count: 1 }))
  const destination = [document.getPage(0).ref, PDFName.of('Fit')]
  context.assign(entry, context.obj({ Title: PDFString.of('All pages'), Parent: outlines, Dest: destination }))
  document.catalog.set(PDFName.of('Outlines'), outlines)
  return Buffer.from(await document.save())
}

test('pages use their printed numbers, and a search continues from the current page', {
  tag: '@nightly',
}, async ({ page, library }) => {
  test.slow()
  expect(library).toBeTruthy()
  const { PDFDocument, PDFName } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.load(await longPdf(12))
  // Four Roman pages, then Arabic numbers from 101 on.
  const ranges = [0, { S: PDFName.of('r') }, 4, { S: PDFName.of('D'), St: 101 }]
  document.catalog.set(PDFName.of('PageLabels'), document.context.obj({ Nums: ranges }))
  const buffer = Buffer.from(await document.save())
  await page.getByLabel('Files to add').setInputFiles({ name: 'printed.pdf', mimeType: 'application/pdf', buffer })
  await page.getByRole('article', { name: 'Printed' }).getByRole('link').first().click({ timeout: 120_000 })
  const field = page.getByLabel('Page', { exact: true })
  await expect(field).toHaveValue('i', { timeout: 60_000 })
  await expect(page.getByText('(1 of 12)')).toBeVisible()
  await field.fill('104')
  await field.press('Enter')
  await expect(page.locator('[data-page="8"]')).toBeInViewport()
  await expect(page.getByText('(8 of 12)')).toBeVisible()

  await page.getByRole('button', { name: 'Find in this document' }).click()
  await page.getByRole('searchbox', { name: 'Find in this document' }).fill('keeper')
  await expect(page.getByText('8 of 12', { exact: true })).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('105')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.press('Shift+Enter')
  await expect(field).toHaveValue('103')
})

test('a PDF keeps its page at every width and zoom', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  expect(library).toBeTruthy()
  await page.getByLabel('Files to add').setInputFiles({
    name: 'manual.pdf',
    mimeType: 'application/pdf',
    buffer: await longPdf(400),
  })
  await page.getByRole('article', { name: 'Manual' }).getByRole('link').first().click({ timeout: 120_000 })
  const field = page.getByLabel('Page', { exact: true })
  const reads = async (number: number) => {
    await expect(field).toHaveValue(String(number))
    await expect(page.locator(`[data-page="${number}"]`)).toBeInViewport()
    await expect(page.getByRole('img', { name: `Page ${number}`, exact: true })).toBeVisible()
    await expect(field).toHaveValue(String(number))
  }
  await field.fill('300')
  await field.press('Enter')
  await reads(300)
  // Scroll to the middle of the page, which must not move afterwards.
  await page.mouse.wheel(0, 150)
  await reads(300)
  for (const width of [1300, 800, 390, 1280, 1900]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 720 })
    await reads(300)
  }
  for (const name of ['Contents', 'Thumbnails', 'Two pages side by side']) {
    const button = page.getByRole('button', { name, exact: true })
    await button.click()
    await reads(300)
    await button.click()
    await reads(300)
  }
  for (const name of ['Smaller', 'Smaller', 'Larger', 'Larger', 'Larger', 'Larger']) {
    await page.getByRole('button', { name, exact: true }).click()
    await reads(300)
  }
  const stored = async () => (await signedIn.client.from('reading_positions').select('page').throwOnError()).data
  await expect.poll(stored).toEqual([{ page: 300 }])
  await page.setViewportSize({ width: 900, height: 700 })
  await page.reload()
  await reads(300)
  await expect.poll(stored).toEqual([{ page: 300 }])
})

test('a PDF can be read as text on a phone, from the current page, with search words marked', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  await page.getByLabel('Files to add').setInputFiles(fixture('reading-room.pdf'))
  await page
    .getByRole('article', { name: /reading.room/i })
    .getByRole('link')
    .first()
    .click({ timeout: 120_000 })
  await page.setViewportSize({ width: 390, height: 844 })
  const field = page.getByLabel('Page', { exact: true })
  const asText = page.getByRole('button', { name: 'As text' })
  await asText.waitFor({ timeout: 120_000 })
  await field.fill('7')
  await field.press('Enter')
  await expect(page.getByRole('img', { name: 'Page 7', exact: true })).toBeVisible()
  // The bars may be hidden, and clicking them would scroll.
  await asText.dispatchEvent('click')
  const seventh = page.getByRole('region', { name: 'Page 7' })
  await expect(seventh).toBeInViewport()
  await expect(field).toHaveValue('7')
  await expectAccessible(page, 'the text of a PDF')
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(width).toBe(0)
  const { data: passage } = await signedIn.client
    .from('passages')
    .select('document_id, id, content')
    .eq('library_id', library)
    .eq('page', 12)
    .limit(1)
    .single()
    .throwOnError()
  await page.goto(`/l/${library}/d/${passage.document_id}?passage=${passage.id}`)
  await expect(page.getByRole('region', { name: 'Page 12' })).toBeInViewport({ timeout: 60_000 })
  await expect
    .poll(() => page.evaluate(() => [...(CSS.highlights.get('passage') ?? [])].map(String).join('').length))
    .toBeGreaterThan(20)
  await asText.dispatchEvent('click')
  await expect(page.getByRole('img', { name: 'Page 12', exact: true })).toBeVisible()
})

test('a locked PDF says why it can’t be read, once', async ({ page, library }) => {
  await page.goto(`/l/${library}`)
  await page.getByLabel('Files to add').setInputFiles(fixture('encrypted.pdf'))
  const card = page.getByRole('article', { name: 'encrypted' })
  await expect(card.getByRole('button', { name: 'Read it again' })).toBeVisible({ timeout: 120_000 })
  await card.getByRole('link').first().click()
  await expect(page.getByRole('region', { name: 'The document' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(page.getByText(/PDF is (locked|protected) with a password/)).toHaveCount(1)
})
