import { expect, test } from './fixtures.ts'

const MEGABYTE = 1024 * 1024

test('a large upload pauses, survives the loss of the network, and arrives', async ({ page, context, library }) => {
  expect(library).toBeTruthy()
  const line = await context.newCDPSession(page)
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 4 * MEGABYTE }
  await line.send('Network.emulateNetworkConditions', slow)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  await page.getByLabel('Files to add').setInputFiles({
    name: 'chart.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([signature, Buffer.alloc(20 * MEGABYTE)]),
  })

  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText(/MB of 20 MB/)).toBeVisible()
  await uploads.getByRole('button', { name: 'Pause chart.png' }).click()
  await expect(uploads.getByText(/^Paused/)).toBeVisible()

  await context.setOffline(true)
  await uploads.getByRole('button', { name: 'Go on with chart.png' }).click()
  await context.setOffline(false)
  await expect(uploads.getByText('On the shelf')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('article', { name: 'Chart' })).toBeVisible()
})

test('a picture of oneself is chosen, shown, and taken away', async ({ page, signedIn }) => {
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
