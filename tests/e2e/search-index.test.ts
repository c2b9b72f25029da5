import { expectAccessible } from './accessibility.ts'
import { backend, expect, test } from './fixtures.ts'

test('the search index shows its words, by their beginning, and each leads to its passages', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { client } = signedIn
  for (const [title, body] of [
    ['Lamps', 'The keeper trims the wick of the lamp. Every lamp has a keeper of its own in this house by the sea.'],
    ['Lampen', 'Der Wärter putzt die Lampe. Jede Lampe hat einen eigenen Wärter in diesem Haus an der See.'],
  ] as const) {
    const { data: note } = await client.rpc('add_note', { library, title, body }).throwOnError()
    await client.functions.invoke('ingest', { body: { document_id: note.id } })
  }
  await expect
    .poll(async () => (await client.rpc('index_health', { library })).data, { timeout: 120_000 })
    .toMatchObject({ passages: 2, waiting: 0 })
  await page.goto(`/l/${library}/insights`)
  await page.getByRole('link', { name: 'Search index and vocabulary' }).click()
  await expect(page.getByRole('heading', { name: 'Search index' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Languages' }).getByRole('definition')).not.toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Words that begin with' }).fill('LAM')
  const words = page.getByRole('region', { name: 'Words', exact: true }).getByRole('row')
  await expect(words.filter({ hasText: /^lamp/ })).toHaveCount(4)
  await expect(words.filter({ hasText: 'keeper' })).toHaveCount(0)
  await expectAccessible(page, 'search index')
  const figure = (name: string) =>
    page.getByRole('term').filter({ hasText: name }).locator('..').getByRole('definition')
  await expect(figure('Passages')).toHaveText('2')
  await client
    .rpc('add_note', { library, title: 'Buoys', body: 'A buoy marks the channel at night by its light.' })
    .throwOnError()
  await expect(figure('Passages')).toHaveText('3', { timeout: 60_000 })
  await expect(figure('Documents waiting to be read')).toHaveText('0')
  await page.reload()
  await page.getByRole('link', { name: 'lamp', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Lamps' })).toBeVisible()
})

test('an empty index says so, and a backend that fails is reported', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/l/${library}/search-index`)
  await expect(page.getByText('There are no words yet.')).toBeVisible()
  await page.route(`${backend.url}/rest/v1/rpc/library_words`, (route) => route.abort('connectionrefused'))
  await page.getByRole('searchbox', { name: 'Words that begin with' }).fill('x')
  await expect(page.getByRole('alert')).toContainText('The library does not answer')
})
