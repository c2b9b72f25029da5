import { expectAccessible } from './accessibility.ts'
import { choose, expect, test } from './fixtures.ts'

test('a rule tags, moves and notifies, is tested on existing documents, and says why it is paused', async ({
  page,
  signedIn,
  another,
  library,
}) => {
  const { client } = signedIn
  const { data: invitation } = await client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const { data: bills } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Bills' })
    .select('id')
    .single()
    .throwOnError()
  await client.from('tags').insert({ library_id: library, name: 'To pay' }).throwOnError()
  const add = (title: string, body: string) => client.rpc('add_note', { library, title, body }).throwOnError()
  await add('An old invoice', 'Paid long ago.')

  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: 'Rules' }).click()
  await page.getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Invoices')
  await dialog.getByRole('button', { name: 'Add a condition' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(/Complete or remove the highlighted conditions/)
  await dialog.getByLabel('Value of condition 1').fill('invoice')
  await choose(dialog.getByLabel('Value of action 1'), 'To pay')
  await dialog.getByRole('button', { name: 'Add an action' }).click()
  await choose(dialog.getByLabel('Action 2', { exact: true }), 'Move to a collection')
  await choose(dialog.getByLabel('Value of action 2'), 'Bills')
  await dialog.getByRole('button', { name: 'Add an action' }).click()
  await choose(dialog.getByLabel('Action 3', { exact: true }), 'Notify people')
  await expectAccessible(page, 'a rule')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const rules = page.getByRole('list', { name: 'Rules' })
  await expect(rules.getByRole('listitem')).toHaveText(
    /Title contains: “invoice”.*Add the tag “To pay” · Move to “Bills”/,
  )

  const { data: arrived } = await add('Invoice of May', 'Please pay.')
  const placeOf = async (id: string) =>
    (await client.from('documents').select('collection_id').eq('id', id).single().throwOnError()).data.collection_id
  expect(await placeOf(arrived.id)).toBe(bills.id)
  const { data: told } = await another.client.from('notifications').select('kind, rule').throwOnError()
  expect(told).toEqual([{ kind: 'rule', rule: 'Invoices' }])
  await page.getByRole('button', { name: 'Latest runs of “Invoices”' }).click()
  await expect(dialog.getByRole('listitem')).toHaveText(
    /Invoice of May.*tagged “To pay”, moved to “Bills”, notified one person/,
  )
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Try “Invoices” on existing documents' }).click()
  await expect(dialog.getByRole('listitem')).toHaveText(['Invoice of May', 'An old invoice'])
  await expectAccessible(page, 'testing a rule')
  await dialog.getByRole('button', { name: 'Apply to 2 documents' }).click()
  await expect(page.getByText('One document differs')).toBeVisible()
  await page.goto(`/l/${library}?collection=${bills.id}`)
  await expect(page.getByRole('link', { name: 'An old invoice' }).first()).toBeVisible()
  await page.goto(`/l/${library}/activity`)
  await expect(page.getByText('Rule “Invoices” on “Invoice of May”: tagged “To pay”, moved to “Bills”')).toBeVisible()

  await client.from('collections').delete().eq('id', bills.id).throwOnError()
  await page.goto(`/l/${library}/settings/rules`)
  await expect(rules.getByText('Paused: one of its collections was deleted.')).toBeVisible()
  await expectAccessible(page, 'rules')
  // Not uncheck(), which expects the new state before the page has rendered.
  await page.getByRole('checkbox', { name: '“Invoices” is on' }).click()
  await expect(page.getByRole('checkbox', { name: '“Invoices” is on' })).not.toBeChecked()
  await page.reload()
  await expect(page.getByRole('checkbox', { name: '“Invoices” is on' })).not.toBeChecked()
  await page.getByRole('button', { name: 'Delete the rule “Invoices”' }).click()
  await expect(page.getByText('No rules yet')).toBeVisible()
})
