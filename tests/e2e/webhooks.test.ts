import { readFile } from 'node:fs/promises'
import { expectAccessible } from './accessibility.ts'
import { choose, expect, test } from './fixtures.ts'

test('an owner adds and tests a webhook, and exports its audit log entries', async ({ page, signedIn, library }) => {
  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('http://hooks.example.org/')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByRole('alert')).toContainText('starts with https://')
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9/secret-path')
  await dialog.getByLabel('Description').fill('=HYPERLINK("x")')
  await dialog.getByLabel('Someone comments').check()
  await expectAccessible(page, 'the form of a webhook')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('textbox', { name: 'Secret' })).toHaveValue(/^whsec_/)

  // This address isn't allowed, and a test is sent once.
  const webhook = page.getByRole('listitem', { name: 'http://127.0.0.1:9/secret-path' })
  await webhook.getByRole('button', { name: 'Send a test event' }).click()
  const delivery = webhook.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
  await expect(delivery.getByRole('img', { name: 'Not delivered' })).toBeVisible()
  await delivery.getByText('webhook.test').first().click()
  await expect(delivery).toContainText('127.0.0.1:9 isn’t on the public internet.')
  await expect(delivery.getByRole('button', { name: 'Send again' })).toBeVisible()
  await expectAccessible(page, 'the webhooks of a library')
  await webhook.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Replace the secret' }).click()
  await dialog.getByRole('button', { name: 'Create a new secret' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Secret' })).toHaveValue(/^whsec_/)
  await page.keyboard.press('Escape')

  const name = '=cmd|"/c calc"!A1'
  await signedIn.client.from('tags').insert({ library_id: library, name }).throwOnError()
  await page.getByRole('link', { name: 'Activity', exact: true }).click()
  await page.getByRole('radio', { name: 'Audit log' }).click()
  const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
  await expect(entries.filter({ hasText: 'replaced the secret of the webhook' })).toContainText('127.0.0.1:9')
  await expect(page.getByText('secret-path')).toHaveCount(0)
  await choose(page.getByLabel('What'), 'Collections, tags and fields')
  await expect(entries).toHaveText([/added the tag/])
  await expectAccessible(page, 'the audit log')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/-audit-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('"tag.added"')
  await choose(page.getByLabel('What'), 'Exports of this log')
  await expect(entries.first()).toContainText('exported the audit log')
})
