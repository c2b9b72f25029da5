import { doiAddress, type Reference, referenceOf, storable } from '../../domain/reference.ts'
import { t } from '../../lib/i18n/i18n.ts'

/** Milliseconds. */
const MAX_WAIT_MS = 10_000
/** Bytes. An article's response also lists all its references. */
const MAX_RESPONSE_BYTES = 5_000_000
const MAX_TEXT_LENGTH = 300

/** Crossref types with another name in CSL. */
const TYPES: Readonly<Record<string, string>> = {
  'journal-article': 'article-journal',
  'proceedings-article': 'paper-conference',
  'book-chapter': 'chapter',
  monograph: 'book',
  dissertation: 'thesis',
}
/** Single texts here; registries may send a number or a list. */
const TEXTS = new Set(['container-title', 'publisher', 'volume', 'issue', 'page', 'edition', 'ISSN', 'ISBN'])

/** Looks up a DOI's reference at doi.org, which redirects to its registry (Crossref, DataCite and others).
 *  @throws {Error} with a hint if there is no usable response. */
export async function lookUpDoi(doi: string): Promise<Reference> {
  const text = await ask(doiAddress(doi)).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new Error(t('doi.org didn’t answer within ten seconds. Try again, or fill in the fields by hand.'))
    }
    throw new Error(t('doi.org couldn’t be reached. Check your connection, or fill in the fields by hand.'))
  })
  if (text === null) throw new Error(t('doi.org doesn’t know this DOI. Check it for typos.'))
  const reference = read(text)
  if (!reference) {
    throw new Error(t('doi.org doesn’t say how this work is cited. Fill in the fields by hand.'))
  }
  return reference
}

/** @returns null for an unknown DOI, and an empty text for an unusable response. */
async function ask(address: string): Promise<string | null> {
  const answer = await fetch(address, {
    headers: { Accept: 'application/vnd.citationstyles.csl+json' },
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  })
  if (answer.status === 404) return null
  return answer.ok && answer.body ? await beginningOf(answer.body) : ''
}

/** Returns the response's text; empty if it's too long. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_RESPONSE_BYTES) {
      await reader.cancel()
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Parses a foreign response to a storable reference, or null. */
function read(text: string): Reference | null {
  try {
    const reference = referenceOf(JSON.parse(text, (key, value: unknown) => tidy(key, value)))
    if (!reference) return null
    // Readers would follow the URL, and the citation key is private.
    const { type, URL: _address, 'citation-key': _key, ...rest } = reference
    const isSaid = Object.values(rest).some((value) => value !== undefined)
    return isSaid ? storable({ ...rest, type: type && (Object.hasOwn(TYPES, type) ? TYPES[type] : type) }) : null
  } catch {
    return null
  }
}

function tidy(key: string, value: unknown): unknown {
  const one = TEXTS.has(key) && Array.isArray(value) ? value[0] : value
  const text = TEXTS.has(key) && typeof one === 'number' ? String(one) : one
  if (typeof text !== 'string') return text
  const line = text
    .replaceAll('&amp;', '&')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return line.slice(0, MAX_TEXT_LENGTH).toWellFormed()
}
