// `npm run receive-mail -- --url URL`: passes a mail on to Carrel, for mail servers that deliver to a program (Postfix,
// Exim, a Maildir hook).
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

const HELP = `Reads a mail from standard input and hands it over to Carrel's function receive-mail.

  npm run --silent receive-mail -- --url URL [--to ADDRESS …] [--secret-file FILE]

  --url URL            the function: https://PROJECT.supabase.co/functions/v1/receive-mail
  --to ADDRESS         to whom the mail was sent, by its envelope; may be given several times. Without it the mail's headers say
  --secret-file FILE   a file with the secret of the function

Environment: MAIL_IN_SECRET and MAIL_IN_URL, in place of --secret-file and --url.

Exit codes, by which a mail server knows what to do (sysexits.h):
   0  the mail is in the library
  64  the command was used wrongly
  65  the mail is damaged or too large
  67  no library has such an address
  69  the address accepts no email now: it is turned off, or its owner can no longer add documents
  75  not now: the server sends the mail again later. A wrong secret counts as this, so that no mail is lost
  77  only members of the library may send to this address
`
const MAX_MAIL_BYTES = 26_214_400
const TIMEOUT_MS = 120_000
const EXIT = { ok: 0, usage: 64, data: 65, unknown: 67, unavailable: 69, later: 75, forbidden: 77 } as const

/** By the function's error code; others are temporary. */
const EXIT_OF: ReadonlyMap<unknown, number> = new Map([
  ['unknown', EXIT.unknown],
  ['off', EXIT.unavailable],
  ['maker', EXIT.unavailable],
  ['sender', EXIT.forbidden],
  ['attachments', EXIT.data],
  ['damaged', EXIT.data],
  ['large', EXIT.data],
])

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: process.env.MAIL_IN_URL ?? '' },
      to: { type: 'string', multiple: true, default: [] },
      'secret-file': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return EXIT.ok
  }
  const file = values['secret-file']
  const secret = file ? (await readFile(file, 'utf8')).trim() : process.env.MAIL_IN_SECRET
  if (!/^https?:$/.test(URL.parse(values.url)?.protocol ?? ''))
    return fail(EXIT.usage, 'Name the function by --url. --help says how.')
  if (!secret) return fail(EXIT.usage, 'Give the secret of the function by --secret-file or MAIL_IN_SECRET.')
  if (values.to.some((one) => !/^[\x21-\x7e]{1,320}$/.test(one))) return fail(EXIT.usage, '--to takes an address.')
  const mail = await readMail()
  if (!mail) return fail(EXIT.data, 'The mail has more than 25 MB.')
  return handOver(mail, values.url, secret, values.to)
}

/** @returns undefined if it's too large. */
async function readMail(): Promise<Buffer<ArrayBuffer> | undefined> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of process.stdin) {
    size += piece.length
    if (size > MAX_MAIL_BYTES) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function handOver(
  mail: Buffer<ArrayBuffer>,
  url: string,
  secret: string,
  to: readonly string[],
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body: mail,
    headers: {
      'Content-Type': 'message/rfc822',
      Authorization: `Bearer ${secret}`,
      ...(to.length > 0 ? { 'X-Mail-To': to.join(',') } : {}),
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer: { code?: unknown; message?: unknown } = (await response.json().catch(() => null)) ?? {}
  if (response.ok) return EXIT.ok
  return fail(
    EXIT_OF.get(answer.code) ?? EXIT.later,
    String(answer.message ?? `The function answered with ${response.status}.`),
  )
}

function fail(code: number, message: string): number {
  console.error(message)
  return code
}

try {
  process.exitCode = await main()
} catch (error) {
  const isMisuse = error instanceof TypeError && 'code' in error
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  process.exitCode = fail(
    isMisuse ? EXIT.usage : EXIT.later,
    `${error instanceof Error ? error.message : error}${cause}`,
  )
}
// Don't wait for the rest of standard input.
process.exit()
