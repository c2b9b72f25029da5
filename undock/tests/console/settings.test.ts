import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('changes a setting, shows the diff and applies it immediately', async ({ page, backend: { stack, folder } }) => {
  const file = join(folder, 'supabase', 'config.toml')
  const before = await readFile(file, 'utf8')
  await page.goto('/settings?group=auth')
  await page.getByRole('checkbox', { name: 'Allow new users to sign up' }).uncheck()
  await page.getByRole('spinbutton', { name: 'Emails per hour' }).fill('9')
  await page.getByRole('spinbutton', { name: 'Emails per hour' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Write the settings' })
  await expect(dialog.getByRole('region', { name: 'supabase/config.toml' })).toContainText('+ enable_signup = false')
  await expect(dialog).toContainText('The running backend applies this immediately.')
  await expectAccessible(page)
  expect(await readFile(file, 'utf8')).toBe(before)
  await dialog.getByRole('button', { name: 'Write' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('checkbox', { name: 'Allow new users to sign up' })).not.toBeChecked()
  expect(await readFile(file, 'utf8')).toBe(
    `${before}\n[auth]\nenable_signup = false\n\n[auth.rate_limit]\nemail_sent = 9\n`,
  )
  const client = createClient(stack.url, stack.identity.keys.publishable, { auth: { persistSession: false } })
  const { error } = await client.auth.signUp({ email: 'settings@example.com', password: 'secret-secret' })
  expect(error?.code).toBe('signup_disabled')

  // Restoring the default removes the line.
  await page.getByRole('button', { name: 'Use the default of Emails per hour' }).click()
  await page.getByRole('button', { name: 'Review …' }).click()
  await expect(dialog.getByRole('region', { name: 'supabase/config.toml' })).toContainText('- email_sent = 9')
  await dialog.getByRole('button', { name: 'Write' }).click()
  await expect(dialog).toBeHidden()
  expect(await readFile(file, 'utf8')).not.toContain('email_sent')

  await page.goto('/settings?group=secrets')
  await page.getByLabel('Name of another secret').fill('API_TOKEN')
  await page.getByLabel('Its value').fill('s3cret-value')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Review …' }).click()
  await expect(dialog).toContainText('supabase/.env.local gets API_TOKEN')
  await expect(dialog).not.toContainText('s3cret-value')
  await dialog.getByRole('button', { name: 'Write' }).click()
  await expect(page.getByLabel('Value of API_TOKEN')).toHaveValue('')
  expect(await readFile(join(folder, 'supabase', '.env.local'), 'utf8')).toBe("API_TOKEN='s3cret-value'\n")

  // Another program writes the file while the page is open.
  await page.goto('/settings?group=auth')
  await page.getByRole('checkbox', { name: 'Allow new users to sign up' }).check()
  await writeFile(file, `${before}# by hand\n`)
  await page.getByRole('button', { name: 'Review …' }).click()
  await expect(dialog.getByRole('alert')).toContainText('has changed since this page read it')
  await writeFile(file, before)
})
