import { Buffer } from 'node:buffer'
import { Unreadable } from '../errors.ts'
import { chooseAuthor, chooseTitle, dayOf } from './about.ts'
import { decodeAs } from './charset.ts'
import { type Extraction, escaped } from './extraction.ts'
import { extractionOf } from './html.ts'
import tables from './rtf.json' with { type: 'json' }

const DAMAGED = 'rtf_damaged'
/** Groups without text of the document. Unknown groups that begin with `\*` are skipped, too. */
const SKIPPED =
  /^(?:colortbl|pict|object|filetbl|listtable|listoverridetable|revtbl|rsidtbl|generator|shprslt|xmlnstbl|themedata|colorschememapping|datastore|latentstyles|pgptbl|operator|bkmkstart|bkmkend|nonshppict|shppict|sp|sn|sv|comment|doccomm|company|category|keywords|subject|manager|tc|xe)$/
const KEPT = /^(?:fldinst|fonttbl|info|title|author|stylesheet|footnote|annotation|shpinst|shptxt)$/
/** Headers and footers of pages: left, right and first ones may say the same. */
const RUNNING = /^(?:header|footer)[lrf]?$/
/** Code pages of the words for character sets and of fonts' character sets (`\fcharset`), and names of encodings that
 *  aren't called cp…. */
const [CODE_PAGES, ENCODINGS] = [new Map(Object.entries(tables.codePages)), new Map(Object.entries(tables.encodings))]
const CHARACTERS = new Map(Object.entries(tables.characters))
const MAX_DEPTH = 500
const TOKEN = /([{}])|\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\([^a-z0-9])|([^{}\\\r\n]+)|[\r\n]+|\\/giy

type Group = { readonly destination: string; readonly unicodeSkip: number; readonly font: number | null }

/** Converts Rich Text Format (version 1.9) to sections under its headings, with a readable copy of paragraphs, headings
 *  and lists. A table row becomes a paragraph; pictures are left out.
 *  @throws {Unreadable} if it's damaged, malicious or contains no text. */
export function extractRtf(bytes: Uint8Array): Extraction {
  const { html, info } = new Reader().read(Buffer.from(bytes).toString('latin1'))
  const about = {
    title: chooseTitle(info.title),
    author: chooseAuthor(info.author),
    dated: info.date,
  }
  return { ...extractionOf('rtf', html, 'document_without_text'), about }
}

class Reader {
  #html = ''
  #text = ''
  #bytes: number[] = []
  #codePage = 1252
  readonly #fonts = new Map<number, number>()
  #font = 0
  #defaultFont: number | null = null
  #stack: Group[] = []
  #group: Group = { destination: '', unicodeSkip: 1, font: null }
  #isStarred = false
  /** Fallback characters after a \u for older readers. */
  #toSkip = 0
  #level = 0
  #isItem = false
  #isInTable = false
  #style = 0
  readonly #styleLevels = new Map<number, number>()
  readonly #running = ['']
  readonly #info = { title: '', author: '', fldinst: '' }

  read(source: string) {
    TOKEN.lastIndex = 0
    for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
      const [, brace, word, parameter, hex, symbol, text] = match
      if (brace === '{') this.#open()
      else if (brace === '}') this.#close()
      else if (word) this.#control(word, parameter === undefined ? undefined : Number(parameter))
      else if (hex) this.#plain(String.fromCharCode(Number.parseInt(hex, 16)))
      else if (symbol === '*') this.#isStarred = /\{\s*$/.test(source.slice(Math.max(0, match.index - 3), match.index))
      else if (symbol === '\n' || symbol === '\r') this.#control('par', undefined)
      else if (symbol) this.#write(CHARACTERS.get(symbol) ?? '')
      else if (text) this.#plain(text)
    }
    this.#endParagraph()
    this.#level = 0
    this.#isItem = false
    for (const text of new Set(this.#running.map((one) => one.replace(/\s+/g, ' ').trim()))) {
      this.#text = text
      this.#endParagraph()
    }
    const [, ...created] = /\\creatim\s*\\yr(\d{4})\\mo(\d+)\\dy(\d+)/.exec(source) ?? []
    const date = dayOf(created.map((part) => part.padStart(2, '0')).join('-'))
    return { html: this.#html.replaceAll('</ul>\n<ul>', ''), info: { ...this.#info, date } }
  }

  #open(): void {
    if (this.#stack.length >= MAX_DEPTH) throw new Unreadable(DAMAGED)
    this.#flush()
    this.#stack.push(this.#group)
    this.#isStarred = false
  }

  #close(): void {
    this.#flush()
    if (this.#group.destination === 'footnote' && this.#stack.at(-1)?.destination === '') this.#text += ')'
    const { destination } = this.#group
    this.#group = this.#stack.pop() ?? this.#group
    if (destination === 'fldinst' && this.#group.destination !== 'fldinst') {
      this.#append(rubyBase(this.#info.fldinst))
      this.#info.fldinst = ''
    }
    if (destination === 'running' && this.#group.destination === '') this.#running.push('')
    this.#toSkip = 0
  }

  #control(word: string, parameter: number | undefined): void {
    if (word === 'bin') TOKEN.lastIndex += Math.max(0, parameter ?? 0)
    const { destination } = this.#group
    const isDestination = KEPT.test(word) || SKIPPED.test(word) || this.#isStarred
    this.#isStarred &&= false
    if (RUNNING.test(word)) this.#enter('running')
    else if (isDestination && word !== 'title' && word !== 'author')
      this.#enter(word === 'annotation' ? 'footnote' : KEPT.test(word) ? word : 'skipped')
    else if (isDestination) this.#enter(destination === 'info' ? word : 'skipped')
    else if (destination === 'stylesheet') this.#style = word === 's' ? (parameter ?? 0) : this.#style
    else if (destination === 'fonttbl') this.#describeFont(word, parameter ?? 0)
    else if (word === 'deleted' && parameter !== 0) this.#enter('deleted')
    else if (destination === 'deleted' && /^(?:deleted|plain)$/.test(word)) this.#enter('')
    else if (word === 'ansicpg') this.#codePage = parameter ?? 1252
    else if (CODE_PAGES.has(word)) this.#codePage = CODE_PAGES.get(word) ?? 1252
    else if (word === 'deff') this.#defaultFont = parameter ?? 0
    else if (word === 'f' || word === 'plain') this.#setFont(word === 'f' ? (parameter ?? 0) : null)
    else if (word === 'uc') this.#group = { ...this.#group, unicodeSkip: Math.min(8, Math.max(0, parameter ?? 1)) }
    else if (word === 'u') this.#unicode(parameter ?? 0)
    else if (destination === 'running') this.#write(word === 'tab' || word === 'line' || word === 'par' ? ' ' : '')
    else if (destination === '' || destination === 'footnote' || destination === 'shptxt') this.#format(word, parameter)
  }

  #describeFont(word: string, parameter: number): void {
    if (word === 'f') this.#font = parameter
    const page = word === 'cpg' ? parameter : word === 'fcharset' ? CODE_PAGES.get(`${parameter}`) : undefined
    if (page) this.#fonts.set(this.#font, page)
  }

  #setFont(font: number | null): void {
    this.#flush()
    this.#group = { ...this.#group, font }
  }

  #enter(destination: string): void {
    if (this.#group.destination === 'skipped') return
    this.#flush()
    if (destination === 'title' || destination === 'author') this.#info[destination] = ''
    if (destination === 'footnote' && this.#group.destination === '') this.#write(' (')
    this.#group = { ...this.#group, destination }
  }

  #format(word: string, parameter = 0): void {
    if (word === 'par' || word === 'sect' || word === 'page') {
      if (this.#group.destination === '' && !this.#isInTable) this.#endParagraph()
      else this.#write(' ')
    } else if (word === 'row') {
      this.#isInTable = false
      this.#endParagraph()
    } else if (word === 'cell' || word === 'nestcell') this.#write(' | ')
    else if (word === 'intbl' || word === 'trowd') this.#isInTable = true
    else if (word === 'pard' && this.#group.destination === '') {
      this.#level = 0
      this.#isItem = false
      this.#isInTable = false
    } else if (word === 'pntext' || word === 'listtext') {
      this.#isItem = true
      // The paragraph's own style continues after the number.
      this.#enter('shptxt')
    } else if (word === 's') this.#level = this.#styleLevels.get(parameter) ?? 0
    else if (word === 'outlinelevel') this.#level = parameter < 6 ? parameter + 1 : 0
    else if (word === 'ls') this.#isItem = true
    else if (CHARACTERS.has(word)) this.#write(CHARACTERS.get(word) ?? '')
  }

  #plain(text: string): void {
    const rest = text.slice(Math.min(this.#toSkip, text.length))
    this.#toSkip = Math.max(0, this.#toSkip - text.length)
    for (let at = 0; at < rest.length; at++) this.#bytes.push(rest.charCodeAt(at))
  }

  #unicode(code: number): void {
    this.#write(String.fromCharCode(code < 0 ? code + 65_536 : code))
    this.#toSkip = this.#group.unicodeSkip
  }

  #write(text: string): void {
    this.#flush()
    this.#append(text)
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const codePage = this.#fonts.get(this.#group.font ?? this.#defaultFont ?? -1) ?? this.#codePage
    const text = decodedAs(codePage, new Uint8Array(this.#bytes))
    this.#bytes = []
    this.#append(text)
  }

  #append(text: string): void {
    const { destination } = this.#group
    if (destination === '' || destination === 'footnote' || destination === 'shptxt') this.#text += text
    else if (destination === 'running') this.#running.push(`${this.#running.pop()}${text}`)
    else if (destination === 'title' || destination === 'author' || destination === 'fldinst')
      this.#info[destination] += text
    else if (destination === 'stylesheet') {
      const level = /heading ([1-6])/i.exec(text)?.[1] ?? (/^\s*title;/i.test(text) ? '1' : undefined)
      if (level) this.#styleLevels.set(this.#style, Number(level))
    }
  }

  #endParagraph(): void {
    this.#flush()
    const text = this.#text
      .replace(/(?: \| )+$/, '')
      .replace(/\(\s+/g, '(')
      .replace(/ {1,9}\)/g, ')')
      .toWellFormed()
      .trim()
    this.#text = ''
    const item = /^[•·▪◦‣\uf0b7-]\s+(.+)$/s.exec(text)?.[1] ?? (this.#isItem ? text : undefined)
    if (text === '' || text === '•') return
    const content = escaped(item ?? text).replaceAll('\n', '<br>')
    if (this.#level > 0) this.#html += `<h${this.#level}>${content}</h${this.#level}>\n`
    else this.#html += item === undefined ? `<p>${content}</p>\n` : `<ul><li>${content}</li></ul>\n`
  }
}

/** Returns the base text of a ruby from a field's instruction, which draws one text over another; empty for others. */
export const rubyBase = (instruction: string): string =>
  (/^\s*EQ\b/.test(instruction) && /\\o\b/.test(instruction) && /\),([^()]*)\)\s*$/.exec(instruction)?.[1]) || ''

/** Decodes text in a code page of Windows, or in its default. */
export function decodedAs(page: number, bytes: Uint8Array): string {
  try {
    return decodeAs(ENCODINGS.get(`${page}`) ?? `cp${page}`, bytes)
  } catch {
    return decodeAs('windows-1252', bytes)
  }
}
