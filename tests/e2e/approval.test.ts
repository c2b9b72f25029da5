import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { expectAccessible } from './accessibility.ts'
import { addMember, enter, expect, filter, type Person, test } from './fixtures.ts'

async function addCollection({ client }: Person, library: string, approvers?: string[]): Promise<string> {
  const { data } = await client
    .from('collections')
    .insert({ library_id: library, name: 'Handbook' })
    .select('id')
    .single()
    .throwOnError()
  const row = { library_id: library, collection_id: data.id }
  if (approvers)
    await client
      .from('collection_approvals')
      .insert({ ...row, approver_ids: approvers })
      .throwOnError()
  return data.id
}

async function addNote({ client }: Person, library: string, collection: string): Promise<string> {
  const note = { library, collection, title: 'Lamps', body: 'The lamp burns.' }
  return (await client.rpc('add_note', note).throwOnError()).data.id
}

test("readers see the old text until the approver accepts an editor's change", async ({
  browser,
  page,
  signedIn,
  another,
  third,
  library,
}) => {
  test.slow()
  await addMember(signedIn, library, another, 'editor')
  await addMember(signedIn, library, third, 'reader')
  const collection = await addCollection(signedIn, library)
  const note = await addNote(signedIn, library, collection)

  await page.goto(`/l/${library}?collection=${collection}`)
  await page.getByRole('button', { name: 'Actions for the collection Handbook' }).click()
  await page.getByRole('menuitem', { name: 'Approval…' }).click()
  const settings = page.getByRole('dialog', { name: 'Approval in “Handbook”' })
  await settings.getByRole('checkbox', { name: 'Changes need approval' }).check()
  await settings.getByRole('checkbox', { name: 'Ada Lovelace' }).check()
  await expectAccessible(page, 'approval of a collection')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Changes need approval' })).toBeVisible()

  const reader = await (await browser.newContext()).newPage()
  await enter(reader, third)
  await reader.goto(`/l/${library}/d/${note}`)
  await expect(reader.getByText('The lamp burns.')).toBeVisible()

  const editor = await (await browser.newContext()).newPage()
  await enter(editor, another)
  await editor.goto(`/l/${library}/d/${note}`)
  await editor.getByRole('button', { name: 'Edit', exact: true }).click()
  const text = editor.getByRole('textbox', { name: 'Text of Lamps' })
  await text.press('Control+End')
  await text.pressSequentially(' With whale oil.')
  await editor.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(editor.getByText('A change by Mary Somerville waits for approval')).toBeVisible()
  await expect(editor.getByText('With whale oil.')).toHaveCount(0)
  await expect(reader.getByText('waits for approval')).toHaveCount(0)
  await expect(reader.getByText('The lamp burns.')).toBeVisible()
  await expect(reader.getByText('With whale oil.')).toHaveCount(0)

  await page.goto('/inbox')
  await expect(page.getByText('Mary Somerville asks you to approve a change')).toBeVisible()
  await page.getByRole('link', { name: /^Lamps/ }).click()
  await page.getByRole('button', { name: 'Review the change' }).click()
  const change = page.getByRole('dialog', { name: 'A change of “Lamps”' })
  await expect(change.getByText('With whale oil.')).toBeVisible()
  await expectAccessible(page, 'a waiting change')
  await change.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(page.getByText('The change to “Lamps” was approved')).toBeVisible()
  await expect(reader.getByText('With whale oil.')).toBeVisible()
  await expect(editor.getByText('With whale oil.')).toBeVisible()
  await expect(editor.getByText('waits for approval')).toHaveCount(0)

  await page.goto(`/l/${library}/activity`)
  await expect(page.getByText('approved a change to “Lamps” by Mary Somerville')).toBeVisible()
  await expect(page.getByText('proposed a change to “Lamps”')).toBeVisible()
})

test('a returned change is continued or withdrawn', async ({ browser, page, signedIn, another, library }) => {
  test.slow()
  await addMember(signedIn, library, another, 'editor')
  const collection = await addCollection(signedIn, library, [signedIn.id])
  const note = await addNote(signedIn, library, collection)
  const editor = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  await enter(editor, another)
  await editor.goto(`/l/${library}/d/${note}`)
  const write = async (words: string) => {
    const text = editor.getByRole('textbox', { name: 'Text of Lamps' })
    await text.press('Control+End')
    await text.pressSequentially(words)
    await editor.getByRole('button', { name: 'Done', exact: true }).click()
    await expect(editor.getByText('A change by Mary Somerville waits for approval')).toBeVisible()
  }
  await editor.getByRole('button', { name: 'Edit', exact: true }).click()
  await write(' With oil.')

  await page.goto(`/l/${library}/d/${note}`)
  await page.getByRole('button', { name: 'Review the change' }).click()
  const change = page.getByRole('dialog', { name: 'A change of “Lamps”' })
  await change.getByRole('button', { name: 'Send back…' }).click()
  await change.getByLabel('What should change').fill('Which oil?')
  await expectAccessible(page, 'returning a change')
  await change.getByRole('button', { name: 'Send back', exact: true }).click()
  await expect(editor.getByText('Ada Lovelace sent the change back')).toBeVisible()
  await expect(editor.getByText('Which oil?')).toBeVisible()
  await expectAccessible(editor, 'a returned change, on a phone')

  // The writer continues from the change, not the published text.
  await editor.getByRole('button', { name: 'Continue writing' }).click()
  await expect(editor.getByRole('textbox', { name: 'Text of Lamps' })).toContainText('With oil.')
  await write(' Of whales.')
  await expect(page.getByText('A change by Mary Somerville waits for approval')).toBeVisible()
  await page.getByRole('button', { name: 'Review the change' }).click()
  await expect(change.getByText('With oil. Of whales.')).toBeVisible()
  // Text that arrives while the approver reads isn't approved.
  await editor.getByRole('button', { name: 'Edit', exact: true }).click()
  await write(' And tar.')
  await change.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(change.getByText('Someone has already decided, or kept writing. Review the change again.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Review the change' }).click()
  await expect(change.getByText('And tar.')).toBeVisible()
  await page.keyboard.press('Escape')

  await editor.getByRole('button', { name: 'Review the change' }).click()
  await editor.getByRole('button', { name: 'Withdraw…' }).click()
  await editor.getByRole('dialog', { name: 'Withdraw the change?' }).getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('waits for approval')).toHaveCount(0)
  // Writing starts from the published text again.
  await editor.getByRole('button', { name: 'Edit', exact: true }).click()
  const text = editor.getByRole('textbox', { name: 'Text of Lamps' })
  await expect(text).toBeVisible()
  await expect(text).not.toContainText('oil')
  await expect(text).toContainText('The lamp burns.')
})

async function pdfOf(words: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const pdf = await PDFDocument.create()
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  pdf.addPage([400, 200]).drawText(words, { x: 20, y: 120, size: 12, font })
  return { name: 'prices.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await pdf.save()) }
}

test('a new version of a file waits for approval, and is then found', async ({ page, signedIn, library }) => {
  test.slow()
  const collection = await addCollection(signedIn, library, [signedIn.id])
  await page.goto(`/l/${library}?collection=${collection}`)
  await page.getByLabel('Files to add').setInputFiles({
    name: 'price list.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('A lantern costs twelve shillings.'),
  })
  await page.getByRole('link', { name: 'Price list' }).first().click()
  await expect(page.getByText('twelve shillings')).toBeVisible()
  await page.getByLabel('File of the new version').setInputFiles({
    name: 'price list.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('A lantern costs a guinea.'),
  })
  await expect(page.getByText('A new version of “Price list” is waiting for approval')).toBeVisible()
  await expect(page.getByText('twelve shillings')).toBeVisible()
  // An approver's own change waits as well, and they approve it.
  await page.getByRole('button', { name: 'Review the change' }).click()
  const change = page.getByRole('dialog', { name: 'A change of “Price list”' })
  await expect(change.getByText('A lantern costs a guinea.')).toBeVisible()
  await expectAccessible(page, 'a waiting version of a file')
  await change.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(page.getByText('twelve shillings')).toHaveCount(0)
  await expect(page.getByText('A lantern costs a guinea.')).toBeVisible()
  await page.goto(`/l/${library}/search?q=guinea`)
  await expect(page.getByRole('link', { name: /price list/i }).first()).toBeVisible()

  await page.goto(`/l/${library}?collection=${collection}`)
  await page.getByLabel('Files to add').setInputFiles(await pdfOf('A lantern costs twelve shillings.'))
  await page.getByRole('link', { name: 'Prices' }).first().click()
  await expect(page.getByText('A lantern costs twelve shillings.')).toBeVisible()
  await page.getByLabel('File of the new version').setInputFiles(await pdfOf('A lantern costs a guinea.'))
  await page.getByRole('button', { name: 'Review the change' }).click()
  const different = page.getByRole('dialog').getByRole('region', { name: 'Differences' })
  await expect(different).toContainText('twelve shillings')
  await expect(different).toContainText('a guinea')

  await page.goto(`/l/${library}`)
  await filter(page, 'Status', 'Waiting to be approved')
  await expect(page.getByRole('main').getByRole('article')).toHaveText([/prices/])

  const note = await addNote(signedIn, library, collection)
  const { data } = await signedIn.client.from('documents').select('current_version_id').eq('id', note).single()
  const proposed = { document: note, body: 'The lamp glows.', based_on: data?.current_version_id ?? '' }
  const { data: saved } = await signedIn.client.rpc('save_note', proposed).throwOnError()
  await signedIn.client.from('versions').update({ is_published: true }).eq('id', saved.id).throwOnError()
  await page.goto(`/l/${library}/activity`)
  await page.getByRole('link', { name: 'approved a change to “Lamps” by Ada Lovelace' }).click()
  const log = page.getByRole('dialog', { name: 'A change of “Lamps”' })
  await expect(log.getByText('The lamp glows.')).toBeVisible()
  await expect(log.getByText(/By Ada Lovelace, approved by Ada Lovelace/)).toBeVisible()
})
