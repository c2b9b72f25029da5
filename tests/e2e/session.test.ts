import { backend, expect, test } from './fixtures.ts'

/** The access token's expiry on the security screen. */
const expiryOf = (page: import('@playwright/test').Page) =>
  page.getByText('renewed automatically before that').locator('xpath=preceding-sibling::time').getAttribute('datetime')

test('the token is refreshed after an hour without a visible change', async ({ page, signedIn }) => {
  expect(signedIn.email).toBeTruthy()
  await page.clock.install()
  await page.goto('/settings/security')
  await page.getByLabel('New email').fill('half-typed')
  const before = await expiryOf(page)
  const renewed = page.waitForResponse((response) => response.url().includes('grant_type=refresh_token'))
  await page.clock.fastForward('59:30')
  expect((await renewed).status()).toBe(200)
  await expect.poll(() => expiryOf(page)).not.toBe(before)
  await expect(page.getByLabel('New email')).toHaveValue('half-typed')
  await expect(page).toHaveURL(/\/settings\/security$/)
})

test('a session ended in another browser ends when its token is due for a refresh', async ({
  page,
  context,
  signedIn,
}) => {
  const other = await context.newPage()
  await other.goto('/settings/appearance')
  await page.clock.install()
  await page.goto('/settings/profile')
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await signedIn.client.auth.signOut({ scope: 'global' })
  // Renewal is refused, but the current token is valid for half a minute.
  const refused = page.waitForResponse((response) => response.url().includes('grant_type=refresh_token'))
  await page.clock.fastForward('59:30')
  expect((await refused).status()).toBe(400)
  await page.clock.fastForward('01:00')
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
  await expect(other.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
})

test('an unreachable backend during a refresh does not end the session', { tag: '@nightly' }, async ({
  page,
  signedIn,
}) => {
  expect(signedIn.email).toBeTruthy()
  await page.clock.install()
  await page.goto('/settings/profile')
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await page.route(`${backend.url}/auth/v1/token**`, (route) => route.abort('connectionrefused'))
  await page.clock.fastForward('59:30')
  await page.clock.fastForward('01:00')
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
  await page.unroute(`${backend.url}/auth/v1/token**`)
  const renewed = page.waitForResponse((response) => response.url().includes('grant_type=refresh_token'))
  await page.clock.fastForward('01:00')
  expect((await renewed).status()).toBe(200)
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
})

test('an account change shows in other tabs', { tag: '@nightly' }, async ({ page, context, signedIn, newAddress }) => {
  expect(signedIn.email).toBeTruthy()
  const other = await context.newPage()
  await other.goto('/settings/security')
  await other.getByText('Technical details').waitFor()
  await page.goto('/settings/security')
  await page.getByLabel('New email').fill(`next-${newAddress}`)
  await page.getByRole('button', { name: 'Change email' }).click()
  await expect(other.getByText(`and to next-${newAddress}`)).toBeVisible()
})

test("a link with another account's session needs a click", {
  tag: '@nightly',
}, async ({ page, signedIn, another }) => {
  const { data } = await another.client.auth.getSession()
  const { access_token = '', refresh_token = '' } = data.session ?? {}
  const link = `/auth/callback#${new URLSearchParams({ access_token, refresh_token, type: 'invite' })}`
  await page.goto(link)
  await expect(page.getByRole('button', { name: 'Open it' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByRole('button', { name: `Account of ${signedIn.name}` })).toBeVisible()
  await page.goto(link)
  await page.getByRole('button', { name: 'Open it' }).click()
  await expect(page.getByRole('button', { name: `Account of ${another.name}` })).toBeVisible()
})

test('signing in works with the keyboard alone', async ({ page, person }) => {
  await page.goto('/sign-in')
  await page.getByLabel('Email').focus()
  await page.keyboard.type(person.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'My libraries' })).toBeVisible()
})
