import type { Page } from '@playwright/test'
import { startCompany } from '../support/company.ts'
import { expectAccessible } from './accessibility.ts'
import { choose, enter, expect, test } from './fixtures.ts'

/** The DNS of the backend's functions; scripts/nightly.ts sets it and turns SAML on. */
const RESOLVER = process.env.SUPABASE_EDGE_RUNTIME_SECRETS_DOMAIN_RESOLVER
test.skip(!RESOLVER, 'this backend has no resolver of the test')

/** The domain of all test addresses. */
const DOMAIN = 'example.org'

const signInAtCompany = async (page: Page, email: string): Promise<void> => {
  await page.getByLabel('Company address').fill(email)
  await page.getByRole('button', { name: 'Sign in to the company' }).click()
}

test('an owner sets up company sign-in, colleagues join, and must use it once it is required', async ({
  page,
  signedIn,
  library,
  another,
  newAddress,
  browser,
}) => {
  const company = await startCompany(Number(new URL(RESOLVER ?? '').port))
  try {
    await signedIn.client.from('libraries').update({ name: 'Lamp room' }).eq('id', library).throwOnError()
    const { data: invited } = await signedIn.client
      .rpc('invite_member', { library, email: another.email, role: 'editor' })
      .throwOnError()
    const invitation = (invited as { id: string }).id
    await another.client.rpc('accept_invitation', { invitation }).throwOnError()
    await page.goto(`/l/${library}/settings`)
    await page.getByRole('link', { name: 'Single sign-on' }).click()
    await expect(page.getByRole('heading', { name: 'No company yet' })).toBeVisible()
    await page.getByLabel('Your company’s email domain').fill('gmail.com')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText('This domain belongs to a public email provider.')
    await page.getByLabel('Your company’s email domain').fill(DOMAIN)
    await page.keyboard.press('Enter')
    const card = page.getByRole('article', { name: DOMAIN })
    await card.getByRole('button', { name: 'Check the record' }).click()
    await expect(card.getByRole('alert')).toContainText('The domain doesn’t have this record yet.')
    await expectAccessible(page, 'an unverified domain')
    const field = (name: string) => card.getByRole('textbox', { name })
    company.records.set(await field('TXT record name').inputValue(), await field('Value').inputValue())
    await card.getByRole('button', { name: 'Check the record' }).click()

    await expect(field('Reply address (ACS URL)')).toHaveValue(/\/auth\/v1\/sso\/saml\/acs$/)
    await card.getByRole('button', { name: 'Set up' }).click()
    await expect(card.getByRole('alert')).toContainText('starts with https://')
    await choose(card.getByLabel('Its metadata'), 'A file')
    const metadata = { name: 'metadata.xml', mimeType: 'text/xml' }
    await card.getByLabel('File with the metadata').setInputFiles({ ...metadata, buffer: Buffer.from('<x/>') })
    await card.getByRole('button', { name: 'Set up' }).click()
    await expect(card.getByRole('alert')).toContainText('The metadata isn’t accepted')
    await expectAccessible(page, 'a domain without an identity provider')
    await card
      .getByLabel('File with the metadata')
      .setInputFiles({ ...metadata, buffer: Buffer.from(company.metadata) })
    await card.getByRole('button', { name: 'Set up' }).click()
    await expect(card.getByText('In use')).toBeVisible()
    await card.getByLabel('Company name').fill('Northern Lights')
    await choose(card.getByLabel('People who are not members yet'), 'Become readers')
    await expect(card.getByText('When they sign in with the company')).toBeVisible()

    // A colleague without an account, who first mistypes the address.
    const context = await browser.newContext()
    const colleague = await context.newPage()
    // Where the auth service redirects rejected people.
    const faults = { error: 'invalid_request', error_code: 'saml_assertion_no_email', error_description: 'No address' }
    await colleague.goto(`/?${new URLSearchParams(faults)}`)
    await expect(colleague.getByRole('heading', { name: 'Your company couldn’t sign you in' })).toBeVisible()
    // IdP-initiated sign-in arrives with an unrequested session.
    await colleague.goto('/#access_token=a&refresh_token=b&token_type=bearer')
    await expect(colleague.getByText('Sign-in has to start there.')).toBeVisible()
    await expect(colleague).toHaveURL(/\/auth\/callback\?error_code=saml_unsolicited$/)
    await colleague.getByRole('link', { name: 'Back to sign-in' }).click()
    await colleague.getByLabel('Email').fill('somebody@elsewhere.example')
    await colleague.getByRole('button', { name: 'Sign in with your company' }).click()
    await expect(colleague.getByText('No company with emails at elsewhere.example')).toBeVisible()
    await expectAccessible(colleague, 'company sign-in')
    await colleague.getByLabel('Your company email').fill(`colleague-${newAddress}`)
    await colleague.keyboard.press('Enter')
    await signInAtCompany(colleague, `colleague-${newAddress}`)
    await expect(colleague.getByRole('heading', { name: 'An empty shelf' })).toBeVisible()
    await colleague.goto('/settings/security')
    await expect(colleague.getByRole('heading', { name: 'Company account' })).toBeVisible()
    await expect(colleague.getByLabel('New email')).toHaveCount(0)
    await context.close()

    // Required: a member with a password is asked to sign in with the company, and returns to where they were.
    await card.getByLabel('Require company sign-in').click()
    await expect(card.getByText('Required', { exact: true })).toBeVisible()
    await expectAccessible(page, 'required company sign-in')
    const other = await browser.newContext()
    const member = await other.newPage()
    await enter(member, another)
    await member.goto('/')
    await expect(member.getByText('One of your libraries asks you to sign in with Northern Lights.')).toBeVisible()
    await expect(member.getByRole('link', { name: 'Lamp room' })).toHaveCount(0)
    await member.goto(`/l/${library}/members`)
    await expect(member.getByRole('heading', { name: 'This library asks you to sign in with' })).toBeVisible()
    await expectAccessible(member, 'a library that requires company sign-in')
    await member.getByRole('button', { name: 'Sign in with Northern Lights' }).click()
    await signInAtCompany(member, another.email)
    await expect(member).toHaveURL(new RegExp(`/l/${library}/members$`))
    await expect(member.getByRole('main').getByText(signedIn.name)).toBeVisible()
    await other.close()

    await page.reload()
    await expect(card.getByText('Required', { exact: true })).toBeVisible()
    await card.getByRole('button', { name: 'Remove…' }).click()
    const dialog = page.getByRole('dialog')
    await expectAccessible(page, 'confirming the removal of a domain')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'No company yet' })).toBeVisible()
  } finally {
    await company.stop()
  }
})
