import { expect, test } from './fixtures.ts'

test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })

test('on a phone, words are highlighted away from its own menu, and documents are selected', async ({
  page,
  signedIn,
  library,
}) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps', body: 'A steady lamp needs a steady keeper.\n\nThe sea is dark.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  const words = page.getByText('The sea is dark.')
  await words.waitFor()
  await words.evaluate((element) => getSelection()?.selectAllChildren(element))
  const menu = page.getByRole('toolbar', { name: 'The selected words' })
  const [place, selected] = [await menu.boundingBox(), await words.boundingBox()]
  // Systems show theirs above or below the selection.
  expect(Math.abs((place?.y ?? 0) - (selected?.y ?? 0))).toBeGreaterThan(150)
  await menu.getByRole('button', { name: 'Highlight: Yellow' }).tap()
  await expect(page.getByRole('region', { name: 'Highlights' }).getByText('Yellow · Ada Lovelace')).toBeVisible()

  await page.goto(`/l/${library}`)
  const box = page.getByRole('checkbox', { name: 'Select Lamps' })
  const { width = 0 } = (await box.boundingBox()) ?? {}
  expect(width).toBeGreaterThanOrEqual(24)
  await box.tap()
  await expect(box).toBeChecked()
})
