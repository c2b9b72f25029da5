import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { backend, expect, filter, test } from './fixtures.ts'

test('a retention rule is previewed, enabled and moves documents, but not one with a legal hold', async ({
  page,
  signedIn,
  library,
}) => {
  const admin = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  const ids: Record<string, string> = {}
  for (const title of ['Old lamp', 'Held lamp', 'New lamp']) {
    const { data } = await signedIn.client.rpc('add_note', { library, title, body: 'x' }).throwOnError()
    ids[title] = data.id
    if (title === 'New lamp') continue
    await admin.from('documents').update({ created_at: '2015-01-01T00:00:00Z' }).eq('id', data.id).throwOnError()
  }
  await page.goto(`/l/${library}/d/${ids['Held lamp']}`)
  await page.getByRole('button', { name: 'Actions for Held lamp' }).click()
  await page.getByRole('menuitem', { name: 'Place a legal hold…' }).click()
  await page.getByLabel('Reason, shown to everyone who can see the document').fill('Case 12')
  await page.getByRole('button', { name: 'Place the hold' }).click()
  await expect(page.getByText('On legal hold')).toBeVisible()

  await page.goto(`/l/${library}/settings`)
  await page.getByRole('link', { name: /^Retention/ }).click()
  await page.getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('How many').fill('5')
  await dialog.getByLabel('Days in the trash').fill('90')
  await expectAccessible(page, 'a new rule')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const rules = page.getByRole('list', { name: 'Rules' })
  await expect(rules).toContainText('Moved to the trash 5 years after a document was added.')
  await expect(rules).toContainText('Documents it would move now or in the next 30 days: 1')
  await expect(rules.getByRole('link', { name: 'Old lamp' })).toBeVisible()
  await page.getByRole('button', { name: 'Switch on: The whole library' }).click()
  await expect(rules).toContainText('Documents it moves now or in the next 30 days: 1')
  await expect(page.getByRole('list', { name: 'Legal holds' })).toContainText('Case 12')
  await expectAccessible(page, 'retention')

  await admin.rpc('apply_retention').throwOnError()
  await page.getByRole('link', { name: 'Inbox, 1 unread notification' }).click()
  await expect(page.getByText('Documents a retention rule will move to the trash in about a week: 1')).toBeVisible()
  await page.getByRole('link', { name: /^Retention/ }).click()
  await expect(page.getByRole('heading', { name: 'Retention', level: 1 })).toBeVisible()
  const lastWeek = new Date(Date.now() - 8 * 86_400_000).toISOString()
  await admin.from('retention_rules').update({ warned_at: lastWeek }).eq('library_id', library).throwOnError()
  await admin.rpc('apply_retention').throwOnError()
  await page.goto(`/l/${library}/trash`)
  await expect(page.getByText('deleted in 90 days')).toHaveCount(1)
  await page.goto(`/l/${library}/activity`)
  await expect(page.getByText('A retention rule put “Old lamp” in the trash')).toBeVisible()
  await page.goto(`/l/${library}/settings/retention`)
  await page.getByRole('button', { name: 'Lift the hold on “Held lamp”' }).click()
  await expect(page.getByText('No document is on hold.')).toBeVisible()
})

test('a document is verified until a date, its verifier is reminded, and the shelf finds overdue ones', async ({
  page,
  signedIn,
  library,
}) => {
  const admin = createClient(backend.url, backend.secret, { auth: { persistSession: false } })
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Fire drill', body: 'x' })
    .throwOnError()
  await signedIn.client.rpc('add_note', { library, title: 'Lamps', body: 'x' }).throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Verify…' }).click()
  const dialog = page.getByRole('dialog')
  await expectAccessible(page, 'a verification')
  await dialog.getByLabel('Valid until').fill('2099-01-31')
  await dialog.getByRole('button', { name: 'Verify', exact: true }).click()
  await expect(page.getByText('Verified until Jan 31, 2099')).toBeVisible()

  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await admin.from('documents').update({ verified_until: yesterday }).eq('id', note.id).throwOnError()
  await expect(page.getByText('Verification ended')).toBeVisible()
  await admin.rpc('remind_of_verifications').throwOnError()
  await page.goto('/inbox')
  await expect(page.getByText('Please check whether this document is still valid')).toBeVisible()

  await page.goto(`/l/${library}`)
  await filter(page, 'Verification', 'Needs verifying again')
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(page.getByRole('article')).toContainText('Verification ended')
  await expectAccessible(page, 'due documents')
})
