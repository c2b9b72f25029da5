import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { backend, choose, enter, expect, test } from './fixtures.ts'

test('members of a group immediately see what they gain and lose when it gets a collection or a mention', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  const { client } = signedIn
  const admin = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  await admin.from('members').insert({ library_id: library, user_id: another.id, role: 'guest' }).throwOnError()
  const { data: letters } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Letters' })
    .select('id')
    .single()
    .throwOnError()
  const { data: note } = await client
    .rpc('add_note', { library, title: 'From Vienna', body: 'A letter.', collection: letters.id })
    .throwOnError()
  const tab = await (await browser.newContext()).newPage()
  await enter(tab, another)
  await tab.goto(`/l/${library}`)
  await expect(tab.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()

  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: /^Groups/ }).click()
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Translators')
  await dialog.getByLabel('Description').fill('Who reads the letters')
  await dialog.getByLabel(/Mary Somerville/).check()
  await expectAccessible(page, 'a new group')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const group = page.getByRole('listitem').filter({ hasText: 'Translators' })
  await expect(group.getByText('1 person')).toBeVisible()
  await group.getByRole('button', { name: 'Actions for Translators' }).click()
  await page.getByRole('menuitem', { name: 'Give access to a collection…' }).click()
  await choose(dialog.getByLabel('Collection'), 'Letters')
  await dialog.getByRole('button', { name: 'Open it' }).click()
  await expect(group.getByText('can read “Letters”')).toBeVisible()
  await expectAccessible(page, 'groups')

  // Without a reload, by the guest's own channel.
  await expect(tab.getByText('From Vienna')).toBeVisible()
  await page.goto(`/l/${library}/members`)
  await expect(page.getByText('can read “Letters” · through the group “Translators”')).toBeVisible()

  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(page.getByText('through “Letters” and the group “Translators”')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Comment on the document').fill('Please look, @Trans')
  await page.getByRole('option', { name: 'Translators · group' }).click()
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await expect(page.getByText('Please look, @Translators')).toBeVisible()
  await expect(tab.getByRole('link', { name: 'Inbox, 1 unread notification' })).toBeVisible()

  await tab.getByText('From Vienna').first().click()
  await expect(tab.getByText('A letter.')).toBeVisible()
  await page.goto(`/l/${library}/settings/groups`)
  await group.getByRole('button', { name: 'Actions for Translators' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await dialog.getByRole('button', { name: 'Delete the group' }).click()
  await expect(page.getByRole('heading', { name: 'No groups yet' })).toBeVisible()
  await expect(tab.getByText('A letter.')).toHaveCount(0)
  await page.goto(`/l/${library}/activity`)
  await expect(page.getByText('gave the group “Translators” access to “Letters”')).toBeVisible()
  await expect(page.getByText('added Mary Somerville to the group “Translators”')).toBeVisible()
  await tab.context().close()
})
