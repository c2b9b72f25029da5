import { expectAccessible } from './accessibility.ts'
import { enter, expect, test } from './fixtures.ts'

test('favorites are starred on one device, sorted on another, and listed next to recent documents', async ({
  browser,
  page,
  signedIn,
  library,
}) => {
  const { client } = signedIn
  const { data: lamps } = await client.rpc('add_note', { library, title: 'Lamps', body: 'A lamp.' }).throwOnError()
  await client.rpc('add_note', { library, title: 'Wicks', body: 'A wick.' }).throwOnError()
  const { data: collection } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Oils' })
    .select('id')
    .single()
    .throwOnError()
  const other = await browser.newContext()
  const device = await other.newPage()
  await enter(device, signedIn)
  await device.goto('/')
  await device.getByRole('link', { name: 'Reading group' }).waitFor()

  await page.getByRole('button', { name: 'Favorite: Wicks' }).click()
  const nav = page.getByRole('navigation', { name: 'Library' }).getByRole('list', { name: 'Favorites' })
  await expect(nav.getByRole('link')).toHaveText(['Wicks'])
  await page.goto(`/l/${library}/d/${lamps.id}`)
  await page.getByText('A lamp.').waitFor()
  // Unfinished changes of a closed page are sent by the next one, perhaps after its own.
  const stored = page.waitForResponse(
    (response) => response.url().includes('/favorites') && response.request().postData()?.includes(lamps.id) === true,
  )
  await page.keyboard.press('s')
  await stored
  await expect(page.getByRole('button', { name: 'Favorite', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await page.getByRole('button', { name: 'Favorite', exact: true }).click()
  await expect(nav.getByRole('link')).toHaveText(['Wicks', 'Lamps', 'Oils'])
  for (const item of ['Remove from favorites', 'Add to favorites']) {
    await page.getByRole('button', { name: 'Actions for the collection Oils' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await expect(nav.getByRole('link')).toHaveText(['Wicks', 'Lamps', 'Oils'])

  const there = device.getByRole('list', { name: 'Favorites' })
  await expect(there.getByRole('link')).toHaveText([/^Wicks/, /^Lamps/, /^Oils/])
  await there.getByRole('link', { name: 'Oils' }).press('Alt+ArrowUp')
  await expect(there.getByRole('link')).toHaveText([/^Wicks/, /^Oils/, /^Lamps/])
  await expect(there.getByRole('link', { name: 'Oils' })).toBeFocused()
  await there.getByRole('link', { name: 'Lamps' }).dragTo(there.getByRole('link', { name: 'Wicks' }))
  await expect(nav.getByRole('link')).toHaveText(['Lamps', 'Wicks', 'Oils'])
  await expectAccessible(device, 'start page')
  await other.close()

  await page.getByRole('link', { name: 'Carrel: my libraries' }).click()
  const opened = page.getByRole('region', { name: 'Continue reading' })
  await expect(opened.getByRole('link')).toHaveText(['Lamps'])
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option').first()).toHaveText(/^Lamps/)
  await page.keyboard.press('Enter')
  await page.getByText('A lamp.').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('remove from fav')
  await page.getByRole('option', { name: 'Remove from favorites' }).waitFor()
  await page.keyboard.press('Enter')
  await expect(nav.getByRole('link')).toHaveText(['Wicks', 'Oils'])
})
