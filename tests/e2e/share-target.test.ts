import type { Page } from '@playwright/test'
import { z } from 'zod'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test.use({ serviceWorkers: 'allow' })

test('a file shared by another app waits for a library and is added to it', { tag: '@nightly' }, async ({
  page,
  library,
}) => {
  await page.goto('/')
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    if (!navigator.serviceWorker.controller)
      await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))
  })
  await expectInstallable(page)

  // Like the system's share menu with an installed app.
  await page.evaluate(() => {
    const form = Object.assign(document.createElement('form'), {
      action: '/share',
      method: 'post',
      enctype: 'multipart/form-data',
    })
    const transfer = new DataTransfer()
    transfer.items.add(new File(['Oil and wick.'], 'Lämps & <b>wicks</b>.md', { type: 'text/markdown' }))
    const files = Object.assign(document.createElement('input'), { type: 'file', name: 'files', files: transfer.files })
    form.append(files)
    document.body.append(form)
    form.submit()
  })
  await expect(page.getByRole('heading', { name: 'Add to a library' })).toBeVisible()
  await expect(page).toHaveURL(/\/share$/)
  await expect(page.getByText('Lämps & <b>wicks</b>.md')).toBeVisible()
  await expectAccessible(page, 'a shared file')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/l/${library}`))
  await expect(page.getByRole('article', { name: 'Lämps & <b>wicks</b>' })).toBeVisible()
  await page.goto('/share')
  await expect(page.getByRole('heading', { name: 'Nothing was shared' })).toBeVisible()
})

test('a shared text becomes a note', { tag: '@nightly' }, async ({ page, library }) => {
  await page.goto(`/share?${new URLSearchParams({ title: 'Lamps', text: 'Oil and wick.' })}`)
  await expect(page.getByLabel('Library')).toBeVisible()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/l/${library}`))
  await expect(page.getByRole('article', { name: 'Lamps' })).toBeVisible()
})

test('a bookmarklet saves a selection on another site as a note', async ({ context, page, library }) => {
  await page.goto(`/l/${library}`)
  await page.getByRole('heading', { name: 'An empty shelf' }).waitFor()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'A link…' }).click()
  await page.getByText('Save pages while you browse').click()
  const code = await page.getByRole('textbox', { name: 'Or create a bookmark with this address' }).inputValue()
  await expect(page.getByRole('link', { name: 'Save to Carrel' })).toHaveAttribute('href', code)
  await expectAccessible(page, 'the bookmark')
  await context.route('https://lamps.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Oil & wick</title><p>A steady lamp.</p>' }),
  )
  const foreign = await context.newPage()
  await foreign.goto('https://lamps.example/how?to=trim')
  await foreign.evaluate(() => getSelection()?.selectAllChildren(document.body))
  const opened = context.waitForEvent('page')
  await foreign.evaluate((run) => Object.assign(location, { href: run }), code)
  const added = await opened
  await expect(added.getByText('Oil & wick')).toBeVisible()
  await added.getByRole('button', { name: 'Add', exact: true }).click()
  await added.getByRole('article', { name: 'Oil & wick' }).getByRole('link').first().click()
  await expect(added.getByText('A steady lamp.')).toBeVisible()
  await expect(added.getByRole('link', { name: 'https://lamps.example/how?to=trim' })).toBeVisible()
})

const Manifest = z.object({
  name: z.string().min(1),
  short_name: z.string().min(1),
  start_url: z.literal('/'),
  display: z.literal('standalone'),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), purpose: z.string().optional() })),
})

/** Checks Chromium's requirements for installing: a valid manifest, and icons of the stated sizes. A headless shell
 *  doesn't check by itself, and the whole browser refuses in incognito mode. */
async function expectInstallable(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const { errors, data } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { icons } = Manifest.parse(JSON.parse(data ?? ''))
  const sizes = await page.evaluate(
    (srcs) =>
      Promise.all(
        srcs.map(async (src) => {
          const image = Object.assign(new Image(), { src })
          await image.decode()
          return `${image.naturalWidth}x${image.naturalHeight}`
        }),
      ),
    icons.filter(({ sizes }) => sizes !== 'any').map(({ src }) => src),
  )
  expect(sizes).toEqual(icons.map((icon) => icon.sizes).filter((size) => size !== 'any'))
  expect(icons.filter(({ purpose }) => !purpose).map((icon) => icon.sizes)).toEqual(
    expect.arrayContaining(['192x192', '512x512']),
  )
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
}
