import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { enter, expect, type Person, test } from './fixtures.ts'

const card = (page: Page, title: string): Locator => page.getByRole('article', { name: title, exact: true })

async function addNotes({ client }: Person, library: string, titles: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const title of titles) {
    const { data } = await client.rpc('add_note', { library, title, body: title }).throwOnError()
    ids.push(data.id)
  }
  return ids
}

test('a deleted document goes to the trash, is restored, or is deleted permanently', async ({
  page,
  signedIn,
  library,
}) => {
  await addNotes(signedIn, library, ['Keep me', 'Lose me'])
  for (const title of ['Keep me', 'Lose me']) {
    await card(page, title)
      .getByRole('button', { name: /Actions for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Move to the trash' }).click()
    await expect(card(page, title)).toBeHidden()
  }
  await page.getByRole('link', { name: 'Trash' }).click()
  await expect(page.getByText('deleted in 30 days')).toHaveCount(2)
  await page.getByRole('button', { name: 'Restore Keep me' }).click()
  await expect(page.getByText('Keep me', { exact: true })).toBeHidden()
  await page.getByRole('button', { name: 'Delete permanently: Lose me' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing in the trash' })).toBeVisible()
  await page.getByRole('link', { name: 'All documents' }).click()
  await expect(card(page, 'Keep me')).toBeVisible()
  const { data } = await signedIn.client.from('documents').select('title').eq('library_id', library).throwOnError()
  expect(data).toEqual([{ title: 'Keep me' }])
})

test('editors can restore but not delete permanently, and readers see no trash', { tag: '@nightly' }, async ({
  browser,
  signedIn,
  another,
  library,
}) => {
  const [note = ''] = await addNotes(signedIn, library, ['Old'])
  await signedIn.client.from('documents').update({ deleted_at: new Date().toISOString() }).eq('id', note).throwOnError()
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'editor' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const context = await browser.newContext()
  const page = await context.newPage()
  await enter(page, another)
  await page.goto(`/l/${library}/trash`)
  await expect(page.getByRole('button', { name: 'Restore Old' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Delete permanently/ })).toHaveCount(0)
  await signedIn.client
    .from('members')
    .update({ role: 'reader' })
    .eq('library_id', library)
    .eq('user_id', another.id)
    .throwOnError()
  await page.goto(`/l/${library}`)
  await expect(page.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Trash' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Add', exact: true })).toHaveCount(0)
  await page.goto(`/l/${library}/trash`)
  await expect(page.getByRole('heading', { name: 'Nothing in the trash' })).toBeVisible()
  await context.close()
})

test('collections are nested and filled by dragging and by menu', async ({ page, signedIn, library }) => {
  // Toasts, which stay under the pointer, are below the collections.
  await page.setViewportSize({ width: 1280, height: 1000 })
  await addNotes(signedIn, library, ['A lamp'])
  for (const name of ['Light', 'Sea']) {
    await page.getByRole('button', { name: 'New collection' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create' }).click()
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
  }
  const nav = page.getByRole('navigation', { name: 'Library' })
  await card(page, 'A lamp').dragTo(nav.getByRole('link', { name: 'Light', exact: true }))
  await expect(page.getByText('“A lamp” is in “Light” now')).toBeVisible()
  await nav
    .getByRole('link', { name: 'Light', exact: true })
    .dragTo(nav.getByRole('link', { name: 'Sea', exact: true }))
  await expect(
    nav.getByRole('listitem').filter({ hasText: 'Sea' }).getByRole('link', { name: 'Light', exact: true }),
  ).toBeVisible()
  await nav.getByRole('link', { name: 'Light', exact: true }).click()
  await expect(card(page, 'A lamp')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Parent collections' }).getByRole('link')).toHaveText('Sea')

  await card(page, 'A lamp')
    .getByRole('button', { name: /Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sea' }).click()
  await expect(card(page, 'A lamp')).toBeHidden()
  const moved = page.getByRole('listitem').filter({ hasText: '“A lamp” is in “Sea” now' })
  await moved.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'A lamp')).toBeVisible()

  await signedIn.client.from('tags').insert({ library_id: library, name: 'Oil', color: 'blue' }).throwOnError()
  await page.reload()
  await card(page, 'A lamp').dragTo(nav.getByRole('link', { name: 'Oil' }))
  const toast = (text: string) => page.getByRole('listitem').filter({ hasText: text })
  await expect(toast('“A lamp” is tagged “Oil”')).toBeVisible()
  await expect(card(page, 'A lamp').getByText('Oil')).toBeVisible()
  await card(page, 'A lamp').dragTo(nav.getByRole('link', { name: 'Trash' }))
  await expect(card(page, 'A lamp')).toBeHidden()
  await toast('“A lamp” is in the trash').getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'A lamp')).toBeVisible()
  await toast('“A lamp” is tagged “Oil”').getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'A lamp').getByText('Oil')).toHaveCount(0)

  // Deleting a collection keeps its documents, and undo restores it with them.
  await nav.getByRole('button', { name: 'Actions for the collection Sea' }).click()
  await page.getByRole('menuitem', { name: 'Delete the collection' }).click()
  await expect(nav.getByRole('link', { name: 'Light', exact: true })).toBeHidden()
  await page.getByText('The collection “Sea” was deleted').waitFor()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(nav.getByRole('link', { name: 'Light', exact: true })).toBeVisible()
  await nav.getByRole('link', { name: 'Light', exact: true }).click()
  await expect(card(page, 'A lamp')).toBeVisible()
})

test('collections nest up to twenty levels, limited by the menu and the database', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  let parent: string | null = null
  for (let level = 1; level <= 20; level += 1) {
    const { data } = await signedIn.client
      .from('collections')
      .insert({ library_id: library, name: `Level ${level}`, parent_id: parent })
      .select('id')
      .single()
      .throwOnError()
    parent = (data as { id: string }).id
  }
  await signedIn.client.from('collections').insert({ library_id: library, name: 'Other' }).throwOnError()
  const nav = page.getByRole('navigation', { name: 'Library' })
  await nav.getByRole('button', { name: 'Actions for the collection Level 20' }).click()
  await expect(page.getByRole('menuitem', { name: 'New collection inside…' })).toBeDisabled()
  await page.keyboard.press('Escape')
  // Names have room at any depth.
  const deepest = await nav.getByText('Level 20').boundingBox()
  expect(deepest?.width).toBeGreaterThan(45)
  await nav.getByRole('link', { name: 'Other' }).dragTo(nav.getByRole('link', { name: 'Level 20' }))
  await expect(page.getByText('Collections can be nested up to 20 levels.')).toBeVisible()
  await nav.getByRole('link', { name: 'Level 1', exact: true }).dragTo(nav.getByRole('link', { name: 'Level 3' }))
  await expect(page.getByText('A collection can’t be moved into itself.')).toBeVisible()
})

test('several documents are selected by mouse and keyboard, tagged, and moved to the trash', async ({
  page,
  signedIn,
  library,
}) => {
  await addNotes(signedIn, library, ['One', 'Two', 'Three', 'Four'])
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByRole('checkbox', { name: 'Select Four' }).click()
  await page.getByRole('checkbox', { name: 'Select Two' }).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText('3 documents selected')
  await bar.getByRole('button', { name: 'Tag…' }).click()
  await page.getByLabel('Find or create a tag').fill('numbers')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('checkbox', { name: 'numbers' })).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row').getByText('numbers')).toHaveCount(3)
  await page
    .getByRole('link', { name: '# numbers' })
    .or(page.getByRole('link', { name: 'numbers' }))
    .click()
  await expect(page.getByRole('row')).toHaveCount(4)

  await page.keyboard.press('Control+a')
  await expect(bar).toContainText('3 documents selected')
  await page.keyboard.press('Escape')
  await expect(bar).toBeHidden()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(bar).toContainText('2 documents selected')
  await bar.getByRole('button', { name: 'Move the selection to the trash' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(page.getByRole('row')).toHaveCount(4)
})

test('an uploaded folder keeps its structure, pasted text becomes a note, a pasted URL a link', async ({
  page,
  library,
}) => {
  expect(library).toBeTruthy()
  // Only members who may add can paste, which is known slightly after the heading appears.
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', 'A thought about lamps.')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await expect(page.getByRole('textbox', { name: 'Text of A thought about lamps.' })).toBeVisible()
  await page.getByRole('link', { name: 'Shelf' }).click()
  await expect(card(page, 'A thought about lamps.')).toBeVisible()

  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', 'https://127.0.0.1/secret')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue('https://127.0.0.1/secret')
  await page.getByLabel('Address', { exact: true }).fill('javascript:alert(1)')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await expect(page.getByText('This isn’t a web address')).toBeVisible()
})

test('tags and fields set by one user appear for another', { tag: '@nightly' }, async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  const { client } = signedIn
  const { data: invitation } = await client
    .rpc('invite_member', { library, email: another.email, role: 'editor' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const { data: collection } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Letters' })
    .select('id')
    .single()
    .throwOnError()
  const field = { collection: collection.id, field: null as unknown as string, name: 'Year', kind: 'number' as const }
  await client.rpc('save_field', field).throwOnError()
  const { data: tag } = await client
    .from('tags')
    .insert({ library_id: library, name: 'sea' })
    .select('id')
    .single()
    .throwOnError()
  const { data: note } = await client
    .rpc('add_note', { library, title: 'Lamps', body: 'x', collection: collection.id })
    .throwOnError()

  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  await tab.goto(`/l/${library}/d/${note.id}`)
  await page.goto(`/l/${library}?collection=${collection.id}&view=list`)

  // Joining a channel refetches everything once; further changes come as messages.
  const year = (of: Page, value: string) => of.getByRole('button', { name: `Year of “Lamps”${value}`, exact: true })
  for (const [from, to] of [
    ['', ': 1912'],
    [': 1912', ': 1848'],
  ] as const) {
    await year(tab, from).click()
    await tab.keyboard.press('Control+a')
    await tab.keyboard.type(to.slice(2))
    await tab.keyboard.press('Enter')
    await expect(year(page, to)).toBeVisible()
  }
  const shown = page.getByRole('row').getByText('sea', { exact: true })
  const tags = () => another.client.from('document_tags')
  for (let round = 0; round < 2; round += 1) {
    await tags().insert({ library_id: library, document_id: note.id, tag_id: tag.id }).throwOnError()
    await expect(shown).toBeVisible()
    await tags().delete().eq('tag_id', tag.id).throwOnError()
    await expect(shown).toBeHidden()
  }
  await context.close()
})

test('Ctrl+A selects the loaded documents and offers all, and moving them to the trash can be undone', async ({
  page,
  signedIn,
  library,
}) => {
  await page.goto('/')
  const documents = Array.from({ length: 250 }, (_, n) => ({
    library_id: library,
    kind: 'note' as const,
    title: `Document ${String(n).padStart(3, '0')}`,
  }))
  await signedIn.client.from('documents').insert(documents).throwOnError()
  await page.goto(`/l/${library}`)
  await expect(page.getByText('250 documents', { exact: true })).toBeVisible()
  await page.keyboard.press('Control+a')
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar.getByText('100 of 250 documents selected')).toBeVisible()
  await bar.getByRole('button', { name: 'Select all 250' }).click()
  await expect(bar.getByText('250 documents selected', { exact: true })).toBeVisible()
  await bar.getByRole('button', { name: 'Move the selection to the trash' }).click()
  await expect(page.getByText('250 documents are in the trash')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('progressbar', { name: 'Changing 250 documents…' })).toBeVisible()
  await expect(page.getByText('250 documents', { exact: true })).toBeVisible({ timeout: 120_000 })
})

test('undo restores a deleted tag and collection on more documents than fit in a response', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  const { client } = signedIn
  const own = { library_id: library, name: 'Sea' }
  const { data: collection } = await client.from('collections').insert(own).select('id').single().throwOnError()
  const { data: tag } = await client.from('tags').insert(own).select('id').single().throwOnError()
  const documents = Array.from({ length: 1100 }, (_, n) => ({
    id: randomUUID(),
    library_id: library,
    collection_id: collection.id,
    kind: 'note' as const,
    title: `Document ${n}`,
  }))
  await client.from('documents').insert(documents).throwOnError()
  await client
    .from('document_tags')
    .insert(documents.map(({ id }) => ({ library_id: library, document_id: id, tag_id: tag.id })))
    .throwOnError()
  const count = async (table: 'documents' | 'document_tags', column: 'collection_id' | 'tag_id', id: string) => {
    const rows = client.from(table).select('library_id', { count: 'exact', head: true })
    return (await rows.eq(column as 'library_id', id).throwOnError()).count
  }
  await page.goto(`/l/${library}`)
  await page.getByRole('button', { name: 'Actions for the tag Sea' }).click()
  await page.getByRole('menuitem', { name: 'Delete the tag' }).click()
  const undo = (text: string) =>
    page.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: 'Undo' }).click()
  await undo('The tag “Sea” was deleted')
  await expect.poll(() => count('document_tags', 'tag_id', tag.id), { timeout: 60_000 }).toBe(1100)

  await page.getByRole('button', { name: 'Actions for the collection Sea' }).click()
  await page.getByRole('menuitem', { name: 'Delete the collection' }).click()
  await undo('The collection “Sea” was deleted')
  await expect.poll(() => count('documents', 'collection_id', collection.id), { timeout: 120_000 }).toBe(1100)
})

test('selected documents are dragged together, and the message is not over the selection', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  await addNotes(signedIn, library, ['A lamp', 'A wick'])
  await signedIn.client.from('collections').insert({ library_id: library, name: 'Light' }).throwOnError()
  await page.reload()
  for (const title of ['A lamp', 'A wick']) await card(page, title).getByRole('checkbox').check({ force: true })
  await card(page, 'A lamp').dragTo(page.getByRole('navigation').getByRole('link', { name: 'Light', exact: true }))
  const message = page.getByText('2 documents are in “Light” now')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const top = async () => (await page.getByRole('region', { name: 'Selection' }).boundingBox())?.y ?? 0
    const bottom = async () => {
      const box = await message.boundingBox()
      return box ? box.y + box.height : Number.POSITIVE_INFINITY
    }
    await expect.poll(async () => (await bottom()) < (await top())).toBe(true)
  }
})
