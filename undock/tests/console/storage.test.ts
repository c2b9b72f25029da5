import { Buffer } from 'node:buffer'
import { createClient } from '@supabase/supabase-js'
import { expectAccessible } from './accessibility.ts'
import { expect, HOSTILE, test } from './fixtures.ts'

type Backend = { readonly url: string; readonly identity: { readonly keys: { readonly secret: string } } }
const storageOf = ({ url, identity }: Backend) =>
  createClient(url, identity.keys.secret, { auth: { persistSession: false } }).storage

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('creates, changes and deletes a bucket', async ({ page, backend }) => {
  await page.goto('/storage')
  await page.getByRole('button', { name: 'New bucket' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('made here')
  await dialog.getByLabel('Maximum size of a file').fill('much')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Invalid file size format')
  await dialog.getByLabel('Maximum size of a file').fill('2MB')
  await dialog.getByLabel('Allowed types').fill('image/*')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/storage\/made%20here/)
  await expect(page.getByText('Drop files or folders here')).toBeVisible()
  await page.getByRole('button', { name: 'Settings' }).click()
  await dialog.getByLabel('Public').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const { data } = await storageOf(backend.stack).getBucket('made here')
  expect(data).toMatchObject({ public: true, file_size_limit: 2_000_000, allowed_mime_types: ['image/*'] })

  // Storage's own message about a type that the bucket doesn't allow.
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await expect(page.getByRole('region', { name: 'Uploads' })).toContainText('mime type text/plain is not supported')
  await page.getByRole('button', { name: 'Delete bucket' }).click()
  await expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await dialog.getByLabel('Type made here to confirm').fill('made here')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/storage$/)
  expect((await storageOf(backend.stack).getBucket('made here')).error?.message).toBe('Bucket not found')
})

test('uploads files into folders, moves and deletes them; empty folders remain', async ({ page, backend }) => {
  const storage = storageOf(backend.stack)
  await storage.createBucket('work', { public: true })
  await page.goto('/storage/work')
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('a/b')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('There are no files here')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Folder' })).toContainText('work/a/b')
  await page.getByLabel('Files to upload').setInputFiles([
    { name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('first') },
    { name: 'two & 2?.txt', mimeType: 'text/plain', buffer: Buffer.from('second') },
  ])
  await expect(page.getByRole('button', { name: 'two & 2?.txt', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'one.txt', exact: true })).toBeVisible()
  await expect
    .poll(async () => (await storage.from('work').list('a/b')).data?.map(({ name }) => name))
    .toEqual(['one.txt', 'two & 2?.txt'])

  await page.getByRole('button', { name: 'one.txt', exact: true }).click()
  const panel = page.getByRole('complementary', { name: 'File' })
  await expect(panel.getByRole('region', { name: 'Text of a/b/one.txt' })).toHaveText('first')
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Move or rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('1.txt')
  await page.getByRole('dialog').getByLabel('Folder').fill('c')
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await expect(page.getByText('1 file moved.')).toBeVisible()
  expect(await (await storage.from('work').download('c/1.txt')).data?.text()).toBe('first')

  await page.getByLabel('Select two & 2?.txt').check()
  await page.getByRole('button', { name: 'Delete 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('There are no files here')).toBeVisible()
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'work' }).click()
  await expect(page.getByRole('button', { name: 'a', exact: true })).toBeVisible()

  // A folder moves with its content.
  await page.getByLabel('Select c', { exact: true }).check()
  await page.getByRole('button', { name: 'Move 1' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('d')
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await expect(page.getByRole('button', { name: 'd', exact: true })).toBeVisible()
  expect((await storage.from('work').list('d')).data?.map(({ name }) => name)).toEqual(['1.txt'])

  await page.getByLabel('Search in the bucket').fill('1.TXT')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'd/1.txt' }).click()
  await expect(panel.getByText(`${backend.stack.url}/storage/v1/object/public/work/d/1.txt`)).toBeVisible()
  await panel.getByRole('button', { name: 'Signed link' }).click()
  await page.getByRole('dialog').getByLabel('Valid for').selectOption('a minute')
  await page.getByRole('button', { name: 'Create the link' }).click()
  const link = await page.getByRole('textbox', { name: 'Signed link' }).inputValue()
  expect(await (await fetch(link)).text()).toBe('first')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  const saved = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('1.txt')
})

test('uploads a large file in parts, replaces a file only after confirmation, and can cancel', {
  tag: '@nightly',
}, async ({ page, backend }) => {
  const storage = storageOf(backend.stack)
  await storage.createBucket('large')
  await page.goto('/storage/large')
  const content = Buffer.alloc(13 * 1024 * 1024, 'x')
  const choose = (name: string) =>
    page.getByLabel('Files to upload').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: content })
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await choose('big.bin')
  await expect(uploads).toContainText('uploaded')
  expect((await storage.from('large').info('big.bin')).data?.size).toBe(content.length)
  await choose('big.bin')
  await uploads.getByRole('button', { name: 'Replace' }).click()
  await expect(uploads.getByText('uploaded')).toHaveCount(2)

  // The second part never ends.
  let parts = 0
  await page.route('**/upload/resumable/**', (route) =>
    route.request().method() === 'PATCH' && ++parts > 1 ? undefined : route.continue(),
  )
  await choose('never.bin')
  await expect(uploads).toContainText('6.0 MB of 13 MB')
  await uploads.getByRole('button', { name: 'Cancel the upload of never.bin' }).click()
  await expect(uploads).toContainText('cancelled')
  expect((await storage.from('large').list()).data?.map(({ name }) => name)).toEqual(['big.bin'])
})

test("shows and allows what a role's policies allow", { tag: '@nightly' }, async ({ page, backend }) => {
  const storage = storageOf(backend.stack)
  await storage.createBucket('docs')
  await storage.from('docs').upload('open/a.txt', 'open', { contentType: 'text/plain' })
  await storage.from('docs').upload('secret/b.txt', 'secret', { contentType: 'text/plain' })
  await backend.stack.db.query({
    text: `create policy "open docs" on storage.objects for select to anon using (bucket_id = 'docs' and name like 'open/%')`,
    values: [],
  })
  await page.goto('/storage/docs')
  await expect(page.getByRole('button', { name: 'secret', exact: true })).toBeVisible()
  await page.getByLabel('View as a role or user').fill('anon')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/as=anon/)
  await expect(page.getByRole('button', { name: 'open', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'secret', exact: true })).toBeHidden()
  await page.goto('/storage/docs?as=anon&path=open%2F&file=open%2Fa.txt')
  await expect(page.getByRole('region', { name: 'Text of open/a.txt' })).toHaveText('open')
  await page.getByRole('complementary', { name: 'File' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('alert')).toContainText('no policy lets anon delete them')
  expect((await storage.from('docs').info('open/a.txt')).error).toBeNull()
  await page.goto('/storage/docs?as=anon&file=secret%2Fb.txt')
  await expect(page.getByText('policies hide it from anon')).toBeVisible()
})

test('previews files without running them', async ({ page, backend }) => {
  const storage = storageOf(backend.stack)
  await storage.createBucket('hostile')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>top.stolen = 1</script><rect width="9" height="9" onload="top.stolen = 1"/></svg>`
  const files = storage.from('hostile')
  await files.upload('page.html', `<script>top.stolen = 1</script>${HOSTILE}`, { contentType: 'text/html' })
  await files.upload('drawing.svg', svg, { contentType: 'image/svg+xml' })
  await files.upload('pixel.png', PNG, { contentType: 'image/png' })
  await files.upload('broken.png', 'no image', { contentType: 'image/png' })
  await files.upload('paper.pdf', pdf('Hello'), { contentType: 'application/pdf' })
  await page.goto('/storage/hostile?file=page.html')
  await expect(page.getByRole('region', { name: 'Text of page.html' })).toContainText('<script>top.stolen = 1</script>')
  for (const name of ['drawing.svg', 'pixel.png']) {
    await page.goto(`/storage/hostile?file=${name}`)
    const image = page.getByRole('img', { name: `Preview of ${name}` })
    await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0)
  }
  await page.goto('/storage/hostile?file=broken.png')
  await expect(page.getByText('This browser cannot show the file.')).toBeVisible()
  await page.goto('/storage/hostile?file=paper.pdf')
  await expect(page.getByText('Page 1 of 1')).toBeVisible()
  await expect
    .poll(() =>
      page.getByRole('img', { name: 'Page 1 of paper.pdf' }).evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
        return [...data].some((value, index) => index % 4 !== 3 && value < 100)
      }),
    )
    .toBe(true)
})

test('lists ten thousand files while scrolling', { tag: '@nightly' }, async ({ page, backend }) => {
  await storageOf(backend.stack).createBucket('many')
  await backend.stack.db.query({
    text: `insert into storage.objects (bucket_id, name, metadata)
      select 'many', 'file ' || to_char(n, 'FM00000') || '.txt', '{"size": 1, "mimetype": "text/plain"}' from generate_series(1, 10000) n`,
    values: [],
  })
  await page.goto('/storage/many')
  await expect(page.getByRole('button', { name: 'file 00001.txt' })).toBeVisible()
  await page.getByRole('button', { name: 'Sort by Name' }).click()
  await expect(page.getByRole('button', { name: 'file 10000.txt' })).toBeVisible()
  await page.getByRole('button', { name: 'file 10000.txt' }).focus()
  for (let row = 0; row < 30; row++) await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('button', { name: 'file 09970.txt' })).toBeFocused()
  await page
    .locator('ul', { has: page.getByRole('button', { name: 'file 09970.txt' }) })
    .locator('..')
    .evaluate((box) => box.scrollTo(0, 1e9))
  await expect(page.getByRole('button', { name: /file 097\d\d\.txt/ }).first()).toBeVisible()
})

/** The smallest PDF with text. */
function pdf(text: string): string {
  const stream = `BT /F1 40 Tf 20 40 Td (${text}) Tj ET`
  return `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length ${stream.length}>>stream
${stream}
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`
}
