import { expectAccessible } from './accessibility.ts'
import { backend, expect, test } from './fixtures.ts'

const PALETTE = 'Find documents, passages, people and commands…'

test('the palette finds documents by words in their titles, even misspelled', async ({ page, signedIn, library }) => {
  for (const title of ['Backup and recovery', 'annual-report_2025.pdf'])
    await signedIn.client.rpc('add_note', { library, title }).throwOnError()
  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'Backup and recovery' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByPlaceholder(PALETTE)
  await field.fill('2025 ann')
  await expect(page.getByRole('option', { name: 'annual-report_2025.pdf' })).toBeVisible()
  await field.fill('bakcup recovry')
  const found = page.getByRole('option', { name: 'Backup and recovery' })
  await expect(found).toHaveAttribute('data-selected', 'true')
  await expectAccessible(page, 'palette with a found document')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Backup and recovery' })).toBeVisible()
})

test('the palette shows results of the open collection first, and offers to search it', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  const { data: collection } = await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: 'Keepers’ logs' })
    .select('id')
    .single()
    .throwOnError()
  const within = { library_id: library, kind: 'note' as const, collection_id: collection.id }
  await signedIn.client
    .from('documents')
    .insert([
      { ...within, title: 'Lamp log' },
      { library_id: library, kind: 'note', title: 'Lamp catalogue' },
    ])
    .throwOnError()
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await page.getByRole('article', { name: 'Lamp log' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(PALETTE).fill('lamp')
  const here = page.getByRole('group', { name: 'In “Keepers’ logs”' })
  await expect(here.getByRole('option')).toHaveText([/Lamp log/])
  await expect(page.getByRole('group', { name: 'Documents' }).getByRole('option')).toHaveText([/Lamp catalogue/])
  await page.getByRole('option', { name: 'Search “Keepers’ logs” for “lamp”' }).click()
  await expect(page).toHaveURL(new RegExp(`q=lamp&collection=${collection.id}`))

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('group', { name: 'Recent searches' }).getByRole('option', { name: 'lamp' })).toBeVisible()
})

test('without a response from the backend, the palette finds locally known documents', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  await signedIn.client.rpc('add_note', { library, title: 'Lamp log' }).throwOnError()
  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'Lamp log' }).waitFor()
  await page.route(`${backend.url}/rest/v1/rpc/find_documents`, (route) => route.abort('connectionrefused'))
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(PALETTE).fill('lamp')
  await expect(page.getByRole('option', { name: 'Lamp log' })).toBeVisible()
})
