import { strToU8, zipSync } from 'fflate'

export const BOOK_COVER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 900" width="600" height="900">
  <rect width="600" height="900" fill="#20395a"/><path d="M0 640 C 150 590 260 700 420 640 S 560 610 600 640 V 900 H 0 Z" fill="#16273f"/>
  <path d="M0 720 C 170 670 280 780 430 720 S 570 690 600 720 V 900 H 0 Z" fill="#101c2e"/>
  <circle cx="430" cy="300" r="90" fill="#f2e3bd"/><circle cx="466" cy="276" r="78" fill="#20395a"/>
  <g fill="#f2e3bd" font-family="'Source Serif 4', Georgia, serif" text-anchor="middle"><text x="300" y="130" font-size="64">The Keeper’s</text>
  <text x="300" y="200" font-size="64">Year</text><text x="300" y="840" font-size="28" letter-spacing="4">E. M. HALLORAN</text></g></svg>`

const CHAPTERS = [
  [
    'January',
    'The relief could not land for nineteen days. We had oil, flour and the second volume of an encyclopaedia, so that we know everything from Bal to Cry.',
  ],
  [
    'April',
    'The terns came back on the ninth. They nest so close to the path that one carries the oil with a hand above the head.',
  ],
  [
    'August',
    'A painter stayed for a week. She asked what we look at all night, and we said: at the light, to see that it burns.',
  ],
  ['November', 'Fog for eleven days. The horn sounds every ninety seconds; after the third day one sleeps between.'],
] as const

/** An EPUB of four short chapters with a cover. @param cover A PNG. */
export function makeBook(cover: Uint8Array): Uint8Array {
  const ids = CHAPTERS.map((_, index) => `chapter-${index + 1}`)
  const page = (title: string, body: string) =>
    `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>${title}</title></head><body>${body}</body></html>`
  const files: Record<string, Uint8Array> = {
    'META-INF/container.xml': strToU8(
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    'book.opf': strToU8(
      `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">keepers-year</dc:identifier><dc:title>The Keeper’s Year</dc:title><dc:creator>E. M. Halloran</dc:creator><dc:language>en</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest><item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
    ),
    'nav.xhtml': strToU8(
      page(
        'Contents',
        `<nav epub:type="toc"><ol>${CHAPTERS.map(([title], index) => `<li><a href="${ids[index]}.xhtml">${title}</a></li>`).join('')}</ol></nav>`,
      ),
    ),
    'cover.png': cover,
  }
  CHAPTERS.forEach(([title, text], index) => {
    files[`${ids[index]}.xhtml`] = strToU8(page(title, `<h1>${title}</h1><p>${text}</p>`))
  })
  // An EPUB is identified by its first entry, which is uncompressed.
  return zipSync({ mimetype: [strToU8('application/epub+zip'), { level: 0 }], ...files })
}
