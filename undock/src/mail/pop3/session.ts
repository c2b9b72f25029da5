import type { Inbox, InboxMail } from '../inbox.ts'

/** @property isLast The connection ends after it. */
export type Pop3Answer = { readonly text: string; readonly isLast?: boolean }

type Command = (maildrop: Maildrop, first: string, second: string) => Pop3Answer | Promise<Pop3Answer>

const ok = (message: string): Pop3Answer => ({ text: `+OK ${message}\r\n` })
const error = (message: string): Pop3Answer => ({ text: `-ERR ${message}\r\n` })
const okWithLines = (message: string, lines: readonly string[]): Pop3Answer => ({
  text: [`+OK ${message}`, ...lines.map((line) => (line.startsWith('.') ? `.${line}` : line)), '.', ''].join('\r\n'),
})

/** The commands before and after the login, one connection's state. @see RFC 1939; RFC 2449 for CAPA */
export class Pop3Session {
  readonly #inbox: Inbox
  #hasUser = false
  #maildrop: Maildrop | null = null

  constructor(inbox: Inbox) {
    this.#inbox = inbox
  }

  async answer(line: string): Promise<Pop3Answer> {
    const [name = '', first = '', second = ''] = line.split(' ')
    const command = name.toUpperCase()
    if (command === 'CAPA') return okWithLines('', ['USER', 'TOP', 'UIDL'])
    if (this.#maildrop) return (COMMANDS[command] ?? unknownCommand)(this.#maildrop, first, second)
    switch (command) {
      case 'USER':
        this.#hasUser = true
        return ok('any password will do')
      case 'PASS':
        if (!this.#hasUser) return error('USER comes first')
        this.#maildrop = { inbox: this.#inbox, mails: (await this.#inbox.list()).reverse(), deleted: new Set() }
        return ok(`${this.#maildrop.mails.length} messages`)
      case 'QUIT':
        return { ...ok('bye'), isLast: true }
      case 'AUTH':
      case 'APOP':
      case 'STLS':
        return error('log in by USER and PASS, without TLS')
      default:
        // A web page can send requests here, whose bodies may contain commands.
        return { ...error('unknown command'), isLast: true }
    }
  }
}

/** The mails at the time of the login, oldest first; a message's number is its place in the list, from 1. */
type Maildrop = { readonly inbox: Inbox; readonly mails: readonly InboxMail[]; readonly deleted: Set<InboxMail> }

const unknownCommand: Command = () => error('unknown command')

const COMMANDS: Readonly<Record<string, Command>> = {
  STAT({ mails, deleted }) {
    const remaining = mails.filter((mail) => !deleted.has(mail))
    return ok(`${remaining.length} ${remaining.reduce((sum, { size }) => sum + size, 0)}`)
  },
  LIST: (maildrop, number) => list(maildrop, number, ({ size }) => String(size)),
  UIDL: (maildrop, number) => list(maildrop, number, ({ id }) => id),
  async RETR(maildrop, number) {
    const mail = find(maildrop, number)
    if (!mail) return NO_MESSAGE
    const lines = await linesOfMail(maildrop, mail)
    return lines ? okWithLines(`${mail.size} octets`, lines) : NO_MESSAGE
  },
  async TOP(maildrop, number, count) {
    const mail = find(maildrop, number)
    if (!mail || !NUMBER.test(count)) return NO_MESSAGE
    const lines = await linesOfMail(maildrop, mail)
    if (!lines) return NO_MESSAGE
    const blank = lines.indexOf('')
    return okWithLines('', blank < 0 ? lines : lines.slice(0, blank + 1 + Number(count)))
  },
  DELE(maildrop, number) {
    const mail = find(maildrop, number)
    if (!mail) return NO_MESSAGE
    maildrop.deleted.add(mail)
    return ok('deleted at QUIT')
  },
  RSET({ mails, deleted }) {
    deleted.clear()
    return ok(`${mails.length} messages`)
  },
  NOOP: () => ok(''),
  async QUIT({ inbox, deleted }) {
    await inbox.remove([...deleted])
    return { ...ok('bye'), isLast: true }
  },
}

const NO_MESSAGE = error('no such message')
const NUMBER = /^\d{1,9}$/

function find({ mails, deleted }: Maildrop, number: string): InboxMail | undefined {
  const mail = NUMBER.test(number) ? mails[Number(number) - 1] : undefined
  return mail && !deleted.has(mail) ? mail : undefined
}

function list(maildrop: Maildrop, number: string, describeOne: (mail: InboxMail) => string): Pop3Answer {
  if (number !== '') {
    const mail = find(maildrop, number)
    return mail ? ok(`${number} ${describeOne(mail)}`) : NO_MESSAGE
  }
  const lines = maildrop.mails.flatMap((mail, index) =>
    maildrop.deleted.has(mail) ? [] : [`${index + 1} ${describeOne(mail)}`],
  )
  return okWithLines('', lines)
}

/** @returns null for a mail that was removed from the inbox after the login. */
async function linesOfMail({ inbox }: Maildrop, mail: InboxMail): Promise<string[] | null> {
  if (!(await inbox.find(mail.id))) return null
  const lines = Buffer.from(await inbox.raw(mail))
    .toString('latin1')
    .split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
