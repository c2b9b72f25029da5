import { msg, t } from '../lib/i18n/i18n.ts'

/** The backend's messages with parameters. Its other messages are in the catalogues word for word. */
const WITH_HOLES = [
  msg('{address} is a member already.'),
  msg('You are the only owner of {libraries}.'),
  msg('The metadata is not accepted: {reason}'),
  msg('A legal hold keeps “{title}”: {reason}'),
  msg('A retention rule keeps “{title}” until {date}.'),
  msg('The PDF has {count} pages, the limit is {limit}. Split it and upload the parts.'),
  msg(
    'The document is too long: {count} million characters, the limit is {limit} million. Split it and upload the parts.',
  ),
  msg('The document is too long: {count} passages, the limit is {limit}. Split it and upload the parts.'),
  msg('“{name}” is damaged or is not what its name says. Open it on your computer, save it again and upload that.'),
  msg('“{name}” calls itself {claimed}, but it is plain text. Give it its true ending, or upload the original.'),
  msg('“{name}” calls itself {claimed}, but its content is {found}. Give it its true ending, or upload the original.'),
  msg('This is {found}, which we cannot read. Save it as PDF, Word (.docx), Markdown or plain text and upload that.'),
  msg('The link leads to {type}, which is no page to read.'),
  msg('The page is larger than {size} MB. Download it and upload the part you need.'),
  msg('The site answered with an error ({status}). Fetch the link again later.'),
  msg(
    'Documents cannot be read now: the function “ingest” answered with the status {status}. Whoever runs this service finds the reason in its log.',
  ),
  // Without parameters; they stand in the migrations.
  msg('Documents cannot be read now: the function “ingest” is not deployed. Whoever runs this service deploys it.'),
  msg(
    'Documents cannot be read now: the function “ingest” cannot start. Whoever runs this service finds the reason in its log.',
  ),
  msg(
    'Documents cannot be read now: the function “ingest” cannot be reached. Whoever runs this service stores its address in the vault as “project_url”.',
  ),
  msg('Reading this document broke off three times. Make it smaller or split it, then upload the parts.'),
  msg('Something went wrong on our side while reading this document. Read it again.'),
  msg('Something went wrong on our side while fetching this link. Read it again.'),
]

/** Parameters that are words of our own and have a translation. */
const KINDS = new Set([
  msg('a PDF'),
  msg('a PNG image'),
  msg('a JPEG image'),
  msg('a GIF image'),
  msg('a WebP image'),
  msg('an AVIF image'),
  msg('a ZIP archive'),
  msg('an old or a protected Office document'),
  msg('a gzip archive'),
  msg('a program'),
  msg('a Word document'),
  msg('a book (EPUB)'),
  msg('a presentation'),
  msg('a spreadsheet'),
  msg('a text document (ODT)'),
  msg('an RTF document'),
  msg('a mail'),
  msg('a saved web page'),
  msg('a text'),
  msg('something unknown'),
])

/** Translates a message of the backend, which is in English, into the language on screen. An unknown message is returned
 *  unchanged. */
export function translateBackendMessage(text: string, withHoles: readonly string[] = WITH_HOLES): string {
  for (const message of withHoles) {
    const holes = patternOf(message).exec(text)?.groups
    if (holes) return t(message, Object.fromEntries(Object.entries(holes).map(([name, value]) => [name, named(value)])))
  }
  // A text with braces was not written as a message format.
  return /[{}]/.test(text) ? text : t(text)
}

const named = (value: string): string => (KINDS.has(value) ? t(value) : value)

const patternOf = (message: string): RegExp => {
  const pattern = message.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')
  return new RegExp(`^${pattern}$`, 's')
}
