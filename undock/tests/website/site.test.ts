import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { firstPageBytes, MAX_BYTES } from '../../website/first-page.ts'
import { serveSite } from '../../website/serve.ts'
import { UNDOCK } from '../support/paths.ts'

let server: Server
let site = ''
const faults: string[] = []

test.beforeAll(async () => {
  server = await serveSite(0)
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
test.afterAll(() => void server.close())

test.beforeEach(({ page }) => {
  faults.length = 0
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
})
test.afterEach(() => expect(faults).toEqual([]))

const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark', colorScheme: 'dark', width: 1440, height: 900 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
  { name: 'dark phone', colorScheme: 'dark', width: 390, height: 844 },
] as const

const PAGES = ['/', '/guide/start', '/guide/compare', '/reference/undock-toml']

for (const { name, colorScheme, width, height } of LOOKS)
  test(`pages are accessible and don't overflow, ${name}`, async ({ page }, info) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    for (const path of PAGES) {
      await page.goto(site + path)
      await page.screenshot({ path: info.outputPath(`${path.replaceAll('/', '-')}.png`) })
      await expectAccessible(page, path)
      await expectNoOverflow(page, path)
    }
  })

test('the first page stays small', async ({ page }) => {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  let received = 0
  const requested: string[] = []
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    received += encodedDataLength
  })
  page.on('request', (request) => requested.push(new URL(request.url()).pathname.slice(1)))
  await page.goto(site, { waitUntil: 'networkidle' })
  const known = firstPageBytes(join(UNDOCK, 'website/dist'), '/')
  expect(received).toBeLessThan(MAX_BYTES)
  // The build's check counts everything the browser loads.
  const files = requested.filter((path) => path.startsWith('assets/')).toSorted()
  expect(known.files.map(({ file }) => file)).toEqual(expect.arrayContaining(files))
})

test('a search finds a command', async ({ page }) => {
  await page.goto(`${site}/guide/start`)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('undock snapshot save')
  await page.getByRole('option').first().click()
  await expect(page).toHaveURL(/snapshot/)
})

test('serves texts for language models', async ({ request }) => {
  const list = await (await request.get(`${site}/llms.txt`)).text()
  const links = [...list.matchAll(/\]\((\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(20)
  for (const path of links) expect((await request.get(site + path)).status(), path).toBe(200)
  expect(await (await request.get(`${site}/llms-full.txt`)).text()).toContain('## undock explain')
})

/** VitePress's own search button, whose accessible name lacks the shown key. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).exclude('.DocSearch-Button').analyze()
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
      what,
    )
    .toEqual([])
}

async function expectNoOverflow(page: Page, what: string): Promise<void> {
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
  expect.soft(width[0], what).toBeLessThanOrEqual(width[1] ?? 0)
}
