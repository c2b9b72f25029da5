import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('a template is made from a note, edited, used by keyboard, renamed and deleted', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Minutes', body: '# Lamps\n\nBy {{author}}: ![a lamp](pictures/x.png)' })
    .throwOnError()
  const templates = async () => {
    const { data } = await signedIn.client.from('note_templates').select('title, body').order('title').throwOnError()
    return data
  }
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Actions for Minutes' }).click()
  await page.getByRole('menuitem', { name: 'Save as template…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('“Minutes” is now a template of this library')).toBeVisible()
  expect(await templates()).toEqual([{ title: 'Minutes', body: '# Lamps\n\nBy {{author}}: a lamp' }])

  await page.goto(`/l/${library}/settings`)
  await page.getByRole('button', { name: 'Meeting (suggestion)' }).click()
  await expect(page.getByRole('list', { name: 'Templates' }).getByRole('listitem')).toHaveText(['Meeting', 'Minutes'])
  await page.getByRole('button', { name: 'Minutes', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Minutes' })
  await editor.press('Control+Home')
  await editor.pressSequentially('{{title}}, ')
  await page.getByLabel('Title').fill('Minutes of the lamps')
  await expectAccessible(page, 'editing a template')
  await page.getByRole('button', { name: 'Save', exact: true }).last().click()
  await expect(page.getByRole('button', { name: 'Minutes of the lamps', exact: true })).toBeVisible()
  expect((await templates())[1]).toEqual({
    title: 'Minutes of the lamps',
    body: '# {{title}}, Lamps\n\nBy {{author}}: a lamp',
  })

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/^Find documents/).pressSequentially('new note')
  await expect(page.getByRole('option', { name: 'New note', exact: true })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  const text = page.getByRole('textbox', { name: /^Text of / })
  await expect(text).toBeFocused()
  await text.pressSequentially('Evening')
  await expectAccessible(page, 'a new note')
  const offer = page.getByRole('button', { name: 'Start from a template' })
  await page.keyboard.press('Tab')
  await expect(offer).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: 'Minutes of the lamps' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(text).toHaveText(/^Evening, Lamps\s*By Ada Lovelace: a lamp$/)
  await expect(offer).toBeHidden()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.locator('.prose')).toHaveText(/^\s*Evening, Lamps\s+By Ada Lovelace: a lamp\s*$/)
  await expect(page).toHaveTitle(/^Evening, Lamps/)

  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'Evening, Lamps' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await offer.click()
  await page.getByRole('menuitem', { name: 'Decision (suggestion)' }).click()
  await expect(text).toHaveText(/^Decision[\s\S]*Decisions made/)

  await page.goto(`/l/${library}/settings`)
  await page.getByRole('button', { name: 'Delete the template “Minutes of the lamps”' }).click()
  await expect(page.getByText('The template “Minutes of the lamps” was deleted')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await templates()).length).toBe(2)
})
