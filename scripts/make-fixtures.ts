// Generates tests/fixtures except its folder `kinds`: the demo library's essays in several file formats, and in unsupported
// ones. Run it after changing the essays in supabase/seed.sql: node scripts/make-fixtures.ts
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from '@cantoo/pdf-lib'
import { marked } from 'marked'

const FOLDER = new URL('../tests/fixtures/', import.meta.url)
const SEED = new URL('../supabase/seed.sql', import.meta.url)

/** A5 in points; the sizes make the six essays fill twenty pages. */
const PAGE = { width: 420, height: 595, margin: 62, body: 15, leading: 23, heading: 18, title: 26 }
/** A fixed date for reproducible files. */
const MADE = new Date('2026-11-01T09:00:00Z')

type Essay = { readonly title: string; readonly source: string }
type Fonts = { readonly body: PDFFont; readonly heading: PDFFont }

function essaysOf(seed: string): Essay[] {
  return Array.from(
    seed.matchAll(/'((?:[^']|'')+)', \$essay\$([\s\S]*?)\$essay\$/g),
    ([, title = '', source = '']) => ({
      title: title.replaceAll("''", "'"),
      source,
    }),
  )
}

function essay(title: string): Essay {
  const match = essays.find((candidate) => candidate.title === title)
  if (!match) throw new Error(`supabase/seed.sql has no essay “${title}”.`)
  return match
}

async function typeset(texts: readonly Essay[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setTitle('The Reading Room')
  document.setCreationDate(MADE)
  document.setModificationDate(MADE)
  const fonts = {
    body: await document.embedFont(StandardFonts.TimesRoman),
    heading: await document.embedFont(StandardFonts.HelveticaBold),
  }
  const flow = new Flow(document, fonts)
  for (const { source } of texts) {
    flow.newPage()
    for (const block of source.trim().split('\n\n')) {
      if (block.startsWith('# ')) flow.block(block.slice(2), fonts.heading, PAGE.title)
      else if (block.startsWith('## ')) flow.block(block.slice(3), fonts.heading, PAGE.heading)
      else flow.block(block.replaceAll('*', ''), fonts.body, PAGE.body)
    }
  }
  return document.save()
}

/** Sets lines from top to bottom across pages, with a running head and page number. */
class Flow {
  readonly #document: PDFDocument
  readonly #fonts: Fonts
  #page: PDFPage | null = null
  #y = 0

  constructor(document: PDFDocument, fonts: Fonts) {
    this.#document = document
    this.#fonts = fonts
  }

  newPage(): PDFPage {
    this.#page = this.#document.addPage([PAGE.width, PAGE.height])
    const head = `The Reading Room    ${this.#document.getPageCount()}`
    this.#page.drawText(head, { x: PAGE.margin, y: PAGE.height - 34, size: 8, font: this.#fonts.body })
    this.#y = PAGE.height - PAGE.margin - PAGE.title
    return this.#page
  }

  block(text: string, font: PDFFont, size: number): void {
    const leading = (PAGE.leading * size) / PAGE.body
    const lines = wrapped(text, font, size)
    // Keep a heading with the two lines after it.
    const needed = size > PAGE.body ? leading * lines.length + PAGE.leading * 2 : PAGE.leading
    let page = this.#page && this.#y - needed > PAGE.margin ? this.#page : this.newPage()
    for (const line of lines) {
      if (this.#y < PAGE.margin) page = this.newPage()
      page.drawText(line, { x: PAGE.margin, y: this.#y, size, font })
      this.#y -= leading
    }
    this.#y -= PAGE.leading
  }
}

function wrapped(text: string, font: PDFFont, size: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line ? `${line} ${word}` : word
    if (line && font.widthOfTextAtSize(longer, size) > PAGE.width - 2 * PAGE.margin) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

async function encrypted(bytes: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.load(bytes)
  document.encrypt({ userPassword: 'open sesame', ownerPassword: 'open sesame' })
  return document.save()
}

async function withoutText(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setCreationDate(MADE)
  document.setModificationDate(MADE)
  document.addPage([PAGE.width, PAGE.height]).drawRectangle({ x: 60, y: 60, width: 200, height: 300 })
  return document.save()
}

async function webPage({ title, source }: Essay): Promise<string> {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><style>body { color: black }</style></head>
<body>
<nav><a href="/">Home</a> <a href="/all">All essays</a></nav>
<article>${await marked.parse(source)}</article>
<script>document.body.append('written by a script')</script>
<footer>Printed on recycled electrons.</footer>
</body>
</html>
`
}

const plain = (source: string): string => source.replace(/^#+ /gm, '').replaceAll('*', '')

async function write(name: string, content: string | Uint8Array): Promise<void> {
  await writeFile(new URL(name, FOLDER), content)
  console.log(`${name} ${content.length}`)
}

// At the end, because classes can't be used before their declaration has run.
await mkdir(FOLDER, { recursive: true })
const essays = essaysOf(await readFile(SEED, 'utf8'))
const pdf = await typeset(essays)

await write('reading-room.pdf', pdf)
await write('encrypted.pdf', await encrypted(pdf))
await write('damaged.pdf', pdf.slice(0, pdf.length / 3))
await write('pictures-only.pdf', await withoutText())
await write('lighthouse.md', `---\ntitle: Lighthouses\n---\n\n${essay('How a lighthouse works').source}`)
await write('index-card.html', await webPage(essay('A short history of the index card')))
await write('paper.txt', plain(essay('Keeping paper for five hundred years').source))
await write('empty.txt', '')
// A one-pixel image with a PDF's file name.
await write(
  'lying.pdf',
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)
