import { readFile } from 'node:fs/promises'
import { backend, drop, expect, fixture, test } from './fixtures.ts'

test('files that cannot be taken are refused before they travel, each with what to do', async ({ page, library }) => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/')) sent.push(request.url())
  })
  expect(library).toBeTruthy()
  await page.getByLabel('Files to add').setInputFiles([
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    { name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
    { name: 'lying.pdf', mimeType: 'application/pdf', buffer: await readFile(fixture('lying.pdf')) },
  ])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText('This file is empty')).toBeVisible()
  await expect(uploads.getByText('Files that end in .exe cannot be read here')).toBeVisible()
  await expect(uploads.getByText('that is not what it holds')).toBeVisible()

  // More than Playwright hands over by value: made in the page, as the browser would.
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(60 * 1024 * 1024)], 'huge.pdf'))
    dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await expect(uploads.getByText('a file may have 50 MB, this one has 60 MB')).toBeVisible()
  expect(sent).toEqual([])
})

for (const [name, cause] of [
  ['damaged', /is damaged and cannot be opened/],
  ['encrypted', /protected with a password/],
] as const) {
  test(`a PDF that is ${name} says so on its card, and can be tried again`, async ({ page, library }) => {
    expect(library).toBeTruthy()
    await page.getByLabel('Files to add').setInputFiles(fixture(`${name}.pdf`))
    const card = page.getByRole('article', { name })
    await expect(card.getByText(cause)).toBeVisible({ timeout: 120_000 })
    await expect(card.getByRole('button', { name: 'Read it again' })).toBeVisible()
    await card.getByRole('link').first().click()
    await expect(page.getByRole('heading', { name })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Download' })).toBeVisible()
  })
}

test('the same file is recognised before it travels again', async ({ page, library }) => {
  expect(library).toBeTruthy()
  const file = { name: 'lighthouse.md', type: '', bytes: await readFile(fixture('lighthouse.md')) }
  await drop(page, [file])
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('On the shelf')).toBeVisible()
  await drop(page, [{ ...file, name: 'copy of it.md' }])
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('Already here as')).toBeVisible()
})

test('a stopped backend is said, and once it is back the screen goes on', async ({ page, library }) => {
  await page.getByRole('heading', { name: 'An empty shelf' }).waitFor()
  await page.route(`${backend.url}/**`, (route) => route.abort('connectionrefused'))
  await page.goto(`/l/${library}/members`)
  await expect(page.getByRole('heading', { name: 'The library does not answer' })).toBeVisible()
  await page.unroute(`${backend.url}/**`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Members' })).toBeVisible()
})

test('a document that is not there, and a page that never was', async ({ page, library }) => {
  await page.goto(`/l/${library}/d/7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001`)
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  await page.goto('/no/such/page')
  await expect(page.getByRole('heading', { name: 'There is no page here' })).toBeVisible()
})
