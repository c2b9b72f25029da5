import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { unzipSync } from 'fflate'
import { expectAccessible } from './accessibility.ts'
import { expect, test } from './fixtures.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const bytesOf = async (download: Download): Promise<Buffer> => readFile(await download.path())

async function choose(page: Page, title: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

test("a note is exported with its picture and duplicated, from its page's menu", { tag: '@nightly' }, async ({
  page,
  context,
  signedIn,
  library,
}) => {
  const { client } = signedIn
  const picture = `${randomUUID()}.png`
  const body = `Oil burns **slowly**.\n\n![a lamp](pictures/${picture})\n\nمصباح\n\n<script>document.title = 'ran'</script>`
  const { data: note } = await client.rpc('add_note', { library, title: 'Lamps', body }).throwOnError()
  const stored = await client.storage
    .from('pictures')
    .upload(`${library}/${note.id}/${picture}`, PIXEL, { contentType: 'image/png' })
  expect(stored.error).toBeNull()
  const { data: tag } = await client
    .from('tags')
    .insert({ library_id: library, name: 'oil' })
    .select()
    .single()
    .throwOnError()
  await client
    .from('document_tags')
    .insert({ library_id: library, document_id: note.id, tag_id: tag.id })
    .throwOnError()

  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Actions for Lamps' }).press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Actions for Lamps' })).toBeFocused()
  await expectAccessible(page, 'a document with a menu')

  const zip = page.waitForEvent('download')
  await choose(page, 'Lamps', 'Export as Markdown')
  const files = unzipSync(await bytesOf(await zip))
  expect(Object.keys(files).toSorted()).toEqual(['Lamps.md', `pictures/${picture}`])
  expect(new TextDecoder().decode(files['Lamps.md'])).toBe(body)
  expect(Buffer.from(files[`pictures/${picture}`] ?? [])).toEqual(PIXEL)

  const html = page.waitForEvent('download')
  await choose(page, 'Lamps', 'Export as HTML')
  const alone = await context.newPage()
  await alone.setContent((await bytesOf(await html)).toString())
  await expect(alone.getByRole('heading', { level: 1 })).toHaveText('Lamps')
  await expect(alone.getByRole('img', { name: 'a lamp' })).toHaveJSProperty('naturalWidth', 1)
  await expect(alone).toHaveTitle('Lamps')
  await alone.close()

  const word = page.waitForEvent('download')
  await choose(page, 'Lamps', 'Export for Word (DOCX)')
  const parts = unzipSync(await bytesOf(await word))
  const written = new TextDecoder().decode(parts['word/document.xml'])
  expect(written).toMatch(/<w:pStyle w:val="Heading1"\/>.*>Lamps<.*<w:b\/>.*>slowly<.*<w:drawing>/)
  expect(written).toMatch(/<w:pPr>(?:(?!<\/w:pPr>).)*<w:bidi\/>.*>مصباح</)
  expect(written).not.toContain('ran')
  expect(Object.keys(parts).filter((name) => name.startsWith('word/media/'))).toHaveLength(1)

  // Checks the frame passed to the browser's print dialog.
  await page.evaluate(() => {
    const own = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow')
    Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', {
      get() {
        const inside = own?.get?.call(this)
        inside.print = () => document.body.setAttribute('data-printed', inside.document.body.textContent)
        return inside
      },
    })
  })
  await choose(page, 'Lamps', 'Print or save as PDF…')
  await expect(page.locator('body')).toHaveAttribute('data-printed', /^Lamps\s*Oil burns slowly\.\s*مصباح\s*$/)

  await choose(page, 'Lamps', 'Duplicate')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Lamps (copy)', level: 1 })).toBeVisible()
  await expect(page.getByRole('img', { name: 'a lamp' })).toHaveJSProperty('naturalWidth', 1)
  const { data: copy } = await client
    .from('documents')
    .select('tags:document_tags(tag_id)')
    .eq('title', 'Lamps (copy)')
    .single()
    .throwOnError()
  expect(copy.tags).toEqual([{ tag_id: tag.id }])
})

test("a file is downloaded, duplicated and its link copied, from its card's menu", async ({
  page,
  context,
  library,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const content = 'The green lamp burns all night.'
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'green-lamp.txt', mimeType: 'text/plain', buffer: Buffer.from(content) })
  const card = page.getByRole('article').first()
  const title = (await card.getByRole('heading').textContent()) ?? ''

  const file = page.waitForEvent('download')
  await choose(page, title, 'Download')
  expect((await file).suggestedFilename()).toBe('green-lamp.txt')
  expect((await bytesOf(await file)).toString()).toBe(content)

  await choose(page, title, 'Duplicate')
  const copy = page.getByRole('article', { name: `${title} (copy)` })
  await expect(copy).toBeVisible()

  await choose(page, `${title} (copy)`, 'Copy link')
  await expect(page.getByText(`Link to “${title} (copy)” copied`)).toBeVisible()
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()))
  await expect(page).toHaveURL(new RegExp(`/l/${library}/d/`))
  await expect(page.getByText(content)).toBeVisible()
})
