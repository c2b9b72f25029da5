import codePages from './code-pages.json' with { type: 'json' }

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
/** The upper halves of DOS code pages, which browsers can't decode, and browsers' labels by jschardet's names (`guessed`). */
const [DOS, LABELS] = [new Map(Object.entries(codePages.dos)), new Map(Object.entries(codePages.labels))]
/** The share of invalid characters tolerated in an encoding: logs have torn lines, and downloads break off. */
const MAX_DAMAGED_SHARE = 0.05
/** Other encodings hardly ever have sequences that are valid in UTF-8. */
const MAX_DAMAGED_SHARE_UTF8 = 0.5
/** The share of implausible sequences that a declared encoding may have. */
const MAX_FAULTY_SHARE = 0.2
/** Bytes searched for a declared encoding, and bytes used for guessing. */
const HEAD = 4096
const SAMPLE = 200_000
const DECLARED =
  /^\s*<\?xml\b[^>]{0,300}?\bencoding\s*=\s*["']([\w.:-]+)|<meta\b[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w.:-]+)|^(?:[^\n]*\n)?[^\n]{0,200}?\b(?:coding[:=]|encoding:)[ \t]*([\w.-]+)/i

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'].map((name) => `\\p{sc=${name}}`)
/** Sequences of no language: adjacent letters of two scripts, a symbol or capital inside a word, C1 controls. */
const IMPLAUSIBLE = new RegExp(
  [
    ...SCRIPTS.map((one) => `${one}(?=[${SCRIPTS.filter((other) => other !== one).join('')}])`),
    '\\p{L}[^\\p{L}\\p{M}\\x00-\\x7f\\u00a0\\u00ad·‐-―’\\u3000-\\u303f\\uff00-\\uff65]\\p{L}',
    '\\p{L}[─-▟]|[─-▟]\\p{L}',
    '\\p{Ll}[\\p{Lu}--[A-Z]]',
    '[\\x80-\\x9f\\ufffd]',
    // Korean has spaces; Japanese that is taken for it has none.
    '\\p{sc=Hangul}{12}',
  ].join('|'),
  'gv',
)

const LETTERS = /[a-z\x80-\xff][\x80-\xff]|[\x80-\xff][a-z]/i

/** Decodes a file by its byte order mark, as UTF-8, by its declared encoding, or by byte statistics. Ingestion and the
 *  reader share this code, so text positions match.
 *  @param mayBeBinary Whether only the bytes can show that the file is text; they then have to look like it.
 *  @returns null if it isn't text. */
export async function decodeText(bytes: Uint8Array, mayBeBinary = false): Promise<string | null> {
  const text =
    decodeUnicode(bytes, mayBeBinary) ?? plausible(decoded(bytes, declaredIn(bytes))) ?? (await guessed(bytes))
  if (text === null) return null
  const controls = countOf(text, /[\x00-\x06\x0e-\x19\x1c-\x1f\ufffd]/g)
  if (controls > text.length * MAX_DAMAGED_SHARE || (mayBeBinary && controls > 0)) return null
  return withoutControls(text)
}

/** Returns null for text in another encoding than declared: Windows-1252 fits any bytes. */
function plausible(text: string | null): string | null {
  const sample = text?.slice(0, SAMPLE) ?? ''
  return countOf(sample, IMPLAUSIBLE) > countOf(sample, /[^\0-\x7f]/g) * MAX_FAULTY_SHARE ? null : text
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Like decodeText, but never guesses: for formats that define how they declare their encoding (XML).
 *  @returns null if the bytes aren't valid in any declared encoding. */
export const decodeDeclared = (bytes: Uint8Array): string | null =>
  decodeUnicode(bytes) ?? decoded(bytes, declaredIn(bytes))

/** Decodes Unicode, and encodings in seven bits, which look like ASCII to the UTF-8 decoder. */
function decodeUnicode(bytes: Uint8Array, mayBeBinary = false): string | null {
  const wide = wideText(bytes, mayBeBinary)
  if (wide !== null) return wide
  const head = headOf(bytes)
  if (/\x1b(?:\$[@B]|\([IJ])/.test(head)) return new TextDecoder('iso-2022-jp').decode(bytes)
  const shifted = SHIFTED.find(({ sign }) => sign.test(head))
  return shifted
    ? decodeAs(shifted.label, bytesOf(decodeAs('latin1', bytes).replace(shifted.run, raised)))
    : decoded(bytes, 'utf-8')
}

/** Converts UTF-16 or UTF-32 text to UTF-8 without a mark, for formats parsed as bytes; returns other bytes unchanged. */
export function inUtf8(bytes: Uint8Array): Uint8Array {
  const wide = wideText(bytes)
  if (wide !== null) return new TextEncoder().encode(wide)
  return headOf(bytes).startsWith('ï»¿') ? bytes.subarray(3) : bytes
}

const HZ = /^(?=[\s\S]*~\{[!-w])(?:[^~\x80-\xff]|~[~\r\n]|~\{(?:[!-w][!-~])*(?:~\}|.?$))*~?$/
/** Encodings that write bytes from 0xa1 on as ASCII characters between two marks: ISO-2022-KR and HZ (RFC 1843), which
 *  uses no other tilde than a double one. */
const SHIFTED = [
  { label: 'euc-kr', sign: /\x1b\$\)C/, run: /\x1b\$\)C|\x0e([^\x0f\n]*)\x0f?/g },
  { label: 'gb18030', sign: HZ, run: /~\{((?:[!-w][!-~])+)~\}/g },
]
const raised = (_: string, signs = ''): string =>
  signs.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) | 0x80))

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0))

const decoders = new Map<string, TextDecoder>()

/** Like TextDecoder, which doesn't know the code pages of DOS. @throws {RangeError} if the encoding is unknown. */
export function decodeAs(label: string, bytes: Uint8Array): string {
  const upper = DOS.get(label.replace(/^(?:ibm|dos)-?/i, 'cp').toLowerCase())
  const charset = upper ? 'x-user-defined' : label
  const decoder = decoders.get(charset) ?? new TextDecoder(charset)
  decoders.set(charset, decoder)
  const text = decoder.decode(bytes)
  return upper ? text.replace(/[\uf780-\uf7ff]/g, (sign) => upper.charAt(sign.charCodeAt(0) - 0xf780)) : text
}

const headOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes.subarray(0, HEAD))

function declaredIn(bytes: Uint8Array): string | undefined {
  const [, xml, page, source] = DECLARED.exec(headOf(bytes)) ?? []
  return (xml ?? page ?? source)?.replace(/^latin-/i, 'latin').replace(/-(?:unix|dos|mac)$/, '')
}

/** Returns null if the encoding is unknown or the bytes aren't valid in it. */
export function decoded(bytes: Uint8Array, label: string | undefined): string | null {
  try {
    const text = label ? decodeAs(label, bytes) : null
    if (!text?.includes('\ufffd')) return text
    const most = label === 'utf-8' ? MAX_DAMAGED_SHARE_UTF8 : MAX_DAMAGED_SHARE
    // A text may also contain this character.
    const written = label === 'utf-8' ? countOf(decodeAs('latin1', bytes), /\xef\xbf\xbd/g) : 0
    const damaged = countOf(text, /\ufffd/g) - written
    return damaged <= countOf(text, /[^\0-\x7f\ufffd]/g) * most ? text : null
  } catch {
    return null
  }
}

/** Decodes UTF-16 and UTF-32, with or without a byte order mark: no other text has as many zero bytes. */
function wideText(bytes: Uint8Array, mayBeBinary = false): string | null {
  const head = headOf(bytes)
  const mark = { '\xff\xfe\0\0': 32, '\xff\xfe': 16, '\xfe\xff': -16, '\0\0\xfe\xff': -32 }
  const size = Object.entries(mark).find(([start]) => head.startsWith(start))?.[1]
  if (size === 16 || size === -16) return new TextDecoder(size > 0 ? 'utf-16le' : 'utf-16be').decode(bytes)
  if (size === undefined && !head.includes('\0')) return null
  const isLittle = size === undefined ? zerosAt(head, 1) > zerosAt(head, 0) : size > 0
  const utf32 = bytes.length % 4 === 0 ? textOfUtf32(bytes, isLittle) : null
  if (utf32 !== null || size !== undefined) return utf32
  if (zerosAt(head, isLittle ? 0 : 1) * 10 > zerosAt(head, isLittle ? 1 : 0)) return null
  if (mayBeBinary && zerosAt(head, isLittle ? 1 : 0) * 10 < head.length) return null
  const utf16 = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes)
  return /[\0-\x08\ufffd\p{Co}\p{Cn}]/u.test(utf16) ? null : utf16
}

const zerosAt = (head: string, place: 0 | 1): number =>
  Array.from(head).filter((sign, index) => sign === '\0' && index % 2 === place).length

function textOfUtf32(bytes: Uint8Array, isLittle: boolean): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signs: string[] = []
  for (let at = 0; at < bytes.length; at += 4) {
    const code = view.getUint32(at, isLittle)
    if (code === 0 || code > 0x10ffff) return null
    if (code !== 0xfeff) signs.push(String.fromCodePoint(code))
  }
  const rare = signs.filter((sign) => sign.length > 1).length
  return rare * 2 > signs.length ? null : signs.join('')
}

/** Of the encodings that fit the statistics, picks the first with the fewest implausible sequences. */
async function guessed(bytes: Uint8Array): Promise<string | null> {
  const { detectAll } = await import('jschardet')
  const start = Math.max(0, bytes.findIndex((byte) => byte > 0x7f) - 1000)
  // Its detector takes a single control character for a sign of binary data.
  const sample = bytes.slice(start, start + SAMPLE).map((byte) => (byte < 0x20 && byte !== 0x1b ? 0x20 : byte))
  const candidates = detectAll(sample, { detectEncodings: codePages.guessed, minimumThreshold: 0 })
    .slice(0, 8)
    .flatMap(({ encoding }) => encoding ?? [])
    .map((name) => LABELS.get(name) ?? name)
  // Isolated symbols, as in prices, say nothing about the language.
  if (!LETTERS.test(new TextDecoder('latin1').decode(sample))) candidates.unshift('windows-1252')
  let [best, least] = ['', Number.POSITIVE_INFINITY]
  for (const label of candidates) {
    const faults = countOf(decodeAs(label, sample), IMPLAUSIBLE)
    if (faults < least) [best, least] = [label, faults]
  }
  const text = best ? decodeAs(best, bytes) : null
  // The sign that ISO 8859-15 replaced with the euro's is rare. Windows-1252 also has signs at 80 to 9F.
  const isLatin9 =
    text?.includes('¤') && /1252|8859-1$/.test(best) && !bytes.some((byte) => byte >= 0x80 && byte < 0xa0)
  return isLatin9 ? new TextDecoder('iso-8859-15').decode(bytes) : text
}

/** Turns form feeds and classic Mac line ends into line breaks, resolves overstrikes (x, backspace, x), and removes
 *  terminal escape sequences and other control characters. */
function withoutControls(text: string): string {
  if (!/[\0-\x08\x0b-\x1f\x7f]/.test(text)) return text
  return text
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')
    .replace(/[^\n\x08]\x08/gu, '')
    .replace(/[\x0b\x0c]|\r(?!\n)/g, '\n')
    .replace(/[\0-\x08\x0e-\x1f\x7f]/g, '')
}
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: they are what is looked for
