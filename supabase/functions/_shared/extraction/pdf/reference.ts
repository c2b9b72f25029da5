import { chooseAuthor, dayOf } from '../about.ts'
import { doisIn, nameOf, type Reference } from '../reference.ts'
import type { Line } from './lines.ts'
import type { PdfProperties } from './pdf.ts'

/** The database's limits. */
const MAX_FIELD_LENGTH = 300
const MAX_AUTHORS = 40
const MAX_AUTHOR_LENGTH = 60

const TYPES = new Map(
  Object.entries({
    journal: 'article-journal',
    magazine: 'article-magazine',
    newspaper: 'article-newspaper',
    proceeding: 'paper-conference',
    book: 'chapter',
  }),
)

/** Returns a PDF's bibliographic data from publisher metadata (Dublin Core, PRISM) and the DOI on its first page. Null
 *  if nothing shows that it was published: then the properties come from a program. */
export function referenceOfPdf({ xmp, subject }: PdfProperties, firstPage: readonly Line[]): Reference | null {
  const first = (...names: string[]) =>
    names
      .flatMap(xmp)
      .map((text) => text.replace(/\s+/g, ' ').trim())
      .find((text) => text !== '' && text.length <= MAX_FIELD_LENGTH)
  const container = first('prism:publicationname')
  const doi = doiOf(xmp, subject, firstPage)
  const isbn = first('prism:isbn')
  if (!container && !doi && !isbn) return null
  const pages = [first('prism:startingpage'), first('prism:endingpage')].filter(Boolean).join('-')
  return withoutEmpty({
    type: container
      ? (TYPES.get(first('prism:aggregationtype')?.toLowerCase() ?? '') ?? 'article-journal')
      : isbn && 'book',
    author: authorsOf(xmp('dc:creator')),
    issued: issuedOf(first('prism:coverdate', 'prism:publicationdate')),
    'container-title': container,
    publisher: first('dc:publisher'),
    volume: first('prism:volume'),
    issue: first('prism:number'),
    page: first('prism:pagerange') ?? pages,
    DOI: doi,
    ISBN: isbn,
    ISSN: first('prism:issn'),
  })
}

/** The page's DOI counts only if it's the only one: otherwise it may belong to a cited work. */
function doiOf(xmp: PdfProperties['xmp'], subject: string, firstPage: readonly Line[]): string | undefined {
  const said = ['prism:doi', 'crossmark:doi', 'pdfx:doi', 'dc:identifier'].flatMap(xmp)
  const [known] = [...said, subject].flatMap(doisIn)
  const printed = doisIn(firstPage.map(({ text }) => text).join('\n'))
  const doi = known ?? (printed.length === 1 ? printed[0] : undefined)
  return doi && doi.length <= MAX_FIELD_LENGTH ? doi : undefined
}

function authorsOf(creators: readonly string[]): Reference['author'] {
  const names = creators.flatMap((name) => chooseAuthor(name) ?? [])
  return names.length > 0
    ? names.slice(0, MAX_AUTHORS).map((name) => nameOf(name.slice(0, MAX_AUTHOR_LENGTH)))
    : undefined
}

function issuedOf(date: string | undefined): Reference['issued'] {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?/.exec(date ?? '') ?? []
  return year && dayOf(date)
    ? { 'date-parts': [[year, month, day].flatMap((part) => (part ? Number(part) : []))] }
    : undefined
}

const withoutEmpty = (reference: { [Field in keyof Reference]: Reference[Field] | undefined | '' }): Reference =>
  Object.fromEntries(Object.entries(reference).filter(([, value]) => value))
