import { quoteIdentifier } from '../../kernel/sql.ts'
import { encodeMessage } from '../protocol/frames.ts'
import { rewriteScript } from '../statements/rewrite-statement.ts'
import { splitStatements, withoutComments } from '../statements/split-statements.ts'
import { type FrontendMessage, takeString } from './frontend-messages.ts'
import { deallocatedName, foldName, readEffects, type StatementEffects } from './statement-effects.ts'

const NAME = String.raw`("(?:[^"]|"")+"|[a-z_][\w$]*)`
const MAY_HAVE_NAMES = /\b(?:prepare|execute|deallocate)\b/i
/** The places where SQL has the name of a prepared statement, which is the last group. PREPARE TRANSACTION has none. */
const PLACES = [
  new RegExp(String.raw`^(prepare\s+(?!transaction\s+'))${NAME}`, 'i'),
  new RegExp(String.raw`^(execute\s+)${NAME}`, 'i'),
  new RegExp(String.raw`^(deallocate\s+(?:prepare\s+)?(?!all\b|prepare\s))${NAME}`, 'i'),
  new RegExp(String.raw`^(explain(?:\s*\([^()]*\)|\s+analyze|\s+verbose)*\s+execute\s+)${NAME}`, 'i'),
  new RegExp(String.raw`^(create\s+[\w\s]*table\s+[\w\s".$]+?\s+as\s+execute\s+)${NAME}`, 'i'),
]

/** Replaces the names of prepared statements in PREPARE, EXECUTE and DEALLOCATE: all clients share one session, in which a name
 *  can exist once. */
function replaceStatementNames(text: string, replace: (name: string) => string): string {
  if (!MAY_HAVE_NAMES.test(text)) return text
  const statements = splitStatements(text).map((one) => one.text)
  const replaced = statements.map((one) => {
    const code = withoutComments(one)
    const place = PLACES.find((pattern) => pattern.test(code))
    return place
      ? code.replace(place, (_all, before: string, name: string) => before + quoteIdentifier(replace(foldName(name))))
      : one
  })
  return replaced.every((one, index) => one === statements[index]) ? text : replaced.join(';\n')
}

type ClientStatement = { readonly engineName: string; readonly parse: Buffer; readonly effects: StatementEffects }

export type RewrittenMessage = {
  readonly messages: readonly Buffer[]
  /** Whether the first message is a Close that the client did not send and whose response it must not see. */
  readonly closesFirst: boolean
  /** The effects of the statement that the message binds; null for other messages. */
  readonly effects: StatementEffects | null
}

const STATEMENT = 'S'
/** The prefix of names that the client uses but did not prepare. */
const UNKNOWN = 'unknown_'

/** One client's prepared statements, under other names in the engine's session, which all clients share. The unnamed statement gets
 *  a name too, because another client would overwrite it between two exchanges. */
export class ClientStatements {
  readonly #prefix: string
  readonly #byName = new Map<string, ClientStatement>()
  /** The new names in Parse messages that were not confirmed yet, in order; null for a name that is taken. */
  #unconfirmed: (string | null)[] = []
  #count = 0

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The message, or messages, to send in place of a client's. @throws {ProtocolViolation} */
  rewrite({ type, body }: FrontendMessage): RewrittenMessage {
    switch (type) {
      case 'P':
        return this.#parse(body)
      case 'B': {
        const { text: portal, rest } = takeString(body)
        const { text: name, rest: values } = takeString(rest)
        const effects = this.#byName.get(name)?.effects ?? null
        return { ...one(encodeMessage('B', portal, this.engineName(name), values)), effects }
      }
      case 'D':
      case 'C': {
        const kind = body.toString('latin1', 0, 1)
        if (kind !== STATEMENT) return one(encodeMessage(type, body))
        const { text: name } = takeString(body.subarray(1))
        const message = encodeMessage(type, body.subarray(0, 1), this.engineName(name))
        if (type === 'C') this.#byName.delete(name)
        return one(message)
      }
      default:
        return one(encodeMessage(type, body))
    }
  }

  /** Replaces the names of prepared statements that SQL itself uses; any other text is rewritten like a migration. */
  rewriteText(text: string): string {
    const name = deallocatedName(text)
    const known = name === undefined ? undefined : this.#byName.get(name)
    if (name === undefined || !known) return rewriteScript(replaceStatementNames(text, (one) => this.engineName(one)))
    this.#byName.delete(name)
    return `deallocate "${known.engineName}"`
  }

  /** Records after an exchange that only the first `count` Parse messages prepared a statement. */
  confirm(count: number): void {
    for (const name of this.#unconfirmed.splice(0).slice(count)) if (name !== null) this.#byName.delete(name)
  }

  /** Puts the client's names into the text of an error. */
  restoreNames(text: string): string {
    if (!text.includes(this.#prefix)) return text
    const named = [...this.#byName].map(([name, { engineName }]) => [engineName, name] as const)
    const restored = named.reduce((found, [engineName, name]) => found.replaceAll(`"${engineName}"`, `"${name}"`), text)
    return restored.replaceAll(`"${this.#prefix}${UNKNOWN}`, '"')
  }

  /** Messages that prepare all statements again, in a session that lost them; not those whose Parse is about to be sent. */
  prepareAgain(): Buffer[] {
    return [...this.#byName].flatMap(([name, { parse }]) => (this.#unconfirmed.includes(name) ? [] : [parse]))
  }

  /** Messages that close all statements. */
  closeAll(): Buffer[] {
    const messages = [...this.#byName.values()].map(({ engineName }) => closeMessage(engineName))
    this.#byName.clear()
    return messages
  }

  #parse(body: Buffer): RewrittenMessage {
    const { text: name, rest } = takeString(body)
    const { text, rest: types } = takeString(rest)
    const before = this.#byName.get(name)
    const replaced = name === '' ? before : undefined
    // A name that is taken must fail as in Postgres; only the unnamed statement may be replaced.
    const engineName = before && !replaced ? before.engineName : `${this.#prefix}${this.#count++}`
    const parse = encodeMessage('P', engineName, this.rewriteText(text), types)
    const isNew = !before || replaced !== undefined
    if (isNew) this.#byName.set(name, { engineName, parse, effects: readEffects(text) })
    this.#unconfirmed.push(isNew ? name : null)
    return replaced
      ? { messages: [closeMessage(replaced.engineName), parse], closesFirst: true, effects: null }
      : one(parse)
  }

  /** A name that was not prepared gets the prefix too, so that it cannot match another client's statement. */
  engineName(name: string): string {
    return this.#byName.get(name)?.engineName ?? `${this.#prefix}${UNKNOWN}${name}`
  }
}

const one = (message: Buffer): RewrittenMessage => ({ messages: [message], closesFirst: false, effects: null })
const closeMessage = (engineName: string) => encodeMessage('C', Buffer.from(STATEMENT), engineName)
