import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test('turns clock and failures on, shows them on every screen, and turns them off immediately', async ({
  page,
  backend: { stack },
}) => {
  const client = createClient(stack.url, stack.identity.keys.publishable, { db: { retry: false } })
  const books = async () => (await client.from('books').select('id').limit(1)).status
  await page.goto('/time-and-faults')
  const banner = page.getByRole('region', { name: 'Simulated' })
  await expect(page.getByText("It is the machine's own time.")).toBeVisible()
  await expect(banner).toBeHidden()

  await page.getByRole('button', { name: '+ 1 hour' }).click()
  await page.getByLabel('Set forward by').fill('1h30m')
  await page.getByRole('button', { name: 'Set forward', exact: true }).click()
  await expect(banner).toContainText('The clock is 2 hours 30 minutes ahead.')
  expect(Math.round((stack.clock.now().getTime() - Date.now()) / 60_000)).toBe(150)
  await page.getByLabel('Set forward by').fill('soon')
  await page.getByRole('button', { name: 'Set forward', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('"soon" is no duration')

  await page.getByLabel('Failure of rest').selectOption('with 503')
  await page.getByLabel('Requests to rest that fail').selectOption('the next 2 requests')
  await expect(banner).toContainText('rest fails with 503, 2 more times.')
  // A switch changes before the backend has responded.
  await expect.poll(() => stack.faults.state.failures).toEqual({ rest: { status: 503, times: 2 } })
  expect([await books(), await books(), await books()]).toEqual([503, 503, 200])
  await page.getByLabel('Delay of auth in milliseconds').fill('25')
  await page.getByLabel('Delay of auth in milliseconds').press('Enter')
  await expect(banner).toContainText('auth answers 25 ms later.')
  await page.getByLabel('Offline').check()
  await expect(banner).toContainText('The API is offline.')
  await expect.poll(() => stack.faults.state.isOffline).toBe(true)
  expect(await books()).toBe(0)
  await expectAccessible(page, 'what is simulated')

  await page.goto('/branches')
  await expect(page.getByRole('heading', { name: 'This backend has no branches' })).toBeVisible()
  await expectAccessible(page, 'a backend without branches')
  await banner.getByRole('button', { name: 'Turn all off' }).click()
  await expect(banner).toBeHidden()
  expect(await books()).toBe(200)
  expect(stack.clock.offset).toBe(0)
  expect(stack.faults.state).toEqual({ isOffline: false, delays: {}, failures: {} })
})
