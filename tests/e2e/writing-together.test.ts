import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { enter, expect, type Person, test } from './fixtures.ts'

async function addMember(owner: Person, library: string, member: Person, role: 'editor' | 'reader'): Promise<void> {
  const { data } = await owner.client.rpc('invite_member', { library, email: member.email, role }).throwOnError()
  await member.client.rpc('accept_invitation', { invitation: (data as { id: string }).id }).throwOnError()
}

async function addNote(owner: Person, library: string, body: string): Promise<string> {
  const { data } = await owner.client.rpc('add_note', { library, title: 'Lamps', body }).throwOnError()
  return data.id
}

const latestBody = async ({ client }: Person, note: string): Promise<string | null> => {
  const { data } = await client
    .from('documents')
    .select('version:versions!documents_current_version_id_fkey(body)')
    .eq('id', note)
    .single()
    .throwOnError()
  return data.version?.body ?? null
}

async function write(page: Page, library: string, note: string) {
  await page.goto(`/l/${library}/d/${note}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Text of Lamps' })
  await text.waitFor()
  return text
}

test('two people write in a note together, and a reader sees what they saved', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  test.slow()
  await addMember(signedIn, library, another, 'editor')
  const note = await addNote(signedIn, library, 'The lamp burns.\n\nThe sea is dark.')
  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  const mine = await write(page, library, note)
  const theirs = await write(tab, library, note)
  await expect(page.getByText('With Mary Somerville')).toBeVisible()

  await mine.press('Control+Home')
  // In one step, so that one undo reverts it.
  await page.keyboard.insertText('Hear: ')
  await theirs.press('Control+End')
  await theirs.pressSequentially(' And deep.')
  for (const text of [mine, theirs]) {
    await expect(text).toContainText('Hear:')
    await expect(text).toContainText('The sea is dark. And deep.')
  }
  await expect(mine.locator('.writer-caret [data-name="Mary Somerville"]')).toBeAttached()
  await expect(theirs.locator('.writer-caret [data-name="Ada Lovelace"]')).toBeAttached()

  await mine.press('Control+z')
  await expect(theirs).not.toContainText('Hear')
  await expect(theirs).toContainText('And deep.')

  const reader = await context.newPage()
  await reader.goto(`/l/${library}/d/${note}`)
  // A reader sees the draft and its writers.
  await expect(reader.getByText('Ada Lovelace and Mary Somerville are writing')).toBeVisible()
  await expect(reader.locator('.prose')).toContainText('And deep.')
  await theirs.pressSequentially(' Very.')
  await expect(reader.locator('.prose')).toContainText('And deep. Very.')
  for (let letter = 0; letter < ' Very.'.length; letter += 1) await theirs.press('Backspace')
  await tab.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(tab.locator('.prose')).toContainText('The sea is dark. And deep.')
  await expect(reader.locator('.prose')).toContainText('The sea is dark. And deep.')
  await expect(page.getByText('With Mary Somerville')).toHaveCount(0)
  expect(await latestBody(signedIn, note)).toBe('The lamp burns.\n\nThe sea is dark. And deep.')

  const again = await write(tab, library, note)
  await context.setOffline(true)
  await again.press('Control+End')
  await again.pressSequentially(' Very.')
  await mine.press('Control+End')
  await mine.pressSequentially(' Really.')
  await expect(tab.getByText('Waiting for the network')).toBeVisible()
  await context.setOffline(false)
  for (const text of [mine, again]) {
    await expect(text).toContainText('Very.')
    await expect(text).toContainText('Really.')
  }
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(page.locator('.prose')).toContainText('Very.')
  await context.close()
})

test('the title of a note follows the text, and readers follow the draft', { tag: '@nightly' }, async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  await addMember(signedIn, library, another, 'reader')
  await page.getByRole('button', { name: 'Write a note' }).click()
  const text = page.getByRole('textbox', { name: 'Text of Untitled' })
  const title = page.getByRole('main').getByRole('heading', { level: 1 }).first()
  await expect(title).toHaveText('Untitled')
  await text.pressSequentially('Relighting the tower')
  await expect(title).toHaveText('Relighting the tower')
  await expect(page).toHaveTitle(/^Relighting the tower/)

  const context = await browser.newContext()
  const reader = await context.newPage()
  await enter(reader, another)
  await reader.goto(page.url())
  // The note is opened in the middle of its draft, and followed.
  await expect(reader.getByText('Ada Lovelace is writing')).toBeVisible()
  await expect(reader.locator('.prose')).toContainText('Relighting the tower')
  await text.pressSequentially(' at dusk')
  await expect(reader.locator('.prose')).toContainText('Relighting the tower at dusk')
  await expect(page.getByText('Draft saved')).toBeVisible()
  await expect(page.getByText('With Mary Somerville')).toHaveCount(0)
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(title).toHaveText('Relighting the tower at dusk')
  await expect(reader.getByRole('heading', { name: 'Relighting the tower at dusk', level: 1 }).first()).toBeVisible()
  await expect(reader.getByText('Ada Lovelace is writing')).toHaveCount(0)
  await context.close()

  const note = await addNote(signedIn, library, '# Oil')
  const given = await write(page, library, note)
  await given.press('Control+Home')
  await given.pressSequentially('Whale ')
  await expect(given).toContainText('Whale Oil')
  await expect(title).toHaveText('Lamps')
})

test('a draft is offered when its note is opened, and inserted into the text', async ({ page, signedIn, library }) => {
  const note = await addNote(signedIn, library, 'The lamp burns.\n\nThe sea is dark.')
  const { data } = await signedIn.client
    .from('documents')
    .select('current_version_id')
    .eq('id', note)
    .single()
    .throwOnError()
  await signedIn.client
    .from('note_drafts')
    .insert({
      library_id: library,
      document_id: note,
      body: 'The lamp burns.\n\nThe sea is dark. And deep.',
      based_on: data.current_version_id,
    })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note}`)
  await expect(page.getByText('Your text isn’t saved yet')).toBeVisible()
  await page.getByRole('button', { name: 'Continue writing' }).click()
  await page.getByRole('button', { name: 'Insert it into the text' }).click()
  await expect(page.getByRole('textbox', { name: 'Text of Lamps' })).toContainText('And deep.')
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(page.locator('.prose')).toContainText('The sea is dark. And deep.')
  expect(await latestBody(signedIn, note)).toBe('The lamp burns.\n\nThe sea is dark. And deep.')
  await page.reload()
  await expect(page.locator('.prose')).toBeVisible()
  await expect(page.getByText('Your text isn’t saved yet')).toHaveCount(0)
})

test('a removed member can no longer write, but keeps their last text', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  await addMember(signedIn, library, another, 'editor')
  const note = await addNote(signedIn, library, 'The lamp burns.')
  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  const theirs = await write(tab, library, note)
  const mine = await write(page, library, note)
  await theirs.press('Control+End')
  await theirs.pressSequentially(' Before.')
  await expect(mine).toContainText('Before.')
  await expect(tab.getByText('Draft saved')).toBeVisible()

  // From here on, text isn't stored before the rights end.
  await tab.route('**/rpc/add_note_update*', () => undefined)
  await theirs.pressSequentially(' Mine.')
  await signedIn.client.from('members').delete().match({ library_id: library, user_id: another.id }).throwOnError()
  await expect(tab.getByText('You can no longer edit this note')).toBeVisible()
  await expect(theirs).toHaveAttribute('contenteditable', 'false')
  await expect(theirs).toContainText('Before. Mine.')
  const download = tab.waitForEvent('download')
  await tab.getByRole('button', { name: 'Close', exact: true }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe('The lamp burns. Before. Mine.')
  await expect(page.getByText('With Mary Somerville')).toHaveCount(0)
  await context.close()
})
