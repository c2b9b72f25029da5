import { enter, expect, signIn, test } from './fixtures.ts'
import { STEP_MS, totp } from './totp.ts'

test('a second factor is added, requested at the next sign-in, and raises the session', async ({ page, signedIn }) => {
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator' })).toBeVisible()
  const secret = (await page.locator('code').textContent()) ?? ''
  await expect(page.getByLabel('Code it shows')).toBeFocused()
  await page.keyboard.type(`${totp(secret)}\n`)
  await expect(page.getByText('Confirmed in this session')).toBeVisible()
  await expect(page.getByText('active', { exact: true })).toBeVisible()

  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Email').fill(signedIn.email)
  await page.getByLabel('Password', { exact: true }).fill(signedIn.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your second factor' })).toBeVisible()
  await page.goto('/settings/profile')
  await expect(page.getByRole('heading', { name: 'Your second factor' })).toBeVisible()

  await expect(page.getByLabel('Code from your authenticator')).toBeFocused()
  await page.keyboard.type('000000\n')
  await expect(page.getByRole('alert')).toContainText('doesn’t match')
  // Codes are valid only once, and the previous one enabled the factor.
  await page.keyboard.type(`${totp(secret, Date.now() + STEP_MS)}\n`)
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
})

test('an owner requires a second factor for a library, which hides it from other sessions', {
  tag: '@nightly',
}, async ({ browser, page, signedIn, another }) => {
  const { data: library } = await signedIn.client.rpc('create_library', { name: 'Behind two locks' }).throwOnError()
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library: library.id, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Add an authenticator' }).click()
  const secret = (await page.locator('code').textContent()) ?? ''
  await page.getByLabel('Code it shows').fill(totp(secret))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await expect(page.getByText('Keep a backup')).toBeVisible()
  await page.goto(`/l/${library.id}/settings`)
  // Of three quick changes, none is lost, and the last one wins.
  const box = page.getByRole('checkbox', { name: 'Require a second factor from all members' })
  await box.click({ clickCount: 3, delay: 5 })
  await expect(box).toBeFocused()
  await expect(box).toBeChecked()
  await expect
    .poll(async () => {
      const { data } = await another.client.from('libraries').select('id').throwOnError()
      return data
    })
    .toEqual([])

  const tab = await (await browser.newContext()).newPage()
  await enter(tab, another)
  await tab.goto('/')
  await expect(tab.getByText('One of your libraries asks for a second factor.')).toBeVisible()
  await expect(tab.getByText('Behind two locks')).toHaveCount(0)
  await tab.goto(`/l/${library.id}`)
  await expect(tab.getByRole('heading', { name: 'There’s nothing here' })).toBeVisible()
  await tab.context().close()

  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Add an authenticator' })).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await signIn(page, signedIn)
  await expect(page.getByText('One of your libraries asks for a second factor.')).toBeVisible()
})
