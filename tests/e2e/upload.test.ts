import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addMember, enter, expect, fixture, test } from './fixtures.ts'

const MEGABYTE = 1024 * 1024
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Uploads `chart.png` with a number of bytes over a throttled network. */
async function uploadSlowly(page: Page, bytes: number, uploadThroughput: number): Promise<void> {
  const line = await page.context().newCDPSession(page)
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput }
  await line.send('Network.emulateNetworkConditions', slow)
  await page.getByLabel('Files to add').setInputFiles({
    name: 'chart.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([PNG_SIGNATURE, Buffer.alloc(bytes)]),
  })
}

test('a large upload pauses, survives a connection loss, and completes', async ({ page, context, library }) => {
  expect(library).toBeTruthy()
  await uploadSlowly(page, 20 * MEGABYTE, 4 * MEGABYTE)

  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText(/MB of 20 MB/)).toBeVisible()
  await uploads.getByRole('button', { name: 'Pause chart.png' }).click()
  await expect(uploads.getByText(/^Paused/)).toBeVisible()

  await context.setOffline(true)
  await uploads.getByRole('button', { name: 'Continue with chart.png' }).click()
  await context.setOffline(false)
  await expect(uploads.getByText('On the shelf')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('article', { name: 'Chart' })).toBeVisible()
})

test('a small upload shows its progress and can be canceled', { tag: '@nightly' }, async ({ page, library }) => {
  expect(library).toBeTruthy()
  await uploadSlowly(page, 5 * MEGABYTE, MEGABYTE / 2)
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText(/ of 5 MB · .*\/s/)).toBeVisible()
  const broken = page.waitForEvent('requestfailed', (request) => request.url().includes('/storage/v1/object/'))
  await uploads.getByRole('button', { name: 'Cancel chart.png' }).click()
  await broken
  await expect(uploads).toBeHidden()
})

test('existing files are not counted as added', async ({ page, library }) => {
  expect(library).toBeTruthy()
  const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`The log of ${name}.`) })
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await page.getByLabel('Files to add').setInputFiles([text('may.txt'), text('june.txt')])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByRole('heading', { name: '2 files added', exact: true })).toBeVisible()
  await uploads.getByRole('button', { name: 'Dismiss the list' }).click()
  await page.getByLabel('Files to add').setInputFiles([text('may.txt'), text('june.txt')])
  await expect(uploads.getByRole('heading', { name: '2 files were already there', exact: true })).toBeVisible()
  await page.getByLabel('Files to add').setInputFiles(text('july.txt'))
  const summary = '1 file added, 2 files were already there'
  await expect(uploads.getByRole('heading', { name: summary, exact: true })).toBeVisible()
})

test('a hundred files are added across pages and a reload, and failed ones are retried together', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  const file = (name: string, words: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) })
  const files = Array.from({ length: 98 }, (_, n) => file(`log-${n}.txt`, `The log of night ${n}.`))
  let requests = 0
  await page.route('**/storage/v1/object/documents/**', (route) =>
    requests++ % 10 === 5 ? route.abort() : route.continue(),
  )
  await page
    .getByLabel('Files to add')
    .setInputFiles([...files, file('empty.txt', ''), file(`${'a-long-name-'.repeat(9)}.pdf`, 'No PDF')])
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByRole('progressbar', { name: 'Uploads' })).toBeVisible()
  await page.getByRole('link', { name: 'Activity' }).click()
  const heading = uploads.getByRole('heading')
  await expect(heading).toHaveText(/^Adding \d+ files$/)
  // Until its copy is stored, leaving the page would ask first.
  await expect
    .poll(() => page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))))
    .toBe(true)
  await page.reload()
  await expect(heading).toHaveText(/^\d+ files added, \d+ failed(, 2 refused)?$/, { timeout: 120_000 })
  // A long name doesn't widen the row.
  expect(await uploads.getByRole('list').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await page.unroute('**/storage/v1/object/documents/**')
  await uploads.getByRole('button', { name: 'Retry all' }).click()
  await expect(heading).toHaveText(/^\d+ files added(, 2 refused)?$/, { timeout: 120_000 })
  const { count } = await signedIn.client
    .from('documents')
    .select('id', { count: 'exact', head: true })
    .eq('library_id', library)
    .throwOnError()
  expect(count).toBe(98)
  await uploads.getByRole('button', { name: 'Dismiss the list' }).click()
  await expect(uploads).toBeHidden()
})

test('uploads that failed offline resume online, and all pending ones can be canceled', async ({
  page,
  context,
  library,
}) => {
  expect(library).toBeTruthy()
  const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`The log of ${name}.`) })
  const uploads = page.getByRole('region', { name: 'Uploads' })
  const picker = page.getByLabel('Files to add')
  await picker.setInputFiles(text('may.txt'))
  await expect(uploads.getByRole('heading', { name: '1 file added', exact: true })).toBeVisible()
  await context.setOffline(true)
  await picker.setInputFiles(text('june.txt'))
  await expect(uploads.getByRole('heading', { name: '1 file added, 1 failed', exact: true })).toBeVisible()
  await context.setOffline(false)
  await expect(uploads.getByRole('heading', { name: '2 files added', exact: true })).toBeVisible()

  await page.route('**/storage/v1/object/documents/**', () => {})
  await picker.setInputFiles([text('july.txt'), text('august.txt')])
  await uploads.getByRole('button', { name: 'Cancel all' }).click()
  await expect(uploads.getByRole('heading', { name: '2 files added', exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(2)
  await expect(uploads).toBeHidden()
})

test('a profile picture is chosen, shown, and removed', { tag: '@nightly' }, async ({ page, signedIn }) => {
  expect(signedIn.id).toBeTruthy()
  await page.goto('/settings/profile')
  await page.getByLabel('Picture').setInputFiles({ name: 'me.txt', mimeType: 'text/plain', buffer: Buffer.from('me') })
  await expect(page.getByRole('alert')).toContainText('Choose a picture')
  await page.getByLabel('Picture').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: ONE_PIXEL })
  const picture = page.getByRole('main').locator('img[src*="/avatars/"]')
  await expect(picture).toBeVisible()
  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(picture).toBeHidden()
})

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a chosen folder becomes a collection', { tag: '@nightly' }, async ({ page, library }) => {
  expect(library).toBeTruthy()
  const folder = await mkdtemp(join(tmpdir(), 'carrel-folder-'))
  await mkdir(join(folder, 'Keepers/Logs'), { recursive: true })
  await writeFile(join(folder, 'Keepers/rules.txt'), 'Trim the wick.')
  await writeFile(join(folder, 'Keepers/Logs/may.txt'), 'A calm night.')
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await page.getByLabel('A folder to add').setInputFiles(join(folder, 'Keepers'))
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText('On the shelf')).toHaveCount(2, { timeout: 120_000 })
  const nav = page.getByRole('navigation', { name: 'Library' })
  await nav.getByRole('link', { name: 'Logs', exact: true }).click()
  await expect(page.getByRole('article', { name: 'May' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'Rules' })).toHaveCount(0)
  await nav.getByRole('link', { name: 'Keepers', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Rules' })).toBeVisible()
  await rm(folder, { recursive: true })
})

test('an image is shown fitted to the window and at full size', { tag: '@nightly' }, async ({ page, library }) => {
  expect(library).toBeTruthy()
  // An image wider than the window, drawn by the browser.
  const wide = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 40 })
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  })
  await page.getByLabel('Files to add').setInputFiles({
    name: 'coast.png',
    mimeType: 'image/png',
    buffer: Buffer.from(wide, 'base64'),
  })
  await page.getByRole('article', { name: 'Coast' }).getByRole('link').first().click({ timeout: 120_000 })
  const picture = page.getByRole('img', { name: 'Coast' })
  const width = () => picture.evaluate((image) => image.getBoundingClientRect().width)
  await expect(picture).toBeVisible()
  await expect(page.getByRole('region', { name: 'Details' })).toContainText('3000 × 40 · ', { timeout: 120_000 })
  expect(await width()).toBeLessThan(1300)
  await page.getByRole('button', { name: 'Full size' }).click()
  await expect.poll(width).toBe(3000)
  await page.getByRole('button', { name: 'Fit to the window' }).click()
  await expect.poll(width).toBeLessThan(1300)
})

test('covers are made from uploads, and only members of the library see them', {
  tag: '@nightly',
}, async ({ browser, page, signedIn, another, library }) => {
  const red = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1600, height: 900 })
    const context = canvas.getContext('2d')
    if (context) context.fillStyle = 'firebrick'
    context?.fillRect(0, 0, 1600, 900)
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  })
  await page.getByLabel('Files to add').setInputFiles([
    { name: 'coast.png', mimeType: 'image/png', buffer: Buffer.from(red, 'base64') },
    { name: 'reading-room.pdf', mimeType: 'application/pdf', buffer: await readFile(fixture('reading-room.pdf')) },
  ])
  await seeCover(page, 'Coast', 533, 300)
  await seeCover(page, /reading.room/i, 400, 560)

  const { data } = await signedIn.client.from('versions').select('id, path:cover_path').eq('library_id', library)
  const paths = data?.map(({ path }) => path ?? '') ?? []
  expect(paths).toHaveLength(2)
  expect(paths.every(Boolean)).toBe(true)
  const { data: signed } = await another.client.storage.from('documents').createSignedUrls(paths, 60)
  expect(signed?.map(({ signedUrl }) => signedUrl)).toEqual([null, null])

  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const tab = await (await browser.newContext()).newPage()
  await enter(tab, another)
  await tab.goto(`/l/${library}`)
  await seeCover(tab, 'Coast', 533, 300)
  await seeCover(tab, /reading.room/i, 400, 560)
  await tab.context().close()
})

/** Waits for a document's cover of this size in pixels. */
async function seeCover(page: Page, title: string | RegExp, width: number, height: number): Promise<void> {
  const cover = page.getByRole('article', { name: title }).locator('img')
  await expect(cover).toBeVisible({ timeout: 120_000 })
  const size = () => cover.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
  await expect.poll(size).toEqual([width, height])
}

test('a dropped file or link never replaces the app', async ({ page, another, library, signedIn }) => {
  const line = await page.context().newCDPSession(page)
  const files = { items: [], files: [fixture('paper.txt')], dragOperationsMask: 1 }
  const link = { items: [{ mimeType: 'text/uri-list', data: 'https://example.org' }], dragOperationsMask: 1 }
  const drag = async (data: typeof files | typeof link, { x, y } = { x: 500, y: 500 }) => {
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await line.send('Input.dispatchDragEvent', { type, x, y, data: { ...data } })
  }
  /** What the browser would do with what is dragged over the page. */
  const watchEffect = () =>
    page.evaluateHandle(() => ({
      effect: new Promise<string>((resolve) =>
        addEventListener('dragover', (event) =>
          resolve(event.defaultPrevented ? String(event.dataTransfer?.dropEffect) : 'opens'),
        ),
      ),
    }))
  const expectRefusal = async () => {
    for (const data of [files, link]) {
      const watch = await watchEffect()
      await drag(data)
      expect(await watch.evaluate(({ effect }) => effect)).toBe('none')
    }
    await expect(page.getByText('Drop it anywhere')).toBeHidden()
  }

  await page.getByLabel('Files to add').setInputFiles(fixture('index-card.html'))
  await page.getByRole('article').getByRole('link').first().click()
  const frame = page.locator('main iframe')
  await expect(frame).toBeVisible()
  const box = await frame.boundingBox()
  // Where files can be added, they are, also over a web page in its frame.
  await drag(files, { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 })
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('paper.txt')).toBeVisible()
  await expect(page.getByText('Drop it anywhere')).toBeHidden()

  for (const path of ['/', '/settings/profile']) {
    await page.goto(path)
    await expect(page.locator('h1')).toBeVisible()
    await expectRefusal()
  }

  await addMember(signedIn, library, another, 'reader')
  await enter(page, another)
  await page.goto(`/l/${library}`)
  await expect(page.getByRole('article', { name: 'Paper' })).toBeVisible()
  await expectRefusal()

  await page.context().clearCookies()
  await page.goto('/sign-in')
  await expect(page.getByLabel('Email')).toBeVisible()
  await expectRefusal()
})
