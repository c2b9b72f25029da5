import { fitScript } from '../migrations/fit.ts'
import { encodeMessage, type FrontendMessage, takeString } from './frontend.ts'
import { deallocatedName, readTraits, type Traits } from './sql-text.ts'

type Known = { readonly engineName: string; readonly parse: Buffer; readonly traits: Traits }

export type Rewritten = {
  readonly messages: readonly Buffer[]
  /** The first message is a Close that the client did not send and whose answer it must not see. */
  readonly closesFirst: boolean
  /** Of the statement that the message will run. */
  readonly runs: Traits | null
}

const STATEMENT = 'S'
/** Before a name that the client uses but did not prepare. */
const UNKNOWN = 'unknown_'

/** One client's prepared statements under names of their own: all clients share the engine's one session.
 *  The unnamed statement gets a name too, because another client would overwrite it between two exchanges. */
export class Statements {
  readonly #prefix: string
  readonly #known = new Map<string, Known>()
  /** New names in messages on their way to the engine, in order; null for a Parse of a name that is taken. */
  #unconfirmed: (string | null)[] = []
  #count = 0

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The message, or messages, to send in place of a client's. @throws {ProtocolViolation} */
  rewrite({ type, body }: FrontendMessage): Rewritten {
    switch (type) {
      case 'P':
        return this.#parse(body)
      case 'B': {
        const { text: portal, rest } = takeString(body)
        const { text: name, rest: values } = takeString(rest)
        const runs = this.#known.get(name)?.traits ?? null
        return { ...one(encodeMessage('B', portal, this.#engineName(name), values)), runs }
      }
      case 'D':
      case 'C': {
        const kind = body.toString('latin1', 0, 1)
        if (kind !== STATEMENT) return one(encodeMessage(type, body))
        const { text: name } = takeString(body.subarray(1))
        const message = encodeMessage(type, body.subarray(0, 1), this.#engineName(name))
        if (type === 'C') this.#known.delete(name)
        return one(message)
      }
      default:
        return one(encodeMessage(type, body))
    }
  }

  /** Puts the engine's name in a `DEALLOCATE name` that drivers send as SQL; any other text is only fitted to the
   *  engine as a migration's would be. */
  rewriteText(text: string): string {
    const name = deallocatedName(text)
    const known = name === undefined ? undefined : this.#known.get(name)
    if (name === undefined || !known) return fitScript(text)
    this.#known.delete(name)
    return `deallocate "${known.engineName}"`
  }

  /** After an exchange: those of its Parse messages beyond the first `count` made no statement. */
  confirm(count: number): void {
    for (const name of this.#unconfirmed.splice(0).slice(count)) if (name !== null) this.#known.delete(name)
  }

  /** An error's text with the names that the client knows. */
  restoreNames(text: string): string {
    if (!text.includes(this.#prefix)) return text
    const named = [...this.#known].map(([name, { engineName }]) => [engineName, name] as const)
    const whole = named.reduce((found, [engineName, name]) => found.replaceAll(`"${engineName}"`, `"${name}"`), text)
    return whole.replaceAll(`"${this.#prefix}${UNKNOWN}`, '"')
  }

  /** Messages that prepare all statements once more, in a session that lost them. */
  prepareAgain(): Buffer[] {
    return [...this.#known.values()].map(({ parse }) => parse)
  }

  /** Messages that close all statements. */
  closeAll(): Buffer[] {
    const messages = [...this.#known.values()].map(({ engineName }) => closeMessage(engineName))
    this.#known.clear()
    return messages
  }

  #parse(body: Buffer): Rewritten {
    const { text: name, rest } = takeString(body)
    const { text, rest: types } = takeString(rest)
    const before = this.#known.get(name)
    const replaced = name === '' ? before : undefined
    // A name that is taken must fail as it would; only the unnamed statement may be parsed over.
    const engineName = before && !replaced ? before.engineName : `${this.#prefix}${this.#count++}`
    const parse = encodeMessage('P', engineName, this.rewriteText(text), types)
    const isNew = !before || replaced !== undefined
    if (isNew) this.#known.set(name, { engineName, parse, traits: readTraits(text) })
    this.#unconfirmed.push(isNew ? name : null)
    return replaced
      ? { messages: [closeMessage(replaced.engineName), parse], closesFirst: true, runs: null }
      : one(parse)
  }

  /** A name nobody prepared goes on with the prefix, so that it cannot meet a statement of someone else. */
  #engineName(name: string): string {
    return this.#known.get(name)?.engineName ?? `${this.#prefix}${UNKNOWN}${name}`
  }
}

const one = (message: Buffer): Rewritten => ({ messages: [message], closesFirst: false, runs: null })
const closeMessage = (engineName: string) => encodeMessage('C', Buffer.from(STATEMENT), engineName)
