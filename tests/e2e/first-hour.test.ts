import { readFile } from 'node:fs/promises'
import { drop, expect, fixture, PASSWORD, test } from './fixtures.ts'

test('a new user signs up, creates a library, drops files on it, and opens the passage they look for', async ({
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
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible()

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
  const pdf = page.getByRole('article', { name: 'reading-room' })
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
  await expect(page.getByRole('article', { name: 'reading-room' }).getByText('20 pages')).toBeVisible({
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
