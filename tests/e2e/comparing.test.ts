import { expectAccessible } from './accessibility.ts'
import { expect, fixture, test } from './fixtures.ts'

test('two documents are compared: two notes from the shelf, a PDF and a note from the reader', async ({
  page,
  signedIn,
  library,
}) => {
  const add = async (title: string, body: string) => {
    await signedIn.client.rpc('add_note', { library, title, body }).throwOnError()
  }
  const lines = Array.from({ length: 60 }, (_, line) => `Rule ${line}: the lamp burns all night.`)
  await add('Rules 2025', lines.join('\n\n'))
  await add(
    'Rules 2026',
    lines.with(3, 'Rule 3: the **green** lamp burns all night.').with(50, 'Rule 50: the lamp is out.').join('\n\n'),
  )
  await page.goto(`/l/${library}`)
  await page.getByLabel('Files to add').setInputFiles(fixture('reading-room.pdf'))
  await page.getByRole('article', { name: 'Rules 2025' }).getByRole('checkbox').check()
  await page.getByRole('article', { name: 'Rules 2026' }).getByRole('checkbox').check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByText('Change 1 of 2')).toBeVisible()
  const texts = page.getByRole('region', { name: '“Rules 2025” and “Rules 2026”' })
  await expect(texts.getByText('Rule 3: the **green** lamp burns all night.')).toBeVisible()
  await page.keyboard.press('n')
  await expect(page.getByText('Change 2 of 2')).toBeVisible()
  await expect(texts.getByText('Rule 50: the lamp is out.')).toBeInViewport()
  await expectAccessible(page, 'a comparison side by side')
  await page.keyboard.press('p')
  await expect(page.getByText('Change 1 of 2')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(page.getByText('Change 1 of 2')).toBeVisible()
  await expect(texts.getByText('Rule 3: the **green** lamp burns all night.')).toBeInViewport()
  await expectAccessible(page, 'a comparison in one column')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: 'Open “Rules 2026” here' }).click()
  await expect(page).toHaveURL(/quote=/)
  await expect(page.getByText('Rule 3: the green lamp')).toBeInViewport()

  await page.goto(`/l/${library}`)
  await expect(page.getByRole('article', { name: /reading.room/i }).getByText('20 pages')).toBeVisible()
  await page
    .getByRole('link', { name: /reading.room/i })
    .first()
    .click()
  await page.getByRole('complementary', { name: 'About this document' }).waitFor()
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Compare with…' }).click()
  await page.getByPlaceholder('Words from its title…').pressSequentially('rules 2026')
  await expect(page.getByRole('option', { name: 'Rules 2026' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^Change 1 of \d+$/)).toBeVisible()
  await page.getByRole('link', { name: 'Open “The Reading Room” here' }).click()
  await expect(page).toHaveURL(/passage=/)
  await expect.poll(() => page.evaluate(() => CSS.highlights.get('passage')?.size ?? 0)).toBe(1)
})
