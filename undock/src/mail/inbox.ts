import type { Clock } from '../kernel/service.ts'
import type { MailFile, MailFiles } from './mail-files.ts'
import { type ParsedMail, parseMail } from './message.ts'

/** A mail in the inbox. */
export type InboxMail = {
  readonly id: string
  readonly created: Date
  read: boolean
  tags: readonly string[]
  readonly size: number
  readonly mail: ParsedMail
}

export type InboxEvent = { readonly type: 'added' | 'changed' | 'removed'; readonly id: string }

/** The recipients of the SMTP envelope; only the envelope names Bcc recipients. */
export type Envelope = { readonly from: string; readonly to: readonly string[] }

/** The number of mails that Mailpit keeps; the oldest are deleted first. */
const CAPACITY = 500

/** The sent mails, newest first. */
export class Inbox {
  readonly #files: MailFiles
  readonly #clock: Clock
  readonly #mails = new Map<string, InboxMail>()
  readonly #listeners = new Set<(event: InboxEvent) => void>()
  // Steps run one at a time, so that a message that arrives while the folder is read isn't read twice.
  #queue: Promise<unknown>

  constructor(files: MailFiles, clock: Clock) {
    this.#files = files
    this.#clock = clock
    this.#queue = this.#load()
    // A caller waiting for the first step gets its error; there may be none yet.
    this.#queue.catch(() => {})
  }

  /** Stores a mail. Resolves once it is on disk, if the inbox has a folder. */
  async add(raw: Uint8Array, envelope: Envelope): Promise<InboxMail> {
    const whole = withEnvelope(raw, await parseMail(headersOf(raw)), envelope)
    // Not queued: a mail with many lines takes seconds, during which the inbox must respond.
    const parsed = await parseMail(whole)
    return this.#inTurn(async () => {
      const file = await this.#files.add(whole, this.#clock.now())
      const mail = this.#keep(file, whole.length, parsed)
      const oldest = [...this.#mails.keys()].slice(0, Math.max(0, this.#mails.size - CAPACITY))
      for (const id of oldest) await this.#drop(id)
      this.#tell({ type: 'added', id: mail.id })
      return mail
    })
  }

  /** Newest first. */
  list(): Promise<InboxMail[]> {
    return this.#inTurn(async () => [...this.#mails.values()].reverse())
  }

  /** @param id Of a mail, or `latest`. */
  async find(id: string): Promise<InboxMail | undefined> {
    const mails = await this.list()
    return id === 'latest' ? mails[0] : mails.find((mail) => mail.id === id)
  }

  raw(mail: InboxMail): Promise<Uint8Array> {
    return this.#files.open(mail.id)
  }

  setRead(mails: readonly InboxMail[], read: boolean): Promise<void> {
    return this.#inTurn(async () => {
      for (const mail of mails) {
        if (mail.read === read || !this.#mails.has(mail.id)) continue
        await this.#files.setRead(mail.id, read)
        mail.read = read
        this.#tell({ type: 'changed', id: mail.id })
      }
    })
  }

  /** Tags last only as long as the process, unlike the mails. */
  setTags(mails: readonly InboxMail[], tags: readonly string[]): void {
    for (const mail of mails) {
      mail.tags = [...new Set(tags)].sort()
      this.#tell({ type: 'changed', id: mail.id })
    }
  }

  remove(mails: readonly InboxMail[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const { id } of mails) await this.#drop(id)
    })
  }

  /** Captures the current content.
   *  @returns a function that restores it. */
  async snapshot(): Promise<() => Promise<void>> {
    const mails = await this.list()
    const kept = await Promise.all(
      mails.map(async (mail) => ({ raw: await this.raw(mail), created: mail.created, read: mail.read })),
    )
    return async () => {
      await this.remove(await this.list())
      await this.#inTurn(async () => {
        for (const { raw, created, read } of kept.toReversed()) {
          const file = await this.#files.add(raw, created)
          if (read) await this.#files.setRead(file.id, true)
          this.#keep({ ...file, read }, raw.length, await parseMail(raw))
        }
      })
    }
  }

  /** Calls `listener` at each change, until the returned function is called. */
  watch(listener: (event: InboxEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #load(): Promise<void> {
    const files = await this.#files.list()
    for (const file of files.sort((a, b) => a.created.getTime() - b.created.getTime())) {
      const raw = await this.#files.open(file.id)
      this.#keep(file, raw.length, await parseMail(raw))
    }
  }

  #keep({ id, created, read }: MailFile, size: number, parsed: ParsedMail): InboxMail {
    const mail = { id, created, read, tags: [], size, mail: parsed }
    this.#mails.set(id, mail)
    return mail
  }

  async #drop(id: string): Promise<void> {
    if (!this.#mails.delete(id)) return
    await this.#files.remove(id)
    this.#tell({ type: 'removed', id })
  }

  #tell(event: InboxEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(step)
    this.#queue = turn.catch(() => {})
    return turn
  }
}

/** Returns the part of a mail before its first empty line. */
function headersOf(raw: Uint8Array): Uint8Array {
  const ends = ['\r\n\r\n', '\n\n'].map((end) => Buffer.from(raw.buffer, raw.byteOffset, raw.length).indexOf(end))
  const found = ends.filter((end) => end !== -1)
  return found.length === 0 ? raw : raw.subarray(0, Math.min(...found) + 2)
}

/** Adds headers for the envelope's return path and hidden recipients. */
function withEnvelope(raw: Uint8Array, mail: ParsedMail, { from, to }: Envelope): Uint8Array {
  const named = new Set([...mail.To, ...mail.Cc, ...mail.Bcc].map(({ Address }) => Address.toLowerCase()))
  const hidden = to.filter((address) => !named.has(address.toLowerCase()))
  const lines = [
    ...(from && !mail.ReturnPath ? [`Return-Path: <${oneLine(from)}>`] : []),
    ...(hidden.length > 0 ? [`Bcc: ${hidden.map((address) => `<${oneLine(address)}>`).join(', ')}`] : []),
  ]
  return Buffer.concat([...lines.map((line) => Buffer.from(`${line}\r\n`)), raw])
}

/** A line break in an address would allow header injection, so it is removed. */
const oneLine = (address: string) => address.replace(/[\r\n]/g, '')
