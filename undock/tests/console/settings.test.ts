import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('a setting is changed, its difference is shown, and what is written holds at once', async ({
  page,
  backend: { stack, folder },
}) => {
  const file = join(folder, 'supabase', 'config.toml')
  const before = await readFile(file, 'utf8')
  await page.goto('/settings?group=auth')
  await page.getByLabel('New users may sign up').uncheck()
  await page.getByLabel('Mails in an hour').fill('9')
  await page.getByLabel('Mails in an hour').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Write the settings' })
  await expect(dialog.getByRole('region', { name: 'supabase/config.toml' })).toContainText('+ enable_signup = false')
  await expect(dialog).toContainText('From the next start of the backend: auth.rate_limit.email_sent')
  await expectAccessible(page)
  expect(await readFile(file, 'utf8')).toBe(before)
  await dialog.getByRole('button', { name: 'Write' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('New users may sign up')).not.toBeChecked()
  expect(await readFile(file, 'utf8')).toBe(
    `${before}\n[auth]\nenable_signup = false\n\n[auth.rate_limit]\nemail_sent = 9\n`,
  )
  const client = createClient(stack.url, stack.identity.keys.publishable, { auth: { persistSession: false } })
  const { error } = await client.auth.signUp({ email: 'settings@example.com', password: 'secret-secret' })
  expect(error?.code).toBe('signup_disabled')

  // Another program writes the file while the page is open.
  await page.getByLabel('New users may sign up').check()
  await writeFile(file, `${before}# by hand\n`)
  await page.getByRole('button', { name: 'Review …' }).click()
  await expect(dialog.getByRole('alert')).toContainText('has changed since this page read it')
  await writeFile(file, before)
})
