import { expect, test } from './fixtures.ts'

test('a shelf of three thousand documents scrolls to the end, and only visible ones are rendered', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  // Not in the library, whose channel would report each document.
  await page.goto('/')
  for (let first = 0; first < 3_000; first += 1000) {
    const documents = Array.from({ length: 1000 }, (_, n) => ({
      library_id: library,
      kind: 'note' as const,
      title: `Document ${String(first + n).padStart(5, '0')}`,
    }))
    await signedIn.client.from('documents').insert(documents).throwOnError()
  }
  await page.goto(`/l/${library}?sort=title&view=list`)
  await expect(page.getByText('3,000 documents')).toBeVisible()
  // The virtualizer, loaded on scroll, keeps existing rows.
  const second = page.getByRole('link', { name: 'Document 00001' })
  await second.focus()
  await page.evaluate(() => scrollTo(0, 150))
  await page.waitForTimeout(1000)
  await expect(second).toBeFocused()
  const last = page.getByRole('link', { name: 'Document 02999' })
  while (!(await last.isVisible())) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.waitForTimeout(30)
  }
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  await page.getByRole('radio', { name: 'Grid' }).click()
  await expect(page.getByRole('article').first()).toBeVisible()
  expect(await page.getByRole('article').count()).toBeLessThan(80)
})
