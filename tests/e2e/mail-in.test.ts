import { OUTLOOK } from '../support/sample-mails.ts'
import { expectAccessible } from './accessibility.ts'
import { backend, choose, expect, test } from './fixtures.ts'

/** The backend's secret (scripts/nightly.ts). */
const SECRET = process.env.SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_IN_SECRET

async function mail(message: string, to: string): Promise<number> {
  const response = await fetch(`${backend.url}/functions/v1/receive-mail`, {
    method: 'POST',
    body: message,
    headers: { 'Content-Type': 'message/rfc822', Authorization: `Bearer ${SECRET}`, 'X-Mail-To': to },
  })
  return response.status
}

test("emails to a collection's address become notes, until the address is replaced", async ({
  page,
  signedIn,
  library,
}) => {
  await signedIn.client.from('collections').insert({ library_id: library, name: 'Letters' }).throwOnError()
  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: 'Emails and file requests' }).click()
  await expect(page.getByRole('heading', { name: 'No addresses yet' })).toBeVisible()
  await choose(page.getByLabel('New address adds documents to'), 'Letters')
  await page.getByRole('button', { name: 'Create an address' }).click()
  const card = page.getByRole('article', { name: 'Letters' })
  const field = card.getByRole('textbox', { name: 'Address' })
  await expect(field).toHaveValue(/^letters\+[a-z2-7]{20}@in\.example\.org$/)
  const address = await field.inputValue()

  expect(await mail(OUTLOOK, address)).toBe(403)
  await choose(card.getByLabel('Who may send'), 'Anyone who knows the address')
  await expect(card.getByText('which can be forged')).toBeHidden()
  await expect.poll(() => mail(OUTLOOK, address)).toBe(200)
  await page.reload()
  await expect(card.getByRole('listitem')).toHaveText([/Angebot für Lampen.*Jörg Müller2 documents added/, /Rejected/])
  await expectAccessible(page, 'mail addresses')

  await card.getByRole('link', { name: '2 documents added' }).click()
  await expect(page.getByRole('heading', { name: 'Angebot für Lampen' })).toBeVisible()
  await expect(page.locator('img[src*="/pictures/"]')).toHaveJSProperty('naturalWidth', 1)
  await expect(page.getByText('By email from')).toBeVisible()
  await page.getByRole('link', { name: 'Angebot.pdf' }).first().click()
  await expect(page.getByText('By email from')).toBeVisible()

  await page.goto(`/l/${library}/settings/mail`)
  await card.getByRole('button', { name: 'Replace…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await expect(field).not.toHaveValue(address)
  expect(await mail(OUTLOOK, address)).toBe(404)
  await card.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the address' }).click()
  await expect(card).toBeHidden()
})
