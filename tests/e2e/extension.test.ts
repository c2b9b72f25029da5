import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BrowserContext, chromium, type Page, type Worker } from '@playwright/test'
import { z } from 'zod'
import { extensionFiles } from '../../scripts/extension.ts'
import { CHROMIUM } from '../../undock/tests/support/chromium.ts'
import { expectAccessible } from './accessibility.ts'
import { test as base, choose, expect } from './fixtures.ts'

/** Headless shells don't support extensions. */
const WHOLE = process.env.WHOLE_CHROMIUM_PATH ?? '/usr/bin/chromium'

/** A page that only signed-in people see. */
const FOREIGN = `<!doctype html><title>Keeping lamps</title><main><h1>Keeping lamps</h1>
  <p>Trim the wick each evening before the lamp is lit, or it will smoke.</p>
  <p>Whale oil burns longer than olive oil, and leaves <a href="/soot">less soot</a> on the glass.</p></main>
  <form><input name="password" value="a word that nobody else should read"></form>`

type Fixtures = { foreign: string; extension: Worker; options: Page }

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  foreign: async ({}, use) => {
    const server = createServer(({ headers: { cookie } }, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(cookie === 'member=1' ? FOREIGN : '<!doctype html><title>Sign in</title><p>Members only.</p>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await use(`http://localhost:${port}`)
    server.close()
  },
  context: async ({ baseURL, foreign, colorScheme }, use) => {
    if (!existsSync(WHOLE))
      throw new Error('Extensions need a whole Chromium: `apt-get install chromium`, or set WHOLE_CHROMIUM_PATH.')
    const address = z.string().parse(baseURL)
    const folder = mkdtempSync(join(tmpdir(), 'extension-'))
    for (const [name, content] of Object.entries(await extensionFiles(address))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), name === 'manifest.json' ? withAccessTo(foreign, content) : content)
    }
    const context = await chromium.launchPersistentContext('', {
      executablePath: WHOLE,
      args: [...CHROMIUM.args, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
      ignoreDefaultArgs: ['--disable-extensions'],
      baseURL: address,
      colorScheme,
    })
    await context.addCookies([{ name: 'member', value: '1', url: foreign }])
    await use(context)
    await context.close()
    rmSync(folder, { recursive: true })
  },
  extension: async ({ context }, use) =>
    use(context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))),
  options: async ({ context, extension }, use) => {
    const page = await context.newPage()
    await page.goto(new URL('options.html', extension.url()).href)
    await use(page)
  },
})

/** Browsers grant access when the button is pressed, which tests can't do. */
function withAccessTo(foreign: string, content: Uint8Array): string {
  const manifest = JSON.parse(new TextDecoder().decode(content))
  return JSON.stringify({ ...manifest, host_permissions: [...manifest.host_permissions, `${foreign}/*`] })
}

/** Presses the extension's button on a page. @returns the Carrel window. */
async function pressButton(context: BrowserContext, extension: Worker, page: Page): Promise<Page> {
  const opened = context.waitForEvent('page')
  await pressButtonOn(extension, page)
  return opened
}

async function pressButtonOn(extension: Worker, page: Page): Promise<void> {
  await extension.evaluate(
    async (address) => {
      const [tab] = await chrome.tabs.query({ url: `${address}*` })
      Reflect.get(chrome.action.onClicked, 'dispatch').call(chrome.action.onClicked, tab)
    },
    page.url().replace(/#.*/, ''),
  )
}

const badgeOf = (extension: Worker, page: Page): Promise<string> =>
  extension.evaluate(async (url) => {
    const [tab] = await chrome.tabs.query({ url })
    return chrome.action.getBadgeText({ tabId: tab?.id ?? 0 })
  }, page.url())

test('a page behind a login is saved as displayed, with the selection as a highlight', async ({
  context,
  extension,
  foreign,
  library,
  page,
  person,
}) => {
  const collection = async (name: string, parent_id: string | null) =>
    (
      await person.client
        .from('collections')
        .insert({ library_id: library, name, parent_id })
        .select('id')
        .single()
        .throwOnError()
    ).data.id
  const oil = await collection('Oil', await collection('Light', null))
  const read = await context.newPage()
  await read.goto(`${foreign}/lamps`)
  await read.evaluate(() => getSelection()?.selectAllChildren(document.querySelectorAll('p')[0] ?? document.body))
  const window = await pressButton(context, extension, read)
  await expect(window.getByText('Keeping lamps')).toBeVisible()
  await expect(window.getByText('Trim the wick each evening')).toBeVisible()
  await choose(window.getByLabel('Collection'), 'Light / Oil')
  await expectAccessible(window, 'a page from the extension')
  const closed = window.waitForEvent('close')
  await window.getByRole('button', { name: 'Add', exact: true }).click()
  await closed
  await expect.poll(() => badgeOf(extension, read)).toBe('✓')

  await page.goto(`/l/${library}`)
  await page.getByRole('article', { name: 'Keeping lamps' }).getByRole('link').first().click()
  const text = page.frameLocator('iframe')
  await expect(text.getByText('Whale oil burns longer')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Highlights' }).getByText('Trim the wick')).toBeVisible()

  // A later selection is a highlight of the same document, even with another fragment.
  await read.evaluate(() => Object.assign(location, { hash: 'oil' }))
  await read.evaluate(() => getSelection()?.selectAllChildren(document.querySelectorAll('p')[1] ?? document.body))
  const again = await pressButton(context, extension, read)
  const closedAgain = again.waitForEvent('close')
  await again.getByRole('button', { name: 'Add', exact: true }).click()
  await closedAgain
  await expect(page.getByRole('region', { name: 'Highlights' }).getByText('Whale oil')).toBeVisible()

  const { data: kept } = await person.client
    .from('documents')
    .select('url, collection_id, versions!versions_document_id_library_id_fkey (storage_path, number)')
    .eq('library_id', library)
    .single()
    .throwOnError()
  expect(kept).toMatchObject({ url: `${foreign}/lamps`, collection_id: oil })
  expect(kept.versions).toHaveLength(1)
  const { data: stored } = await person.client.storage.from('documents').download(kept.versions[0]?.storage_path ?? '')
  const html = await stored?.text()
  expect(html).toContain(`href="${foreign}/soot"`)
  expect(html).not.toContain('a word that nobody else should read')
})

test('a page that is not on the web is not saved, and the button says so', async ({ context, extension, options }) => {
  const before = context.pages().length
  await pressButtonOn(extension, options)
  await expect.poll(() => badgeOf(extension, options)).toBe('!')
  expect(context.pages()).toHaveLength(before)
})

test('the address of Carrel is set once, and other sites are rejected', async ({ foreign, options, baseURL }) => {
  const address = options.getByLabel('Address of your Carrel')
  const connect = options.getByRole('button', { name: 'Connect' })
  await expect(address).toHaveValue(baseURL ?? '')
  await expectAccessible(options, 'the options of the extension')
  for (const [entered, answer] of [
    ['https://', 'This isn’t a web address'],
    [foreign, 'Carrel does not answer at this address.'],
    [`${baseURL}/l/any`, 'Connected.'],
  ] as const) {
    await address.fill(entered)
    await connect.click()
    await expect(options.getByRole('status')).toContainText(answer)
  }
  await options.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(options, 'the options of the extension, dark')
})
