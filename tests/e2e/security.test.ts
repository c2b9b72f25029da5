import type { CDPSession, Page } from '@playwright/test'
import { expect, PASSWORD, signIn, test } from './fixtures.ts'

/** A virtual device for passkeys. They need a domain, so these pages are opened at localhost. */
async function withAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return session
}

test('a passkey is added, named, signs in without a password, and is deleted', async ({ page, person, baseURL }) => {
  const site = (baseURL ?? '').replace('127.0.0.1', 'localhost')
  test.skip(!site.endsWith(':4173'), 'supabase/config.toml allows passkeys at port 4173, which another program uses')
  await withAuthenticator(page)
  await page.goto(`${site}/sign-in`)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'My libraries' }).waitFor()
  await page.goto(`${site}/settings/security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: /^Rename/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('This laptop')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const passkeys = page.getByRole('list', { name: 'Passkeys' })
  await expect(passkeys.getByText('This laptop')).toBeVisible()

  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Security' })).toBeVisible()
  await expect(passkeys.getByText(/last used/)).toBeVisible()
  await page.getByRole('button', { name: 'Remove This laptop' }).click()
  await expect(passkeys).toHaveCount(0)
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('This passkey isn’t known here')
})

test('passkeys are not offered in a browser that does not support them', { tag: '@nightly' }, async ({
  page,
  signedIn,
}) => {
  expect(signedIn.email).toBeTruthy()
  await page.goto('/settings/security')
  await expect(page.getByRole('list', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0)
})

test("only the project's sign-in providers are offered", { tag: '@nightly' }, async ({ page }) => {
  await page.route('**/auth/v1/settings', (route) =>
    route.fulfill({ json: { external: { google: true, github: false, email: true }, disable_signup: false } }),
  )
  const asked: string[] = []
  await page.route('**/auth/v1/authorize**', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ body: 'the provider' })
  })
  await page.goto('/sign-in?next=/settings/profile')
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await expect(page.getByText('the provider')).toBeVisible()
  const { searchParams } = new URL(asked[0] ?? '')
  expect(searchParams.get('provider')).toBe('google')
  expect(searchParams.get('redirect_to')).toMatch(/\/auth\/callback\?next=%2Fsettings%2Fprofile$/)
  expect(searchParams.get('code_challenge_method')).toBe('s256')
})

test('a session in another browser is listed and ended', { tag: '@nightly' }, async ({ browser, page, signedIn }) => {
  const tab = await (await browser.newContext()).newPage()
  await signIn(tab, signedIn)
  await page.goto('/settings/security')
  const sessions = page.getByRole('list', { name: 'Sessions' })
  await expect(sessions.getByText('this one')).toBeVisible()
  // The test's own client is a third session.
  const others = sessions.getByRole('button', { name: /^Sign out/ })
  const before = await others.count()
  expect(before).toBeGreaterThanOrEqual(2)
  await sessions.getByRole('button', { name: /^Sign out Chrome/ }).click()
  await expect(others).toHaveCount(before - 1)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await expect(others).toHaveCount(0)
  await expect(page.getByText('You’re signed out everywhere else')).toBeVisible()
  await tab.context().close()
})

test('an email change needs confirmation from both mailboxes', async ({ page, signedIn, mailbox, newAddress }) => {
  const after = `after-${newAddress}`
  await page.goto('/settings/security')
  await page.getByLabel('New email').fill(after)
  await page.getByRole('button', { name: 'Change email' }).click()
  await expect(page.getByText('We’ve sent two emails')).toBeVisible()
  const [old, fresh] = [await mailbox.nextTo(signedIn.email), await mailbox.nextTo(after)]
  await page.goto(old.link)
  await page.getByRole('button', { name: 'Confirm the change' }).click()
  await expect(page.getByText('Now open the link we sent to the new one.')).toBeVisible()
  await page.goto(fresh.link)
  await page.getByRole('button', { name: 'Confirm the change' }).click()
  await expect(page.getByRole('heading', { name: 'Security' })).toBeVisible()
  await expect(page.getByText(`Now: ${after}`)).toBeVisible()
})

test('a taken email is rejected without revealing it', { tag: '@nightly' }, async ({ page, signedIn, another }) => {
  expect(signedIn.email).toBeTruthy()
  await page.goto('/settings/security')
  await page.getByLabel('New email').fill(another.email)
  await page.getByRole('button', { name: 'Change email' }).click()
  await expect(page.getByRole('alert')).toContainText('This email already has an account')
})

test('an account is deleted after typing its address and handing over its libraries', async ({
  page,
  signedIn,
  another,
}) => {
  const { data: shared } = await signedIn.client.rpc('create_library', { name: 'Shared' }).throwOnError()
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library: shared.id, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Delete my account…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type your email to continue').fill('me@example.org')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(dialog.getByText('That isn’t your email.')).toBeVisible()
  await dialog.getByLabel('Type your email to continue').fill(signedIn.email)
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(dialog.getByText('You are the only owner of Shared.')).toBeVisible()

  await signedIn.client
    .from('members')
    .update({ role: 'owner' })
    .eq('library_id', shared.id)
    .eq('user_id', another.id)
    .throwOnError()
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await page.getByLabel('Email').fill(signedIn.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('do not match')
  const { data: members } = await another.client
    .from('members')
    .select('role')
    .eq('library_id', shared.id)
    .throwOnError()
  expect(members).toEqual([{ role: 'owner' }])
})
