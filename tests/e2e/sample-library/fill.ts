import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { drop, expect, type Person } from '../fixtures.ts'
import { BOOK_COVER, makeBook } from './book.ts'
import { type SampleNote, sampleNotes } from './notes.ts'
import { PAPERS } from './papers.ts'
import { PICTURES } from './pictures.ts'

const TYPES: Record<string, string> = {
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.epub': 'application/epub+zip',
}
const TAGS: Record<string, string> = {
  lens: 'amber',
  decision: 'violet',
  minutes: 'slate',
  'how to': 'teal',
  survey: 'rose',
}
/** Collection and tags by title after reading. */
const PLACES: Record<string, readonly [collection: string, ...tags: string[]]> = {
  'Skerry Point: condition survey': ['Skerry Point', 'survey'],
  'Lamp room wiring': ['Skerry Point'],
  'Skerry point at dusk': ['Skerry Point'],
  'Lens before cleaning': ['Skerry Point', 'lens'],
  'The care of Fresnel lenses': ['Manuals', 'lens', 'how to'],
  'Foghorn maintenance': ['Manuals', 'how to'],
  'Tide tables 2027': ['Reports'],
  'Annual report 2025': ['Reports'],
  'The Keeper’s Year': ['Reading'],
}

const READ: Record<string, number> = {
  'Skerry Point: condition survey': 0.6,
  'The care of Fresnel lenses': 0.25,
  'The Keeper’s Year': 0.85,
}

/** The app's own fonts, for pages without a server. */
async function fontFaces(): Promise<string> {
  const faces = [
    ['Inter', '@fontsource-variable/inter/files/inter-latin-standard-normal.woff2'],
    ['Source Serif 4', '@fontsource-variable/source-serif-4/files/source-serif-4-latin-opsz-normal.woff2'],
  ] as const
  const rules = faces.map(async ([family, path]) => {
    const font = await readFile(fileURLToPath(import.meta.resolve(path)))
    return `@font-face { font-family: '${family}'; font-weight: 200 900; src: url(data:font/woff2;base64,${font.toString('base64')}); }`
  })
  return (await Promise.all(rules)).join('')
}

type File = { name: string; type: string; bytes: Buffer }

/** The sample library's files, drawn and printed by a browser. */
async function makeFiles(browser: Browser): Promise<File[]> {
  const page = await browser.newPage()
  const fonts = await fontFaces()
  const files: File[] = []
  for (const { file, html } of PAPERS) {
    await page.setContent(html.replace('<style>', `<style>${fonts}`))
    await page.evaluate(() => document.fonts.ready)
    const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true, outline: true, tagged: true })
    files.push({ name: file, type: 'application/pdf', bytes })
  }
  const draw = async (svg: string, width: number, height: number) => {
    await page.setViewportSize({ width, height })
    await page.setContent(`<style>${fonts}</style><body style="margin:0">${svg}</body>`)
    await page.evaluate(() => document.fonts.ready)
    return page.screenshot()
  }
  for (const { file, width, height, svg } of PICTURES) {
    const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${svg}</svg>`
    files.push({ name: file, type: 'image/png', bytes: await draw(drawn, width, height) })
  }
  const book = makeBook(await draw(BOOK_COVER, 600, 900))
  files.push({ name: 'the-keepers-year.epub', type: TYPES['.epub'] ?? '', bytes: Buffer.from(book) })
  await page.close()
  return files.map((file) => ({ ...file, type: TYPES[extname(file.name)] ?? file.type }))
}

/** Ids of what the documentation's screenshots open. */
export type SampleLibrary = {
  readonly survey: string
  readonly plan: string
  readonly draft: string
  readonly collection: string
}

/** Fills the open library like a trust that keeps old lighthouses: files with covers, notes, people, comments,
 *  highlights and reading progress.
 *  @param people The owner first; the others are already members. */
export async function fillSampleLibrary(
  page: Page,
  browser: Browser,
  library: string,
  [ada, mary, grace]: readonly [Person, Person, Person],
): Promise<SampleLibrary> {
  const { client } = ada
  await client
    .from('libraries')
    .update({
      name: 'Northern Lights Trust',
      description: 'Surveys, manuals and notes for the lighthouses that we keep.',
    })
    .eq('id', library)
    .throwOnError()
  const names = ['Skerry Point', 'Manuals', 'Meetings', 'Reports', 'Reading']
  const { data: collections } = await client
    .from('collections')
    .insert(names.map((name, position) => ({ library_id: library, name, position })))
    .select('id, name')
    .throwOnError()
  const collectionOf = (name: string) => collections.find((one) => one.name === name)?.id ?? ''
  const { data: tags } = await client
    .from('tags')
    .insert(Object.entries(TAGS).map(([name, color]) => ({ library_id: library, name, color })))
    .select('id, name')
    .throwOnError()
  const tag = async (document: string, wanted: readonly string[]) => {
    const rows = tags.filter(({ name }) => wanted.includes(name))
    await client
      .from('document_tags')
      .insert(rows.map(({ id }) => ({ library_id: library, document_id: document, tag_id: id })))
      .throwOnError()
  }

  const people = { Ada: ada.id, Mary: mary.id, Grace: grace.id }
  const documents: Record<string, string> = {}
  const write = async ({ title, body, collection, tags: wanted }: SampleNote, { client }: Person) => {
    const { data } = await client
      .rpc('add_note', { library, title, body, collection: collectionOf(collection) })
      .throwOnError()
    documents[title] = data.id
    await tag(data.id, wanted)
  }
  const [plan, decision, meeting, guide, draft] = sampleNotes(people)
  await write(guide, mary)
  await write(draft, ada)
  await write(meeting, grace)
  const files = await makeFiles(browser)
  await drop(page, files)
  await expect.poll(() => coveredFiles(ada, library), { timeout: 240_000, intervals: [1000] }).toBe(files.length)
  await write(decision, ada)
  await write(plan, ada)

  await expect
    .poll(async () => (await client.rpc('indexing_progress', { library }).single().throwOnError()).data.done, {
      timeout: 120_000,
    })
    .toBe(files.length + 5)
  const { data: added } = await client.from('documents').select('id, title').eq('library_id', library).throwOnError()
  for (const { id, title } of added) {
    const [collection, ...wanted] = PLACES[title] ?? []
    documents[title] = id
    if (!collection) continue
    await client
      .from('documents')
      .update({ collection_id: collectionOf(collection) })
      .eq('id', id)
      .throwOnError()
    await tag(id, wanted)
  }

  for (const [title, share] of Object.entries(READ))
    await client
      .from('reading_positions')
      .insert({ library_id: library, document_id: documents[title] ?? '', share })
      .throwOnError()
  for (const title of ['The care of Fresnel lenses', 'Skerry Point: condition survey', plan.title])
    await client
      .from('favorites')
      .insert({ library_id: library, document_id: documents[title] ?? '' })
      .throwOnError()
  for (const title of ['Tide tables 2027', 'The Keeper’s Year', 'Skerry Point: condition survey'])
    await client.rpc('open_document', { document: documents[title] ?? '' }).throwOnError()
  await addFields(ada, collectionOf('Skerry Point'), documents, [mary.id, grace.id])
  const survey = documents['Skerry Point: condition survey'] ?? ''
  const planned = documents[plan.title] ?? ''
  await discuss(library, survey, planned, [ada, mary, grace])
  return { survey, plan: planned, draft: documents[draft.title] ?? '', collection: collectionOf('Skerry Point') ?? '' }
}

async function addFields(
  { client }: Person,
  collection: string,
  documents: Readonly<Record<string, string>>,
  [mary, grace]: readonly [string, string],
): Promise<void> {
  const add = async (name: string, kind: 'choice' | 'date' | 'person', options: readonly string[] = []) => {
    const colors = ['amber', 'blue', 'green']
    const { data } = await client
      .rpc('save_field', {
        collection,
        // The database creates the id.
        field: null as unknown as string,
        name,
        kind,
        options: options.map((option, index) => ({
          id: crypto.randomUUID(),
          name: option,
          color: colors[index] ?? '',
        })),
      })
      .throwOnError()
    return data.id
  }
  const state = await add('State', 'choice', ['To do', 'In work', 'Done'])
  const until = await add('Until', 'date')
  const who = await add('Who', 'person')
  const { data: options } = await client.from('field_options').select('id, name').eq('field_id', state).throwOnError()
  const rows = [
    ['Relighting Skerry Point', 'In work', '2027-03-21', mary],
    ['LED or the old lamp?', 'Done', '2026-11-20', grace],
    ['Lens before cleaning', 'To do', '2027-01-31', grace],
    ['Lamp room wiring', 'In work', '2026-12-15', mary],
    ['Skerry Point: condition survey', 'Done', '2026-09-30', mary],
  ] as const
  for (const [title, step, date, person] of rows) {
    const set = (field: string, value: string) =>
      client.rpc('set_field_value', { documents: [documents[title] ?? ''], field, value }).throwOnError()
    await set(state, options.find(({ name }) => name === step)?.id ?? '')
    await set(until, date)
    await set(who, person)
  }
}

async function coveredFiles({ client }: Person, library: string): Promise<number> {
  const { data } = await client
    .from('documents')
    .select('id, version:versions!documents_current_version_id_fkey!inner(cover_path)')
    .eq('library_id', library)
    .not('version.cover_path', 'is', null)
    .throwOnError()
  return data.length
}

async function discuss(
  library: string,
  survey: string,
  note: string,
  [ada, mary, grace]: readonly [Person, Person, Person],
): Promise<void> {
  const say = async ({ client }: Person, comment: object) => {
    const { data } = await client
      .from('comments')
      .insert({ library_id: library, document_id: survey, body: '', ...comment })
      .select('id')
      .single()
      .throwOnError()
    return data.id
  }
  const rail = { page: 2, quote: 'the gallery rail is loose on the seaward side' }
  const question = await say(mary, { ...rail, body: 'Who goes out there until it is mended?' })
  await say(ada, { parent_id: question, body: 'Nobody. I have locked the gallery door and taken the key.' })
  await say(grace, { parent_id: question, body: `@[Ada Lovelace](${ada.id}) the second key hangs in the watch room.` })
  await say(ada, { page: 2, quote: 'The light can be shown again in spring', color: 'green' })
  await say(ada, { page: 2, quote: 'The masonry is sound.', color: 'yellow' })
  await say(mary, { page: 2, quote: 'the bearing has been dry since', color: 'pink' })
  await say(grace, {
    document_id: note,
    quote: 'Order linseed putty',
    body: 'It comes with the boat on Thursday.',
  })
}
