import type { Page } from '@playwright/test'
import { expect, PASSWORD, test } from './fixtures.ts'

test.skip(!process.env.SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL, 'this backend has no sign-in provider')

const answer = async (page: Page, email: string, button: 'Allow' | 'Deny'): Promise<void> => {
  await page.getByLabel('Company address').fill(email)
  await page.getByRole('button', { name: button }).click()
}

test('signing in with a company’s provider creates an account and opens the requested page', async ({
  page,
  newAddress,
}) => {
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Continue with Keycloak' }).click()
  await answer(page, newAddress, 'Deny')
  await expect(page.getByText('The sign-in was refused or cancelled there.')).toBeVisible()
  await page.goto('/sign-in?next=/settings/security')
  await page.getByRole('button', { name: 'Continue with Keycloak' }).click()
  await answer(page, newAddress, 'Allow')
  await expect(page.getByRole('heading', { name: 'Security' })).toBeVisible()
  const linked = page.getByRole('list', { name: 'Linked accounts' })
  await expect(linked.getByText(newAddress)).toBeVisible()
  // The only sign-in method can't be removed.
  await expect(linked.getByRole('button')).toHaveCount(0)
})

test('a provider account is linked, signs in and is unlinked, but not if it belongs to another user', {
  tag: '@nightly',
}, async ({ page, signedIn, another, newAddress }) => {
  const company = `company-${newAddress}`
  const linked = page.getByRole('list', { name: 'Linked accounts' })
  const link = page.getByRole('button', { name: 'Link Keycloak' })
  await page.goto('/settings/security')
  await link.click()
  await answer(page, company, 'Allow')
  await expect(linked.getByText(company)).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('button', { name: 'Continue with Keycloak' }).click()
  await expect(page.getByText(`Now: ${signedIn.email}`)).toBeVisible()

  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByLabel('Email').fill(another.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await link.click()
  await expect(page.getByText('That account is already linked to someone.')).toBeVisible()

  await page.goto('/settings/security')
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('button', { name: 'Continue with Keycloak' }).click()
  await page.getByRole('button', { name: 'Unlink Keycloak' }).click()
  await expect(linked.getByText(company)).toHaveCount(0)
  await expect(linked.getByText(signedIn.email)).toBeVisible()
})
