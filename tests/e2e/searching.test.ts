import { createClient } from '@supabase/supabase-js'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { expectAccessible } from './accessibility.ts'
import { backend, expect, type Person, test } from './fixtures.ts'

async function addNote({ client }: Person, library: string, title: string, body: string): Promise<string> {
  const { data: note } = await client.rpc('add_note', { library, title, body }).throwOnError()
  const { error } = await client.functions.invoke('ingest', { body: { document_id: note.id } })
  if (error) throw error
  return note.id
}

const OIL = 'The keeper fills the lamp with colza oil in the evening, and trims its wick at midnight.'
/** Six sections, each a passage about lamps. */
const MANUAL = Array.from({ length: 6 }, (_, n) => `# Chapter ${n + 1}\n\n${OIL} Chapter ${n + 1} says how.`).join(
  '\n\n',
)

test('after Enter the keyboard navigates the results, and / and Escape return to the field', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  await addNote(signedIn, library, 'Lamps at sea', `A lamp shows the way. ${OIL}`)
  await addNote(signedIn, library, 'Lamps at home', `A lamp stands on the desk. ${OIL}`)
  await page.goto(`/l/${library}/search`)
  const field = page.getByRole('searchbox')
  // Enter searches immediately.
  await field.fill('lamp')
  await page.keyboard.press('Enter')
  const rows = page.locator('main section ol a')
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toBeFocused()
  await expect(rows.first().locator('mark').first()).toHaveText(/lamp/i)
  await page.keyboard.press('j')
  await expect(rows.last()).toBeFocused()
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(rows.first()).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(rows.last()).toBeFocused()
  await page.keyboard.press('Home')
  await expect(rows.first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('lamp')
  await page.keyboard.press('ArrowDown')
  await expect(rows.first()).toBeFocused()
  await page.keyboard.press('/')
  await expect(field).toBeFocused()
  await page.keyboard.type('oil')
  await expect(page).toHaveURL(/q=oil/)
  await page.keyboard.press('Enter')
  await expect(rows.first()).toBeFocused()
  await expect(rows.first().locator('mark').first()).toHaveText(/oil/i)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'The passage' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to “oil”' }).click()
  await expect(rows).toHaveCount(2)

  await page.goto(`/l/${library}/search`)
  await page.getByRole('region', { name: 'Recent searches' }).getByRole('button', { name: 'lamp' }).click()
  await expect(rows).toHaveCount(2)
  await expect(page).toHaveURL(/q=lamp/)
})

test('one document cannot fill the results, and its other passages open in place', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  await addNote(signedIn, library, 'Manual', MANUAL)
  await addNote(signedIn, library, 'Letter', 'No lamp was lit.')
  await page.goto(`/l/${library}/search?q=lamp`)
  const manual = page.getByRole('region', { name: 'Manual' })
  await expect(manual.getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('region', { name: 'Letter' })).toBeVisible()
  await manual.getByRole('button', { name: '3 more in this document' }).click()
  await expect(manual.getByRole('listitem')).toHaveCount(6)
  await expect(manual.getByText('Chapter 6 says how.')).toBeVisible()
  await expectAccessible(page, 'an opened document among the results')
  await page.reload()
  await expect(manual.getByRole('listitem')).toHaveCount(6)
})

test('filters typed into the search can be removed', async ({ page, signedIn, library }) => {
  test.slow()
  const { client } = signedIn
  const { data: tag } = await client
    .from('tags')
    .insert({ library_id: library, name: 'at sea' })
    .select('id')
    .single()
    .throwOnError()
  const sea = await addNote(signedIn, library, 'Harbour log', OIL)
  await addNote(signedIn, library, 'Kitchen log', OIL)
  await client.from('document_tags').insert({ library_id: library, document_id: sea, tag_id: tag.id }).throwOnError()
  await page.goto(`/l/${library}/search`)
  const field = page.getByRole('searchbox')
  const filters = page.getByRole('group', { name: 'Narrow the search' })
  const found = page.locator('main section h2')

  await field.pressSequentially('lamp ta')
  await page.getByRole('option', { name: 'tag:' }).click()
  await page.keyboard.type('se')
  await expect(page.getByRole('option', { name: 'at sea' })).toBeVisible()
  await expectAccessible(page, 'suggestions')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('lamp ')
  await expect(field).toBeFocused()
  await expect(found).toHaveText(['Harbour log'])
  await expect(page).toHaveURL(new RegExp(`tag=${tag.id}`))

  await page.reload()
  await expect(found).toHaveText(['Harbour log'])
  await filters.getByRole('button', { name: 'Remove tag: at sea' }).click()
  await expect(found).toHaveCount(2)

  await field.fill('lamp title:kitchen kind:note from:me since:2024 ')
  await expect(field).toHaveValue('lamp ')
  await expect(found).toHaveText(['Kitchen log'])
  for (const chip of ['title: kitchen', 'kind: Note', `from: ${signedIn.name}`, 'since: 2024'])
    await expect(filters.getByRole('button', { name: `Remove ${chip}` })).toBeVisible()
  await filters.getByRole('button', { name: 'Remove kind: Note' }).press('Enter')
  await expect(filters.getByRole('button').first()).toBeFocused()
  await filters.getByRole('button', { name: 'Every kind' }).press('Enter')
  await page.getByRole('menuitemradio', { name: 'PDF' }).press('Enter')
  await expect(filters.getByRole('button', { name: 'Remove kind: PDF' })).toBeVisible()
  await expect(filters.locator(':focus')).toHaveCount(1)
  await expect(page.getByText('Remove a filter, or try fewer or other words.')).toBeVisible()
  await filters.getByRole('button', { name: 'Clear' }).click()
  await expect(found).toHaveCount(2)

  // URLs can be written by hand; unknown values are searched as words.
  await page.goto(`/l/${library}/search?q=${encodeURIComponent('lamp tag:sea until:2024')}`)
  await expect(filters.getByRole('button', { name: 'Remove until: 2024' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No matching passages' })).toBeVisible()
  await page.goto(`/l/${library}/search?q=${encodeURIComponent('lamp tag:moon')}`)
  await expect(page.getByText('No “tag:” is called “moon”')).toBeVisible()
})

test('results stay on screen while the next ones load or fail to load', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  await addNote(signedIn, library, 'Lamps', OIL)
  await page.goto(`/l/${library}/search?q=lamp`)
  const found = page.getByRole('region', { name: 'Lamps' })
  await expect(found).toBeVisible()
  await page.route(`${backend.url}/rest/v1/rpc/search_passages`, (route) => route.abort('connectionrefused'))
  await page.getByRole('searchbox').fill('lamps of keepers')
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server')
  await page.unroute(`${backend.url}/rest/v1/rpc/search_passages`)
  await page.getByText('Try again', { exact: true }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(found).toBeVisible()
})

test('search uses the function only for documents with embeddings, and falls back to words', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  const asked: string[] = []
  page.on(
    'request',
    (request) => request.url() === `${backend.url}/functions/v1/search` && asked.push(request.method()),
  )
  await addNote(signedIn, library, 'Lamps', OIL)
  await page.goto(`/l/${library}/search?q=lamp`)
  const found = page.getByRole('region', { name: 'Lamps' })
  await expect(found).toBeVisible()
  expect(asked).toEqual([])

  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'Oil', body: OIL }).throwOnError()
  const passages = [{ start: 0, end: OIL.length, content: OIL, embedding: Array(384).fill(0.05) }]
  const service = createClient<Database>(backend.url, backend.secret, { auth: { persistSession: false } })
  await service
    .rpc('replace_passages', { version: note.current_version_id ?? '', passages, model: 'gte-small' })
    .throwOnError()
  await page.reload()
  await expect(page.getByRole('region', { name: 'Oil' })).toBeVisible()
  expect(asked).toContain('POST')
  // There is no model on this machine.
  await expect(page.getByText('Matched by words, not by meaning')).toBeVisible()

  await page.route(`${backend.url}/functions/v1/search`, (route) => route.abort('connectionrefused'))
  await page.getByRole('searchbox').fill('keeper')
  await expect(page).toHaveURL(/q=keeper/)
  await expect(found.locator('mark').first()).toHaveText(/keeper/i)
})

test('a misspelled search shows corrected results, and can be searched literally', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  await addNote(signedIn, library, 'Manual', 'A backup is of use only with a recovery that was tried.')
  await page.goto(`/l/${library}/search`)
  await page.getByRole('searchbox').fill('bakcup recovry')
  await expect(page.getByText('Showing results for backup recovery.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Manual' }).locator('mark')).toHaveText(['backup', 'recovery'])
  await page.getByRole('button', { name: 'Search for “bakcup recovry” instead' }).click()
  await expect(page.getByRole('heading', { name: 'No matching passages' })).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Showing results for backup recovery.')).toBeVisible()
})

test('all libraries are searched from the start page', { tag: '@nightly' }, async ({ page, signedIn, library }) => {
  test.slow()
  const { data: other } = await signedIn.client.rpc('create_library', { name: 'Lighthouse papers' }).throwOnError()
  await addNote(signedIn, library, 'Letter', OIL)
  await addNote(signedIn, other.id, 'Manual', MANUAL)
  await page.goto('/')
  await page.getByRole('searchbox', { name: 'Search the passages of all libraries' }).fill('lamp')
  await page.keyboard.press('Enter')
  await expect(page.getByText('4 passages in 2 libraries')).toBeVisible()
  await expectAccessible(page, 'results of all libraries')
  const papers = page.getByRole('region', { name: 'Lighthouse papers' })
  await expect(papers.getByRole('region', { name: 'Manual' }).getByRole('listitem')).toHaveCount(3)
  await expect(
    page.getByRole('region', { name: 'Reading group' }).getByRole('region', { name: 'Letter' }),
  ).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'The passage' })).toBeVisible()
  await page.goBack()
  await papers.getByRole('link', { name: '3 more in this document' }).click()
  await expect(page.getByRole('region', { name: 'Manual' }).getByRole('listitem')).toHaveCount(6)
  await signedIn.client.from('libraries').delete().eq('id', other.id)
})

test('a saved search shows new passages live', async ({ page, signedIn, library }) => {
  test.slow()
  await addNote(signedIn, library, 'Letter', OIL)
  await page.goto(`/l/${library}/search?q=lamp`)
  await expect(page.getByRole('region', { name: 'Letter' })).toBeVisible()
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.getByLabel('Name').fill('Lamps')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: 'Lamps' }).waitFor()

  // On another screen, news arrives without a reload.
  await page.goto(`/l/${library}/members`)
  const link = page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: /^Search/ })
  await expect(link).toHaveText('Search')
  await addNote(signedIn, library, 'Unrelated', 'A boat.')
  await addNote(signedIn, library, 'Manual', MANUAL)
  await expect(link).toHaveText('Search6 new')
  await link.click()
  const saved = page.getByRole('list', { name: 'Saved searches' }).getByRole('link', { name: 'Lamps' })
  await expect(saved).toHaveText('Lamps6 new')
  await saved.click()
  await expect(page.getByRole('region', { name: 'Manual' })).toBeVisible()
  await expect(link).toHaveText('Search')
  await expect(saved).toHaveText('Lamps')
})

test.describe('in a German browser', () => {
  test.use({ locale: 'de' })

  test('filters have German names, and English ones still work', { tag: '@nightly' }, async ({ page, person }) => {
    await page.goto('/sign-in')
    await page.getByLabel('E-Mail').fill(person.email)
    await page.getByLabel('Passwort', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Meine Bibliotheken' })).toBeVisible()
    const { data: made } = await person.client.rpc('create_library', { name: 'Leuchttürme' }).throwOnError()
    await addNote(person, made.id, 'Die Lampe', 'Eine ruhige Lampe braucht einen ruhigen Wärter.')
    await page.goto(`/l/${made.id}/search`)
    const field = page.getByRole('searchbox')
    await field.fill('lampe art:notiz since:2024 ')
    const filters = page.getByRole('group', { name: 'Suche eingrenzen' })
    await expect(filters.getByRole('button', { name: 'art: Notiz entfernen' })).toBeVisible()
    await expect(filters.getByRole('button', { name: 'seit: 2024 entfernen' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Die Lampe' })).toContainText('1 Stelle')
    await page.getByRole('searchbox').pressSequentially('ti')
    await expect(page.getByRole('option', { name: 'titel:' })).toBeVisible()
  })
})
