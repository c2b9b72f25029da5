import { PDFDocument } from '@cantoo/pdf-lib'
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { enter, expect, type Person, test } from './fixtures.ts'

const ENGLISH = [
  'The keeper of the lighthouse trims the wick',
  'every four hours. In a gale he stays awake',
  'all night and writes the weather in the log.',
]
const GERMAN = [
  '# Der Dienst im Turm',
  'Der Leuchtturmwärter putzt die Linse täglich.',
  'Bei Nebel läutet er die große Glocke',
  'und prüft die Ölvorräte im Keller.',
]

/** A scan-like picture of text: gray paper, slightly out of focus. `# ` begins a heading. */
async function photograph(page: Page, lines: readonly string[]): Promise<Buffer> {
  const base64 = await page.evaluate((lines) => {
    const canvas = document.createElement('canvas')
    canvas.width = 1240
    canvas.height = 700
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.fillStyle = '#f3f1ea'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.filter = 'blur(0.6px)'
    context.fillStyle = '#222'
    for (const [number, line] of lines.entries()) {
      context.font = line.startsWith('# ') ? '80px serif' : '44px serif'
      context.fillText(line.replace('# ', ''), 120, 160 + number * 80)
    }
    return canvas.toDataURL('image/jpeg', 0.85).split(',')[1] ?? ''
  }, lines)
  return Buffer.from(base64, 'base64')
}

async function scanOf(page: Page, pages: readonly (readonly string[])[]): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (const lines of pages) {
    const image = await document.embedJpg(await photograph(page, lines))
    const sheet = document.addPage([595, 336])
    sheet.drawImage(image, { x: 0, y: 0, width: 595, height: 336 })
  }
  return Buffer.from(await document.save())
}

const add = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
  page.getByLabel('Files to add').setInputFiles({ name, mimeType, buffer })

async function choose({ client }: Person, library: string, languages: string[]): Promise<void> {
  await client.from('libraries').update({ recognition_languages: languages }).eq('id', library).throwOnError()
}

/** With data saving, a browser doesn't recognize by itself. */
const savesData = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }))

async function search(page: Page, library: string, words: string): Promise<void> {
  await page.goto(`/l/${library}/search?q=${encodeURIComponent(words)}`)
}

test('a new library recognizes the text of a scan, which is found, shown and cited', async ({ page, library }) => {
  const foreign: string[] = []
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') foreign.push(request.url())
  })
  await page.goto(`/l/${library}/settings`)
  await expect(page.getByRole('checkbox', { name: 'English' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'German' })).toBeChecked()
  await expectAccessible(page, 'the setting')

  await page.goto(`/l/${library}`)
  await add(page, 'log-book.pdf', 'application/pdf', await scanOf(page, [ENGLISH, GERMAN]))
  const tray = page.getByRole('region', { name: 'Recognition of text' })
  await expect(tray.getByText(/^Page [12] of 2$/)).toBeVisible()
  await expect(tray.getByText('Text recognized on 2 pages')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('article', { name: 'log-book' }).getByText(/Reading|Waiting|no text/)).toBeHidden()

  for (const [words, place] of [
    ['wick', 'Text recognized from the picture, page 1'],
    ['Ölvorräte', 'Text recognized from the picture, page 2'],
  ] as const) {
    await expect(async () => {
      await search(page, library, words)
      await expect(page.getByRole('link', { name: new RegExp(place) })).toBeVisible({ timeout: 5_000 })
    }).toPass()
    await expect(page.locator('mark', { hasText: words })).toBeVisible()
  }
  await page.getByRole('link', { name: /page 2/ }).click()
  await expect(page.getByRole('complementary').getByText('Text recognized from the picture, page 2')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Read the text of this scan' })).toBeHidden()

  await page.goto(`/l/${library}/ask`)
  await page.getByLabel('Your question').fill('How often does the keeper trim the wick?')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'The nearest passages' })).toContainText(
    'Text recognized from the picture, page 1',
  )
  expect(foreign).toEqual([])
})

test('an image is found by its recognized text', async ({ page, library, signedIn }) => {
  await choose(signedIn, library, ['en'])
  await add(page, 'poster.jpg', 'image/jpeg', await photograph(page, ENGLISH))
  const tray = page.getByRole('region', { name: 'Recognition of text' })
  await expect(tray.getByText('Text recognized on 1 page')).toBeVisible({ timeout: 120_000 })
  await tray.getByRole('button', { name: 'Dismiss the list' }).click()
  await expect(tray).toBeHidden()
  await expect(async () => {
    await search(page, library, 'lighthouse wick')
    await expect(page.getByRole('link', { name: /Text recognized from the picture/ })).toBeVisible({ timeout: 5_000 })
  }).toPass()
})

test('text recognition can be canceled, keeps its pages, and resumes', async ({ page, library, signedIn }) => {
  await savesData(page)
  await choose(signedIn, library, [])
  await page.reload()
  await add(page, 'old-scan.pdf', 'application/pdf', await scanOf(page, [ENGLISH, GERMAN, ENGLISH]))
  const card = page.getByRole('article', { name: 'old-scan' })
  await expect(card.getByText('no text')).toBeVisible({ timeout: 60_000 })
  await card.getByRole('link', { name: 'old-scan' }).click()
  await expect(page.getByText('This is a scan without text, so search does not find it')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Settings' })).toBeVisible()

  await choose(signedIn, library, ['en'])
  await expect(page.getByText('3 pages are pictures without text')).toBeVisible()
  await expectAccessible(page, 'a scan')
  // The second page takes until it's stopped.
  const store = '**/rpc/store_recognized_page'
  await page.route(store, (route) => (route.request().postDataJSON().page === 2 ? undefined : route.continue()))
  await page.getByRole('button', { name: 'Read the text of this scan' }).click()
  const tray = page.getByRole('region', { name: 'Recognition of text' })
  await expect(tray.getByText('Page 2 of 3')).toBeVisible({ timeout: 120_000 })
  await tray.getByRole('button', { name: 'Cancel old-scan' }).click()
  await expect(tray).toBeHidden()
  const pages = async () =>
    (await signedIn.client.from('recognized_pages').select('page, created_at').order('page').throwOnError()).data
  const kept = await pages()
  expect(kept.map(({ page }) => page)).toEqual([1])

  await page.reload()
  await expect(page.getByText('2 pages are pictures without text')).toBeVisible()
  await page.getByRole('button', { name: 'Read the text of this scan' }).click()
  await expect(tray.getByText('Page 2 of 3')).toBeVisible()
  // A page closed in the middle continues where it was.
  await page.unroute(store)
  await page.reload()
  await expect(tray.getByText(/^Text recognized on/)).toBeVisible({ timeout: 120_000 })
  const all = await pages()
  expect(all.map(({ page }) => page)).toEqual([1, 2, 3])
  expect(all.slice(0, kept.length), 'no page is read twice').toEqual(kept)
})

test('existing scans are recognized once it is turned on, in one of the open browsers', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  test.slow()
  const { data } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'editor' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (data as { id: string }).id }).throwOnError()
  await choose(signedIn, library, [])
  await page.reload()
  await add(page, 'found-in-the-cellar.pdf', 'application/pdf', await scanOf(page, [ENGLISH, GERMAN, ENGLISH]))
  await expect(page.getByRole('article', { name: 'found-in-the-cellar' }).getByText('no text')).toBeVisible({
    timeout: 60_000,
  })

  const tab = await (await browser.newContext()).newPage()
  await enter(tab, another)
  const stored: string[] = []
  for (const one of [page, tab]) {
    one.on('request', (request) => {
      if (request.url().endsWith('/rpc/store_recognized_page')) stored.push(request.postDataJSON().page)
    })
  }
  await tab.goto(`/l/${library}`)
  const card = tab.getByRole('article', { name: 'found-in-the-cellar' })
  await page.goto(`/l/${library}/settings`)
  await page.getByRole('checkbox', { name: 'English' }).check()
  await page.getByRole('checkbox', { name: 'German' }).check()
  await expect(card.getByText('Waiting for text recognition')).toBeVisible()
  await expect(card.getByText('Text is being recognized')).toBeVisible({ timeout: 60_000 })
  const { data: left } = await another.client.rpc('next_scan').throwOnError()
  expect(left, 'no other browser reads it').toEqual([])
  await expect(card.getByText(/recogni|no text/)).toBeHidden({ timeout: 120_000 })
  for (const one of [page, tab]) await expect(one.getByRole('region', { name: 'Recognition of text' })).toBeHidden()
  await expect(async () => {
    await search(page, library, 'Ölvorräte')
    await expect(page.getByRole('link', { name: /Text recognized from the picture, page 2/ })).toBeVisible({
      timeout: 5_000,
    })
  }).toPass()
  expect(stored, 'no page is read twice').toEqual([1, 2, 3])
  await tab.context().close()
})
