import type { Request } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** The maximum number of bytes of files, compressed and with headers, until the overview is usable. */
const LIMIT = 240_000

test('the first load of the console is small', async ({ page }) => {
  const requests: Request[] = []
  page.on('requestfinished', (request) => requests.push(request))
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Connect an app' })).toBeVisible()
  await page.evaluate(() => document.fonts.ready)

  // Results grow with what other tests did.
  const files = requests.filter((request) => !new URL(request.url()).pathname.startsWith('/api/'))
  const received = files.map(async (request) => {
    const { responseHeadersSize, responseBodySize } = await request.sizes()
    return [new URL(request.url()).pathname, responseHeadersSize + responseBodySize] as const
  })
  const sizes = (await Promise.all(received)).toSorted((a, b) => b[1] - a[1])
  const total = sizes.reduce((sum, [, size]) => sum + size, 0)
  expect(total, sizes.map(([path, size]) => `${size} ${path}`).join('\n')).toBeLessThan(LIMIT)
})
