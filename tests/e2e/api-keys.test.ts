import { expectAccessible } from './accessibility.ts'
import { choose, expect, test } from './fixtures.ts'

test('an owner creates a key, and a program uses it until it is revoked', async ({
  page,
  signedIn,
  library,
  request,
}) => {
  await signedIn.client.rpc('add_note', { library, title: 'Tides', body: 'x' }).throwOnError()
  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: 'API keys' }).click()
  await expect(page.getByText('There are no keys yet.')).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('Import')
  await choose(page.getByLabel('Valid'), 'for 30 days')
  await page.getByRole('checkbox', { name: 'Read documents' }).uncheck()
  await page.getByRole('checkbox', { name: 'Comment', exact: true }).check()
  await expect(page.getByRole('checkbox', { name: 'Read comments' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'Read documents' })).toBeDisabled()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByLabel('API key', { exact: true }).inputValue()
  const address = await page.getByLabel('API address').inputValue()
  const ask = () => request.get(`${address}/documents`, { headers: { Authorization: `Bearer ${key}` } })
  expect(await (await ask()).json()).toMatchObject({ data: [{ title: 'Tides' }], total: 1 })
  await expect(page.getByRole('listitem').filter({ hasText: 'Import' })).toContainText('comments:read, comments:write')
  await expectAccessible(page, 'API keys')

  await page.getByRole('button', { name: 'Revoke key “Import”' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Import' })).toContainText('revoked on')
  expect((await ask()).status()).toBe(401)
  await page.goto(`/l/${library}/activity`)
  await expect(page.getByText('revoked the API key “Import”')).toBeVisible()
})
