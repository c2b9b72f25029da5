import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Log } from '../kernel/service.ts'
import type { Inbox } from './inbox.ts'

/** The maximum size of a mail in bytes, as large as hosted mail services accept. */
const MAX_MAIL_BYTES = 25 * 1024 ** 2

/** Recipients of a mail: ten times as many as RFC 5321 (4.5.3.1.8) wants and Mailpit takes. */
const MAX_RECIPIENTS = 1000

/** Connections at a time; each may hold a whole mail in memory. */
const MAX_CLIENTS = 50

export type SmtpSink = { readonly port: number; close(): Promise<void> }

/** Accepts every mail that arrives over SMTP into the inbox, with any user and password or none.
 *  @param port 0 chooses a free port. */
export async function startSmtpSink(inbox: Inbox, host: string, port: number, log: Log): Promise<SmtpSink> {
  const { SMTPServer } = await import('smtp-server')
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAX_MAIL_BYTES,
    maxRecipients: MAX_RECIPIENTS,
    maxClients: MAX_CLIENTS,
    // A client that keeps its connection open must not delay closing.
    closeTimeout: 500,
    onAuth: ({ username }, _session, answer) => answer(null, { user: username ?? 'anyone' }),
    onData(stream, { envelope }, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        if (!stream.sizeExceeded) chunks.push(chunk)
      })
      stream.on('end', () => {
        if (stream.sizeExceeded) return answer(refusal(552, `A message can have at most ${MAX_MAIL_BYTES} bytes`))
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        inbox.add(Buffer.concat(chunks), { from, to: envelope.rcptTo.map(({ address }) => address) }).then(
          () => answer(),
          (error: unknown) => {
            log.error("Couldn't store a message", error)
            answer(refusal(451, 'The message could not be stored'))
          },
        )
      })
    },
  })
  const refused = once(server, 'error').then(([error]) => Promise.reject(error))
  server.listen(port, host)
  await Promise.race([once(server.server, 'listening'), refused])
  refused.catch(() => {})
  // A client may disconnect in the middle of a mail; without a listener the error would end the process.
  server.on('error', (error) => log.warn('An SMTP connection failed', { reason: error.message }))
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
