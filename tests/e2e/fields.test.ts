import { expectAccessible } from './accessibility.ts'
import { choose, enter, expect, test } from './fixtures.ts'

test('fields of a collection are added, edited in place, sorted and filtered by', async ({
  page,
  signedIn,
  library,
}) => {
  const { client } = signedIn
  const { data: letters } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Letters' })
    .select('id')
    .single()
    .throwOnError()
  for (const title of ['From Vienna', 'From Graz', 'From Linz'])
    await client.rpc('add_note', { library, title, body: 'x', collection: letters.id }).throwOnError()
  await page.goto(`/l/${library}?collection=${letters.id}&view=list`)

  await page.getByRole('button', { name: 'Fields…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New field…' }).click()
  await dialog.getByLabel('Name').fill('Year')
  await choose(dialog.getByLabel('Type'), 'Number')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('button', { name: 'New field…' }).click()
  await dialog.getByLabel('Name').fill('State')
  await choose(dialog.getByLabel('Type'), 'Choice')
  for (const [index, name] of ['Open', 'Done'].entries()) {
    await dialog.getByRole('button', { name: 'Add an option' }).click()
    await dialog.getByLabel(`Option ${index + 1}`, { exact: true }).fill(name)
  }
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('listitem')).toHaveText([/^Year/, /^State/])
  await page.keyboard.press('Escape')

  // An invalid number stays until corrected; Tab moves to the next cell.
  await page.getByRole('button', { name: 'Year of “From Vienna”' }).click()
  await page.keyboard.type('nineteen')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Enter a number.')
  await page.getByRole('textbox', { name: 'Year of “From Vienna”' }).fill('1912')
  await page.keyboard.press('Tab')
  await page.getByRole('menuitemcheckbox', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'State of “From Vienna”: Done' })).toBeFocused()
  await page.getByRole('button', { name: 'Year of “From Graz”' }).click()
  await page.keyboard.type('1848')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Year of “From Graz”: 1848' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.type('0')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Year of “From Graz”: 1848' })).toBeVisible()

  await page.getByRole('columnheader', { name: 'Year' }).getByRole('button').click()
  const titles = page.locator('tbody [data-document]')
  await expect(titles).toHaveText(['From Graz', 'From Vienna', 'From Linz'])
  await expectAccessible(page, 'a list with fields')

  await page.getByRole('checkbox', { name: 'Select From Linz' }).check()
  await page.getByLabel('Selection').getByRole('button', { name: 'Fields…' }).click()
  await dialog.getByLabel('Value').fill('1700')
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await expect(titles).toHaveText(['From Linz', 'From Graz', 'From Vienna'])

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await dialog.getByLabel('Year').fill('>1800')
  await page.keyboard.press('Enter')
  await choose(dialog.getByLabel('State'), 'Done')
  await dialog.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(titles).toHaveText(['From Vienna'])
  await page.reload()
  await expect(titles).toHaveText(['From Vienna'])

  await titles.first().click()
  await page.getByRole('complementary').getByRole('button', { name: 'State of “From Vienna”: Done' }).click()
  await page.getByRole('menuitem', { name: 'No value' }).click()
  await expect(page.getByRole('button', { name: 'State of “From Vienna”', exact: true })).toBeVisible()
  await expect
    .poll(async () => (await client.from('field_values').select('*', { count: 'exact', head: true })).count)
    .toBe(3)
})

test('a guest edits fields only in collections granted for editing', async ({
  browser,
  signedIn,
  another,
  library,
}) => {
  const { client } = signedIn
  const roles = ['editor', 'reader'] as const
  const { data: collections } = await client
    .from('collections')
    .insert(roles.map((name) => ({ library_id: library, name })))
    .select('id, name')
    .throwOnError()
  for (const { id: collection } of collections) {
    await client
      .rpc('save_field', { collection, field: null as unknown as string, name: 'Year', kind: 'number' })
      .throwOnError()
    await client.rpc('add_note', { library, title: 'Lamps', body: 'x', collection }).throwOnError()
  }
  const [edited, read] = roles.map((role) => collections.find(({ name }) => name === role)?.id ?? '')
  const { data: invitation } = await client
    .rpc('invite_member', {
      ...{ library, email: another.email, role: 'guest', collection: edited ?? '' },
      collection_role: 'editor',
    })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await client
    .from('collection_grants')
    .insert({ library_id: library, collection_id: read ?? '', user_id: another.id, role: 'reader' })
    .throwOnError()

  const context = await browser.newContext()
  const page = await context.newPage()
  await enter(page, another)
  await page.goto(`/l/${library}?collection=${edited}&view=list`)
  await page.getByRole('button', { name: 'Year of “Lamps”' }).click()
  await page.keyboard.type('1912')
  await page.keyboard.press('Enter')
  const filled = page.getByRole('button', { name: 'Year of “Lamps”: 1912' })
  await expect(filled).toBeVisible()
  await page.getByRole('link', { name: 'Lamps' }).click()
  await expect(page.getByRole('complementary').getByRole('button', { name: 'Year of “Lamps”: 1912' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('textbox', { name: 'Text of Lamps' }).fill('A wick in oil')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('main').getByText('A wick in oil')).toBeVisible()

  await page.goto(`/l/${library}?collection=${edited}`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  // Folders become collections, which they can't create.
  await expect(page.getByRole('menuitem', { name: 'A folder…' })).toHaveCount(0)
  const picked = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Files…', exact: true }).click()
  await (await picked).setFiles({
    name: 'Oil.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Whale oil burns long.'),
  })
  await expect(page.getByRole('article', { name: 'Oil' })).toBeVisible()
  await page.goto(`/l/${library}?collection=${read}&view=list`)
  await expect(page.getByRole('columnheader', { name: 'Year' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Lamps' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Year of/ })).toBeHidden()
  await context.close()
})
