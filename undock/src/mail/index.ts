import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { publicHost } from '../config/public-host.ts'
import { JsonTooComplexError } from '../kernel/json.ts'
import type { Mailer } from '../kernel/mail-templates.ts'
import { HTTP_LIMITS } from '../kernel/node-http.ts'
import { BodyTooLargeError } from '../kernel/request-body.ts'
import { createRouter, decodeSegments } from '../kernel/router.ts'
import type { Clock, Log, RequestHandler } from '../kernel/service.ts'
import { isForThisMachine, isTrustedOrigin } from '../kernel/url.ts'
import { Inbox } from './inbox.ts'
import { folderMailFiles, memoryMailFiles } from './mail-files.ts'
import { createInboxMailer } from './mailer.ts'
import { mailpitRoutes } from './mailpit-api.ts'
import { type InboxParts, type MailAccess, type MailRoute, notFound, plain, reading } from './route.ts'
import { viewRoutes } from './views.ts'

export type MailOptions = {
  readonly host: string
  /** Runs `take` with the port, and reports a port in use.
   *  @param what What the port is for, with its setting. */
  claimPort<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T>
  /** 0 chooses a free port. */
  readonly httpPort: number
  /** 0 chooses a free port; null does not listen for SMTP at all. */
  readonly smtpPort: number | null
  readonly clock: Clock
  readonly log: Log
  /** The folder of the mails, one .eml file each; null keeps them in memory. */
  readonly folder: string | null
}

export type MailService = {
  readonly url: string
  readonly smtpPort: number | null
  /** Puts mails into the inbox. */
  readonly mailer: Mailer
  readonly handle: RequestHandler
  /** @returns a function that restores the mails that exist now. */
  snapshot(): Promise<() => Promise<void>>
  clear(): Promise<void>
  close(): Promise<void>
}

/** Starts the inbox: an SMTP sink, Mailpit's REST API, and a web page for reading mail.
 *  @throws {Error} `claimPort`'s, if the port is taken. */
export async function startMail(options: MailOptions): Promise<MailService> {
  const { host, claimPort, httpPort, smtpPort, clock, log, folder } = options
  const inbox = new Inbox(folder === null ? memoryMailFiles() : folderMailFiles(folder), clock)
  const handle = createHandler({ inbox, clock, started: clock.now() }, host, log)
  const server = await claimPort(httpPort, 'the mail inbox (local_smtp.port)', async (port) => {
    const listening = serve({ fetch: handle, hostname: host, port, serverOptions: HTTP_LIMITS }) as Server
    await once(listening, 'listening')
    return listening
  })
  const closeHttp = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // The event streams of the page never end on their own.
    server.closeAllConnections()
    return closed
  }
  const closers = [closeHttp]
  const close = async () => {
    await Promise.all(closers.map((closeOne) => closeOne()))
  }
  try {
    const smtp =
      smtpPort === null
        ? null
        : await claimPort(smtpPort, 'SMTP (local_smtp.smtp_port)', (port) => startSmtpSink(inbox, host, port, log))
    if (smtp) closers.push(smtp.close)
    return {
      url: `http://${publicHost(host)}:${(server.address() as AddressInfo).port}`,
      smtpPort: smtp?.port ?? null,
      mailer: createInboxMailer(inbox),
      handle,
      snapshot: () => inbox.snapshot(),
      clear: async () => inbox.remove(await inbox.list()),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export const mailRoutes: readonly MailRoute[] = [
  reading('/livez', () => plain('')),
  reading('/readyz', () => plain('')),
  ...viewRoutes,
  ...mailpitRoutes,
]

const router = createRouter(mailRoutes)

function createHandler(parts: InboxParts, host: string, log: Log): (request: Request) => Promise<Response> {
  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const match = router.find(request.method, decodeSegments(url.pathname) ?? [])
    if (!admits(match.kind === 'found' ? match.route.access : 'machine', request))
      return plain('This inbox is available only on this machine\n', 403)
    return match.kind === 'found' ? match.route.handle({ ...parts, request, url, params: match.params }) : notFound()
  }

  /** A foreign page cannot read the inbox, because no CORS headers allow that. */
  function admits(access: MailAccess, request: Request): boolean {
    const origin = request.headers.get('origin')
    const isOwn = access === 'machine' || origin === null || isTrustedOrigin(origin, request.headers.get('host'), host)
    return isOwn && isForThisMachine(request, host)
  }

  function refuse(error: unknown): Response {
    if (error instanceof BodyTooLargeError) return plain('The request is too large\n', 413)
    if (error instanceof JsonTooComplexError) return plain(`${error.message}\n`, 413)
    log.error('A request to the inbox failed', error)
    return plain('The inbox failed; see the log\n', 500)
  }

  return async (request) => {
    const response = await answer(request).catch(refuse)
    response.headers.set('referrer-policy', 'no-referrer')
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  }
}

/** The maximum size of a mail in bytes, as large as hosted mail services accept. */
const MAX_MAIL_BYTES = 25 * 1024 ** 2

/** The maximum number of a mail's recipients: ten times what RFC 5321 (4.5.3.1.8) requires and Mailpit accepts. */
const MAX_RECIPIENTS = 1000

/** Connections at a time; each may hold a whole mail in memory. */
const MAX_CLIENTS = 50

type SmtpSink = { readonly port: number; close(): Promise<void> }

/** Accepts every mail that arrives over SMTP into the inbox, with any user and password or none.
 *  @param port 0 chooses a free port. */
async function startSmtpSink(inbox: Inbox, host: string, port: number, log: Log): Promise<SmtpSink> {
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
