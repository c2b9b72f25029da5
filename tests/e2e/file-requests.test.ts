import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('an outsider sends files by a link, and an editor accepts one and discards another', async ({
  browser,
  page,
  signedIn,
  library,
}) => {
  const { data: collection } = await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: 'Offers' })
    .select('id')
    .single()
    .throwOnError()
  await page.goto(`/l/${library}?collection=${collection.id}`)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Request files…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Request files' })
  await dialog.getByLabel('What you’re asking for').fill('Offers for lamps')
  await dialog.getByLabel('Message to senders').fill('Please name a price.')
  await dialog.getByRole('checkbox', { name: 'Text', exact: true }).check()
  await expectAccessible(page, 'request files')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Link for senders').inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const outsider = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  const errors: unknown[] = []
  outsider.on('pageerror', (error) => errors.push(error))
  await outsider.goto(link)
  await expect(outsider.getByRole('heading', { name: 'Offers for lamps' })).toBeVisible()
  await expect(outsider.getByText('Please name a price.')).toBeVisible()
  await expect(outsider.getByText('Kinds: Text')).toBeVisible()
  await outsider.getByLabel('Choose files, or drop them here').setInputFiles([
    {
      name: 'offer.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('A lantern with whale oil costs twelve shillings.'),
    },
    { name: 'second.txt', mimeType: 'text/plain', buffer: Buffer.from('A candle costs a penny.') },
    { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('lamp,price\noil,12\n') },
  ])
  await expect(outsider.getByRole('listitem').filter({ hasText: 'offer.txt' })).toBeVisible()
  await outsider.getByLabel('Your name').fill('Eve')
  await outsider.getByLabel('Message (optional)').fill('Valid until May.')
  await outsider.getByRole('button', { name: 'Send 3 files' }).click()
  await expect(outsider.getByText('2 files have arrived.')).toBeVisible()
  const refused = outsider.getByRole('listitem').filter({ hasText: 'list.csv' })
  await expect(refused.getByRole('alert')).toHaveText('This kind of file isn’t accepted here.')
  await expectAccessible(outsider, 'send files')

  await expect(page.getByText('2 received files are waiting for you')).toBeVisible()
  await page.getByRole('button', { name: 'Review' }).click()
  const tray = page.getByRole('dialog', { name: 'Received files' })
  await expect(tray.getByText('Valid until May.').first()).toBeVisible()
  await expectAccessible(page, 'received files')
  await tray.getByRole('button', { name: 'Discard second.txt' }).click()
  await expect(tray.getByText('second.txt')).toHaveCount(0)
  await tray.getByRole('button', { name: 'Accept offer.txt' }).click()
  await expect(tray).toHaveCount(0)
  await expect(page.getByRole('article', { name: 'offer' })).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect
    .poll(async () => (await signedIn.client.rpc('search_passages', { library, query: 'whale oil' })).data?.length)
    .toBe(1)

  await page.goto(`/l/${library}/settings/mail`)
  const card = page.getByRole('article', { name: 'Offers for lamps' })
  await expect(card.getByText('2 of 50 files')).toBeVisible()
  await expect(card.getByText('Discarded')).toBeVisible()
  await expectAccessible(page, 'file requests')
  await card.getByRole('button', { name: 'New link…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create a new link' }).click()
  const replaced = await card.getByLabel('Link for senders').inputValue()
  await outsider.reload()
  await expect(outsider.getByRole('heading', { name: 'This link doesn’t accept files' })).toBeVisible()
  await outsider.goto(replaced)
  await expect(outsider.getByRole('heading', { name: 'Offers for lamps' })).toBeVisible()
  await card.getByRole('button', { name: 'Close…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close the request' }).click()
  await expect(card.getByText('Closed')).toBeVisible()
  await outsider.reload()
  await expect(outsider.getByRole('heading', { name: 'This link doesn’t accept files' })).toBeVisible()
  await outsider.goto('/r/guess')
  await expect(outsider.getByRole('heading', { name: 'This link doesn’t accept files' })).toBeVisible()
  expect(errors).toEqual([])
  await outsider.context().close()
})
