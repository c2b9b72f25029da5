import { expectAccessible } from './accessibility.ts'
import { backend, expect, test } from './fixtures.ts'

const LAMPS = `# Lamps

Augustin Fresnel made the great lens in 1822. It gathers the light into one beam.

Whale oil was burned before, and it smoked.`

test('a question is answered with the nearest passages, with the answer marked, and stored', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'Lamps', body: LAMPS }).throwOnError()
  await signedIn.client.functions.invoke('ingest', { body: { document_id: note.id } })
  await page.getByRole('link', { name: 'Ask', exact: true }).click()
  await page.getByLabel('Your question').fill('Who made the great lens?')
  await page.keyboard.press('Enter')
  const answer = page.getByRole('article', { name: 'Who made the great lens?' })
  await expect(answer.locator('mark')).toHaveText('Augustin Fresnel made the great lens in 1822.', { timeout: 120_000 })
  await expect(page.getByText('Quotes only')).toBeVisible()

  await expectAccessible(page, 'answer')

  await expect(page).toHaveURL(/conversation=/)
  await page.reload()
  await expect(answer).toContainText('Fresnel')

  await answer.getByRole('link', { name: 'Fresnel' }).click()
  await expect(page.getByRole('heading', { name: 'The passage' })).toBeVisible()
  await page.goBack()

  // Without an answering sentence, shows passages with some of the words, and a link to search.
  await page.getByLabel('Your question').fill('Which great lens gathers dust in Mongolia?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await expect(page.getByText('No sentence answers this')).toBeVisible()
  const refusal = page.getByRole('article').last()
  await expect(refusal.getByRole('list', { name: 'The nearest passages' })).toContainText('Augustin Fresnel')
  await expect(refusal.locator('mark')).toHaveCount(0)
  await refusal.getByRole('link', { name: 'Search for this' }).click()
  await expect(page).toHaveURL(/\/search\?q=Which/)
  await expect(page.getByRole('main')).toContainText('Lamps')
  await page.goBack()
  await page.getByRole('button', { name: 'Delete Who made the great lens?' }).click()
  await expect(page.getByRole('heading', { name: 'Ask your library' })).toBeVisible()
})

test('a failed question is reported and can be asked again', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/l/${library}/ask`)
  await page.route(`${backend.url}/functions/v1/ask`, (route) => route.abort('connectionrefused'))
  await page.getByLabel('Your question').fill('Anything?')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Can’t reach the server')).toBeVisible()
  await expect(page.getByLabel('Your question')).toHaveValue('Anything?')
  await page.unroute(`${backend.url}/functions/v1/ask`)
  // A function that can't start, as reported by the server.
  const down = { code: 'BOOT_ERROR', message: 'Function failed to start (please check logs)' }
  await page.route(`${backend.url}/functions/v1/**`, (route) =>
    route.fulfill({
      status: 503,
      json: down,
      headers: {
        'x-relay-error': 'true',
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
        'access-control-expose-headers': 'x-relay-error',
      },
    }),
  )
  await page.getByLabel('Your question').fill('Anything?')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Part of the server isn’t running')).toBeVisible()
  await page.goto(`/l/${library}/members`)
  await page.getByLabel('Invite by email').fill('grace@example.org')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(page.getByText('Part of the server isn’t running')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Invite', exact: true })).toBeEnabled()
  await page.unroute(`${backend.url}/functions/v1/**`)
  await page.goto(`/l/${library}/ask`)
  await page.getByLabel('Your question').fill('Anything?')
  await page.keyboard.press('Enter')
  await expect(page.getByText('None of the passages you can read is about this')).toBeVisible({ timeout: 120_000 })
})

test('questions can be about one document, a selection, or the whole library', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  const { client } = signedIn
  const ids: string[] = []
  for (const [title, body] of [
    ['Lens', 'The great lens was made by Augustin Fresnel in 1822. It gathers the light into one beam.'],
    ['Oil', 'The lamps burn colza oil. A keeper fills them every evening.'],
    ['Fog', 'The fog signal was made by Celadon Daboll in 1851. It is heard at six miles.'],
  ] as const) {
    const { data: note } = await client.rpc('add_note', { library, title, body }).throwOnError()
    await client.functions.invoke('ingest', { body: { document_id: note.id } })
    ids.push(note.id)
  }
  const question = page.getByLabel('Your question')
  const scope = page.getByRole('region', { name: 'Documents you’re asking' })

  await page.goto(`/l/${library}/d/${ids[0]}`)
  await page.getByRole('link', { name: 'Ask this document' }).click()
  await expect(page.getByRole('heading', { name: 'Ask this document' })).toBeVisible()
  await expect(scope).toContainText('Lens')
  await question.fill('Which oil do the lamps burn?')
  await page.keyboard.press('Enter')
  const refusal = page.getByText('Only one document was searched.')
  await expect(refusal).toBeVisible({ timeout: 120_000 })
  await expect(page).toHaveURL(/conversation=/)
  await page.reload()
  await expect(refusal).toBeVisible()
  await expect(scope).toContainText('Lens')
  await expectAccessible(page, 'asking about a document')

  await page.getByRole('button', { name: 'Ask the whole library this question' }).click()
  await expect(scope).toBeHidden()
  await expect(page.getByRole('article').last()).toContainText('The lamps burn colza oil.', { timeout: 120_000 })

  await page.goto(`/l/${library}?view=list`)
  for (const title of ['Lens', 'Oil']) await page.getByRole('checkbox', { name: `Select ${title}` }).click()
  await page.getByRole('button', { name: 'Ask the selection' }).click()
  await expect(page.getByRole('heading', { name: 'Ask these 2 documents' })).toBeVisible()
  await question.fill('Who made the great lens?')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').last()).toContainText('Augustin Fresnel', { timeout: 120_000 })
  await scope.getByRole('button', { name: 'Remove “Lens” from the question' }).click()
  await expect(scope).not.toContainText('Lens')
  await page.reload()
  await expect(scope).toContainText('Oil')
  await scope.getByRole('button', { name: 'Ask the whole library' }).click()
  await expect(scope).toBeHidden()
})
