import { Unreadable } from '../errors.ts'
import { choosePageTitle } from './about.ts'
import { type Cover, coverOf } from './cover.ts'
import type { Extraction } from './extraction.ts'
import { bodyOf, extractionOf, inHtml } from './html.ts'
import { resolved } from './office-parts.ts'
import { all, find, parseXml, propertiesOf, type Xml } from './xml.ts'
import type { Zip } from './zip.ts'

const DAMAGED = 'book_damaged'
/** Font obfuscation leaves the text readable, so it isn't copy protection. */
const FONT_SCRAMBLING = /http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/

/** Converts a book's chapters, in reading order, to sections under their headings, with a readable copy.
 *  @throws {Unreadable} if it's damaged, copy-protected, malicious or contains no text. */
export function extractEpub(archive: Zip): Extraction {
  if (isProtected(archive)) {
    throw new Unreadable('book_protected')
  }
  const packagePath = packagePathOf(archive)
  const content = parseXml(archive.text(packagePath), DAMAGED)
  const chapters = chaptersOf(archive, packagePath, content)
  const rendition = chapters.map((chapter) => `<section>${chapter}</section>`).join('\n')
  const titles = [...all(content, 'dc:title')]
  // EPUB 3 says of each title whether it's the main one.
  const main = [...all(content, 'meta')].find((meta) => meta.textContent === 'main')?.getAttribute('refines')
  const named = titles.find((one) => `#${one.getAttribute('id')}` === main) ?? titles[0]
  const title = choosePageTitle(named?.textContent)
  const about = { ...propertiesOf(archive.text(packagePath), 'dc:date'), title }
  const cover = coverIn(archive, packagePath, content)
  return { ...extractionOf('epub', rendition, 'book_without_text'), about, cover }
}

function isProtected(archive: Zip): boolean {
  const encryption = archive.text('META-INF/encryption.xml')
  if (!encryption) return false
  return [...encryption.matchAll(/EncryptionMethod[^>]*Algorithm\s*=\s*["']([^"']+)/g)].some(
    ([, algorithm = '']) => !FONT_SCRAMBLING.test(algorithm),
  )
}

function packagePathOf(archive: Zip): string {
  const container = parseXml(archive.text('META-INF/container.xml'), DAMAGED)
  return find(container, 'rootfile')?.getAttribute('full-path') ?? ''
}

function chaptersOf(archive: Zip, packagePath: string, content: Xml): string[] {
  const items = new Map([...all(content, 'item')].map((item) => [item.getAttribute('id') ?? '', item]))
  const chapters = new Map<string, string>()
  let isThere = false
  for (const reference of all(content, 'itemref')) {
    let item = items.get(reference.getAttribute('idref') ?? '')
    // A picture may have a page as its fallback.
    const other = isMarkup(item) ? undefined : items.get(item?.getAttribute('fallback') ?? '')
    if (other) item = other
    const path = resolved(packagePath, item?.getAttribute('href') ?? '')
    isThere ||= archive.has(path)
    const source = isMarkup(item) && !chapters.has(path) ? archive.text(path) : undefined
    if (source) chapters.set(path, bodyOf(inHtml(source)))
  }
  if (!isThere) throw new Unreadable(DAMAGED)
  return [...chapters.values()]
}

const isMarkup = (item: Xml | undefined): boolean => /html|svg|dtbook|oeb1/.test(item?.getAttribute('media-type') ?? '')

/** Finds the cover that the package names, in a property (EPUB 3) or a `meta` element (EPUB 2). */
function coverIn(archive: Zip, packagePath: string, content: Xml): Cover | null {
  const items = [...all(content, 'item')]
  const named = [...all(content, 'meta')].find((meta) => meta.getAttribute('name') === 'cover')?.getAttribute('content')
  const item =
    items.find((one) => one.getAttribute('properties')?.split(' ').includes('cover-image')) ??
    items.find((one) => named && one.getAttribute('id') === named)
  if (!item) return null
  try {
    return coverOf(archive.read(resolved(packagePath, item.getAttribute('href') ?? '')))
  } catch {
    return null
  }
}
