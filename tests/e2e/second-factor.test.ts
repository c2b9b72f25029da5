import { expect, test } from './fixtures.ts'
import { totp } from './totp.ts'

test('a second factor is added, asked for at the next sign-in, and lifts the session', async ({ page, signedIn }) => {
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator' })).toBeVisible()
  const secret = (await page.locator('code').textContent()) ?? ''
  await page.getByLabel('Code that it shows').fill(totp(secret))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await expect(page.getByText('Two factors (aal2)')).toBeVisible()
  await expect(page.getByText('active', { exact: true })).toBeVisible()

  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Email').fill(signedIn.email)
  await page.getByLabel('Password', { exact: true }).fill(signedIn.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your second factor' })).toBeVisible()
  await page.goto('/settings/profile')
  await expect(page.getByRole('heading', { name: 'Your second factor' })).toBeVisible()

  await page.getByLabel('Code from your authenticator').fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('alert')).toContainText('does not match')
  await page.getByLabel('Code from your authenticator').fill(totp(secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
})
