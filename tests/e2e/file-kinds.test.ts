import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import { WORDS } from '../support/file-kinds.ts'
import { expect, fixture, test } from './fixtures.ts'

/** Pictures are recognized in the browser, page by page. */
const TIMEOUT = { timeout: 120_000 }

test('every readable kind of file is added, read and found by a word in it', { tag: '@nightly' }, async ({
  page,
  signedIn,
  library,
}) => {
  test.slow()
  await signedIn.client
    .from('libraries')
    .update({ recognition_languages: ['en'] })
    .eq('id', library)
    .throwOnError()
  await page.reload()
  const picker = page.getByLabel('Files to add')
  const endings = Object.keys(WORDS)
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await picker.setInputFiles(endings.map((ending) => fixture(`kinds/sample.${ending}`)))
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText(`${endings.length} files added`)).toBeVisible(TIMEOUT)

  for (const [ending, word] of Object.entries(WORDS)) {
    await test.step(ending, async () => {
      const found = async () => {
        const { data } = await signedIn.client.rpc('search_passages', { library, query: word }).throwOnError()
        const [hit] = data
        if (!hit) return undefined
        const { data: document } = await signedIn.client
          .from('documents')
          .select('state, version:versions!documents_current_version_id_fkey(file_name)')
          .eq('id', hit.document_id)
          .single()
          .throwOnError()
        return [document.state, document.version?.file_name]
      }
      await expect.poll(found, TIMEOUT).toEqual(['ready', `sample.${ending}`])
    })
  }

  await page.goto(`/l/${library}/search?q=${WORDS.xlsx}`)
  await page
    .getByRole('main')
    .getByRole('link', { name: /foxglove/i })
    .first()
    .click()
  await expect(page.frameLocator('iframe').getByText('beside the lamp')).toBeVisible()
})

function recording(): Buffer {
  const [rate, samples] = [8000, 800]
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  return Buffer.concat([header, Buffer.alloc(samples, 128)])
}

async function film(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
    const context = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
    const { promise, resolve } = Promise.withResolvers<Blob>()
    recorder.ondataavailable = ({ data }) => data.size > 0 && resolve(data)
    recorder.start()
    for (let frame = 0; frame < 10; frame++) {
      context?.fillRect(0, 0, frame, frame)
      await new Promise(requestAnimationFrame)
    }
    recorder.stop()
    return btoa(String.fromCharCode(...new Uint8Array(await (await promise).arrayBuffer())))
  })
  return Buffer.from(base64, 'base64')
}

test('any other file is stored, found by its name, and played, shown as text or offered for download', async ({
  page,
  signedIn: { client },
  library,
}) => {
  test.slow()
  const zip = Buffer.from(zipSync({ 'a.txt': strToU8('x') }))
  const files = {
    'backup.zip': zip,
    'lamp.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.stolen = 1"><text>Wick</text></svg>',
    'noise.xyz': Buffer.from([0, 1, 2, 3, 255]),
    'clip.mp4': Buffer.from([0, 0, 0, 24, 1, 2]),
    'bell.wav': recording(),
    'harbour.webm': await film(page),
    'trimmer.py': 'def trim():\n    return "bergamot"\n',
    'settings.json': '{"oil": "vetiver"}',
    'house.style': 'colour: tamarind',
  }
  await expect(page.getByRole('button', { name: 'Add', exact: true }).first()).toBeVisible()
  await page.getByLabel('Files to add').setInputFiles(
    Object.entries(files).map(([name, content]) => ({
      name,
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(content),
    })),
  )
  const uploads = page.getByRole('region', { name: 'Uploads' })
  await expect(uploads.getByText('9 files added')).toBeVisible(TIMEOUT)

  const main = page.getByRole('main')
  const open = async (query: string, title: string) => {
    await expect(async () => {
      await page.goto(`/l/${library}/search?q=${query}`)
      await main.getByRole('link', { name: title }).first().click({ timeout: 5000 })
    }).toPass(TIMEOUT)
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
  }
  for (const [query, title, name] of [
    ['backup.zip', 'backup.zip', 'backup.zip'],
    ['lamp', 'Lamp', 'lamp.svg'],
    ['noise', 'noise.xyz', 'noise.xyz'],
    ['clip', 'Clip', 'clip.mp4'],
  ] as const) {
    await test.step(name, async () => {
      await open(query, title)
      await expect(main.getByText('This file is stored unchanged.')).toBeVisible()
      await expect(main.getByText(name).last()).toBeVisible()
    })
  }
  expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false)

  await open('backup', 'backup.zip')
  const downloading = page.waitForEvent('download')
  await main.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('backup.zip')
  expect(await readFile(await download.path())).toEqual(zip)

  await open('bell', 'Bell')
  await expect(main.locator('audio')).toHaveJSProperty('duration', 0.1)
  for (const [title, shown] of [
    ['bell', page.locator('audio')],
    ['noise.xyz', page.getByText('This file is stored unchanged.')],
  ] as const) {
    const found = client.from('documents').select('id').eq('library_id', library).eq('title', title)
    const { data: document } = await found.single().throwOnError()
    const { data: link } = await client.rpc('create_share_link', { document: document.id }).throwOnError()
    await page.goto(`/s/${(link as { token: string }).token}`)
    await expect(shown).toBeVisible()
  }
  await open('harbour', 'Harbour')
  await expect(main.locator('video')).toHaveJSProperty('videoWidth', 64)

  for (const [word, title, line] of [
    ['bergamot', 'trimmer.py', 'def trim():'],
    ['vetiver', 'settings.json', '{"oil": "vetiver"}'],
    ['tamarind', 'house.style', 'colour: tamarind'],
  ] as const) {
    await test.step(title, async () => {
      await open(word, title)
      await expect(main.locator('article').getByText(line)).toBeVisible()
    })
  }

  await page.goto(`/l/${library}/search?q=${encodeURIComponent('type:audio bell')}`)
  await expect(main.getByRole('link', { name: 'Bell' }).first()).toBeVisible()
})
