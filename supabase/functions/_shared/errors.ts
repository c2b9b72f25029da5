// Errors of the functions: each has a code, which the app translates (`error.CODE` in src/locales), and an English
// message for everyone else. The database's errors are in supabase/schemas/base/errors.sql.

/** Characters. */
const MAX_LENGTH = 1000

/** Makes foreign text storable in Postgres: no NUL, no split surrogate pair, limited length. Otherwise storing an error
 *  report could fail, and its document would be read again and again. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, MAX_LENGTH).toWellFormed()

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** The parameters that a text names: none, or one object with all of them. */
type ParametersOf<Text> = [Names<Text>] extends [never]
  ? readonly []
  : readonly [parameters: Readonly<Record<Names<Text>, string | number>>]

export type ProblemParameters = Readonly<Record<string, string | number>>

export type Problem = { readonly code: string; readonly message: string; readonly parameters?: ProblemParameters }

/** Rejected requests: HTTP status, message, and an optional hint. `{name}` is replaced by a parameter. */
export const REFUSALS = {
  body_not_json: [400, 'The body of the request is not JSON.'],
  body_too_large: [413, 'The body of the request is larger than 1 MB.'],
  method_not_allowed: [405, 'Send a POST request.'],
  not_the_database: [401, 'Send the key of the database in the header x-database-key.'],
  not_the_project: [401, 'Only the project itself may call this, with its secret key.'],
  request_invalid: [400, '{usage}'],
  unforeseen: [500, 'Something went wrong on our side.', 'Try again in a moment.'],

  not_accepted: [400, 'The library doesn’t accept this.'],
  not_allowed: [403, 'You don’t have permission to do this.'],

  account_exists: [409, 'This address already has an account.', 'Sign in to accept the invitation.'],
  conversation_gone: [404, 'This conversation no longer exists.', 'Start a new one.'],
  email_invalid: [400, 'This isn’t an email address.', 'It needs a name, an @ and a domain, such as ada@example.org.'],
  document_not_readable: [404, 'The document doesn’t exist, has nothing to read yet, or you can’t edit it.'],
  file_link_invalid: [
    404,
    'This link doesn’t accept files.',
    'It has expired, was closed, received all its files, or is incomplete.',
  ],
  file_request_busy: [429, 'Too much was sent within an hour.', 'Try again in an hour.'],
  received_file_too_large: [413, 'The file is larger than {size} MB, which is the limit here.'],
  received_file_type: [415, 'This kind of file isn’t accepted here.'],
  invitation_link_invalid: [404, 'This link is no longer valid.', 'Ask the person who invited you for a new one.'],
  library_denied: [404, 'The library doesn’t exist, or you aren’t a member of it.'],
  share_link_invalid: [404, 'This link doesn’t show a file.', 'It may have expired or been revoked.'],

  dns_record_missing: [
    409,
    'The domain doesn’t have this record yet.',
    'New records can take an hour to spread. Check again later.',
  ],
  dns_record_other: [
    409,
    'The domain’s record has a different value.',
    'Copy the value from here, or add a second record next to the existing one.',
  ],
  dns_unavailable: [409, 'The domain’s DNS couldn’t be reached.', 'Try again in a few minutes.'],
  metadata_invalid: [400, 'The metadata isn’t accepted: {reason}'],
  metadata_unreachable: [
    409,
    'The metadata address couldn’t be read.',
    'It has to be public, on one host, over https and without sign-in. Otherwise upload the file.',
  ],
  provider_not_shareable: [409, 'That domain has no identity provider to share.', 'Reload the page, then try again.'],
  saml_entity_id_mismatch: [
    409,
    'This is the metadata of another identity provider.',
    'To change to another one, remove the domain and set it up again.',
  ],
  saml_idp_already_exists: [
    409,
    'This identity provider is already set up here.',
    'If it belongs to another domain of this library, choose that domain. Otherwise verify the domain of the provider’s entity ID, give its metadata by address, or ask the service’s administrator.',
  ],
  saml_provider_disabled: [
    409,
    'SAML sign-in isn’t enabled here.',
    'The service’s administrator can turn it on (docs/sign-in-by-company.md).',
  ],
  sign_in_domain_gone: [404, 'This domain no longer exists.', 'Only owners of its library can see it.'],
  sign_in_domain_of_another_library: [
    409,
    'Another library has already verified this domain.',
    'A domain belongs to one library. Its owners can remove it there.',
  ],
  sign_in_domain_removed: [409, 'The domain was just removed.', 'Reload the page, then try again.'],
  sign_in_domain_unverified: [409, 'Verify the domain first.', 'Then set up the identity provider.'],
  sso_domain_already_exists: [
    409,
    'Another connection of this service uses this domain.',
    'The service’s administrator can remove it.',
  ],
  sso_provider_changed: [409, 'Someone else changed this at the same moment.', 'Try again.'],
  sso_provider_not_found: [
    409,
    'The auth service no longer has this connection.',
    'Remove the domain and set it up again.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string, hint?: string]>>
export type RefusalCode = keyof typeof REFUSALS

/** Why a document can't be read. Shown on the document to people who can fix it. */
export const UNREADABLE = {
  file_damaged:
    '“{name}” is damaged or isn’t what its name says. Open it on your computer, save it again and upload that.',
  file_empty: 'The file is empty. Check the original and upload it again.',
  file_misnamed: '“{name}” is named {claimed}, but its content is {found}. Rename it, or upload the original.',
  file_misnamed_text: '“{name}” is named {claimed}, but it is plain text. Rename it, or upload the original.',
  file_without_text: 'The file has no text. Check the original and upload it again.',
  stored_file_gone: 'The stored file is missing. Upload the file again.',
  fetching_failed: 'Something went wrong on our side while fetching this link. Read it again.',
  reading_failed: 'Something went wrong on our side while reading this document. Read it again.',

  text_too_long:
    'The document is too long: {count} million characters; the limit is {limit} million. Split it and upload the parts.',
  too_many_cells: 'This spreadsheet has too many cells to read at once. Split it and upload the parts.',
  too_many_pages: 'The PDF has {count} pages; the limit is {limit}. Split it and upload the parts.',
  too_many_passages: 'The document is too long: {count} passages; the limit is {limit}. Split it and upload the parts.',

  archive_damaged:
    'This file is damaged and can’t be unpacked. Open it on your computer, save it again and upload that copy.',
  archive_protected: 'This file is protected with a password. Save a copy without one and upload that.',
  archive_too_large:
    'This file unpacks to far more than a document can hold. Save it again from the program that made it.',
  book_damaged: 'This book is damaged and can’t be read. Download it again from its source and upload that.',
  book_protected: 'This book is protected by its store and only opens there. Upload a copy without protection.',
  book_without_text: 'This book has no text, only pictures.',
  document_of_pictures: 'This document has no text. If it holds pictures of pages, run it through OCR first.',
  document_without_text: 'This document has no text. Check the original.',
  docx_damaged:
    'This Word document is damaged and can’t be read. Open it on your computer, save it again and upload that copy.',
  mail_damaged: 'This email is damaged and can’t be read. Save it again from your email app and upload that.',
  mail_without_text: 'This email has no text.',
  odt_damaged:
    'This text document is damaged and can’t be read. Open it on your computer, save it again and upload that copy.',
  page_too_deep: 'This page is nested too deeply to read. Open it in a browser, print it to PDF and upload that.',
  page_without_text: 'This page has no text. If it is built by scripts, print it to PDF and upload that.',
  pdf_damaged: 'This PDF is damaged and can’t be opened. Open it on your computer, save it again and upload that copy.',
  pdf_protected: 'This PDF is protected with a password. Save a copy without it (print it to PDF) and upload that.',
  pdf_without_text: 'This PDF holds pictures of pages but no text.',
  picture_damaged: 'This picture is damaged. Open it on your computer, save it again and upload that copy.',
  pptx_damaged:
    'This presentation is damaged and can’t be read. Open it on your computer, save it again and upload that copy.',
  rtf_damaged:
    'This RTF document is damaged and can’t be read. Open it on your computer, save it again and upload that copy.',
  saved_page_missing: 'This file contains no page. Save the page again from your browser and upload that.',
  sheets_empty: 'The sheets of this file are empty. Check the original.',
  slides_without_text: 'These slides have no text. If they are pictures, run them through OCR first.',
  table_empty: 'The table has no rows below its column names. Check the original.',
  xlsx_damaged:
    'This spreadsheet is damaged and can’t be read. Open it on your computer, save it again and upload that copy.',

  link_elsewhere: 'The address redirects to another one. Use that one; it has to start with https.',
  link_invalid: 'This isn’t a web address. Check it in a browser, then add the link again.',
  link_is_no_page: 'The link leads to {found}, which can’t be read as a page.',
  link_not_public: 'This address isn’t on the public internet, so it isn’t fetched.',
  link_not_web: 'Only web pages can be saved.',
  link_redirects_endlessly: 'The page redirects endlessly.',
  link_redirects_nowhere: 'The page redirects to an invalid address.',
  link_with_password: 'Addresses with a password in them aren’t fetched.',
  page_missing: 'There’s no page at this address. Check it in a browser.',
  page_needs_sign_in: 'The page is only shown after signing in there. Save it from your browser and upload that.',
  page_too_large: 'The page is larger than {size} MB. Download it and upload the part you need.',
  site_busy: 'The site asks us to come back later. Fetch the link again in a while.',
  site_failed: 'The site answered with an error ({status}). Fetch the link again later.',
  site_slow: 'The site takes too long to answer. Fetch the link again later.',
  site_unknown: 'This site doesn’t exist. Check the address in a browser.',
  site_unreachable: 'The site can’t be reached. Check the address in a browser, and fetch the link again later.',
} as const
export type UnreadableCode = keyof typeof UNREADABLE
/** The codes whose texts take no parameters. */
export type PlainUnreadableCode = {
  [Code in UnreadableCode]: ParametersOf<(typeof UNREADABLE)[Code]> extends readonly [] ? Code : never
}[UnreadableCode]

export const UNDELIVERED = {
  receiver_not_public:
    '{host} isn’t on the public internet. The service’s administrator can allow it in WEBHOOK_ALLOWED_HOSTS.',
  receiver_silent: 'No answer within {seconds} seconds.',
  receiver_unknown: 'No host is called {host}.',
  receiver_unreachable: 'The receiver can’t be reached: {reason}',
} as const
export type UndeliveredCode = keyof typeof UNDELIVERED

export const NOTICES = {
  model_broke_off: 'The model stopped here.',
  model_said_more: 'Parts of the model’s answer aren’t supported by the passages it cites. They’re left out.',
  model_silent: 'The model doesn’t answer, so these are quotes.',
  model_unsupported: 'The passages the model cites don’t support its answer. These are quotes.',
} as const
export type NoticeCode = keyof typeof NOTICES

/** The content types in `{claimed}` and `{found}`. The app translates them (`kind.CODE`). */
export const KINDS = {
  pdf: 'a PDF',
  docx: 'a Word document',
  pptx: 'a presentation',
  xlsx: 'a spreadsheet',
  epub: 'a book (EPUB)',
  odt: 'a text document (ODT)',
  rtf: 'an RTF document',
  eml: 'an email',
  mht: 'a saved web page',
  text: 'a text',
  png: 'a PNG image',
  jpg: 'a JPEG image',
  gif: 'a GIF image',
  webp: 'a WebP image',
  avif: 'an AVIF image',
  tiff: 'a TIFF image',
  heic: 'a HEIC image',
  zip: 'a ZIP archive',
  ole: 'an old or a protected Office document',
  gzip: 'a gzip archive',
  program: 'a program',
  unknown: 'something unknown',
} as const
export type KindCode = keyof typeof KINDS

const MESSAGES = { ...UNREADABLE, ...UNDELIVERED, ...NOTICES }
const NAMES: Readonly<Record<string, string>> = KINDS

const filled = (message: string, parameters: ProblemParameters): string =>
  message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(parameters[name] ?? '')
    return name === 'claimed' || name === 'found' ? (NAMES[value] ?? value) : value
  })

function problem(code: string, message: string, given?: ProblemParameters): Problem {
  if (!given) return { code, message }
  const parameters = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
  )
  return { code, message: filled(message, parameters), parameters }
}

export const problemOf = <Code extends keyof typeof MESSAGES>(
  code: Code,
  ...[parameters]: ParametersOf<(typeof MESSAGES)[Code]>
): Problem => problem(code, MESSAGES[code], parameters)

export class Refusal extends Error {
  readonly status: number
  readonly body: Problem & { readonly hint?: string }

  constructor(status: number, body: Problem & { readonly hint?: string }) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

export function refusal<Code extends RefusalCode>(
  code: Code,
  ...[parameters]: ParametersOf<(typeof REFUSALS)[Code][1]>
): Refusal {
  const [status, message, hint] = REFUSALS[code] as readonly [number, string, string?]
  return new Refusal(status, { ...problem(code, message, parameters), ...(hint ? { hint } : {}) })
}

/** The content can't be read; the message tells the uploader what to do. */
export class Unreadable<Code extends UnreadableCode = UnreadableCode> extends Error {
  readonly problem: Problem

  constructor(code: Code, ...parameters: ParametersOf<(typeof UNREADABLE)[Code]>) {
    const problem = problemOf(code, ...parameters)
    super(problem.message)
    this.problem = problem
  }
}

type DatabaseError = { readonly message: string; readonly details?: string | null; readonly hint?: string | null }

/** Parses an error raised by private.refuse(), which stores code and parameters in DETAIL. Undefined for other errors. */
export function refusedBy({ message, details, hint }: DatabaseError): Refusal['body'] | undefined {
  try {
    const { code, parameters } = JSON.parse(details ?? '')
    if (typeof code !== 'string') return
    return { code, message, ...(parameters ? { parameters } : {}), ...(hint ? { hint } : {}) }
  } catch {
    return
  }
}

/** HTTP status by SQLSTATE; other refusals are 400. */
const STATUS = new Map([
  ['42501', 403],
  ['23505', 409],
])

/** Converts a database error to a refusal, with our rule's reason if any. Undefined for internal errors. */
export function refusalFrom(error: DatabaseError & { readonly code: string }): Refusal | undefined {
  const told = refusedBy(error)
  if (told) return new Refusal(STATUS.get(error.code) ?? 400, told)
  if (error.code === '42501') return refusal('not_allowed')
  if (/^2[23]/.test(error.code)) return refusal('not_accepted')
}
