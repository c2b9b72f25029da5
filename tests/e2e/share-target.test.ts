import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

test.use({ serviceWorkers: 'allow' })

test('a file that another app shares waits for a library, and is added to it', async ({ page, library }) => {
  await page.goto('/')
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    if (!navigator.serviceWorker.controller)
      await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))
  })
  const devtools = await page.context().newCDPSession(page)
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // A test's window is one of incognito mode, where nothing is installed.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])

  // What a system's share menu does with an installed app.
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
  await expectAccessible(page, 'something shared')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/l/${library}`))
  await expect(page.getByRole('article', { name: 'Lämps & <b>wicks</b>' })).toBeVisible()
  await page.goto('/share')
  await expect(page.getByRole('heading', { name: 'Nothing was shared' })).toBeVisible()
})

test('a shared text becomes a note', async ({ page, library }) => {
  await page.goto(`/share?${new URLSearchParams({ title: 'Lamps', text: 'Oil and wick.' })}`)
  await expect(page.getByLabel('Library')).toBeVisible()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/l/${library}`))
  await expect(page.getByRole('article', { name: 'Lamps' })).toBeVisible()
})
