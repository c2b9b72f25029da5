import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { publicHost } from '../config/public-host.ts'
import { HTTP_LIMITS } from '../kernel/http-limits.ts'
import { JsonTooComplexError } from '../kernel/json.ts'
import type { Mailer } from '../kernel/mailer.ts'
import type { Clock, Log, RequestHandler } from '../kernel/service.ts'
import { isTrustedHost } from '../kernel/trusted-host.ts'
import { Inbox } from './inbox.ts'
import { createInbucketApi } from './inbucket-api.ts'
import { folderMailFiles, memoryMailFiles } from './mail-files.ts'
import { createInboxMailer } from './mailer.ts'
import { createMailpitApi, notFound } from './mailpit-api.ts'
import { startPop3Server } from './pop3/server.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { createViews } from './views.ts'

export type MailOptions = {
  readonly host: string
  /** Runs `take` with the port, and reports one that is taken.
   *  @param what What the port is for, with its setting. */
  claimPort<T>(port: number, what: string, take: (port: number) => Promise<T>): Promise<T>
  /** 0 chooses a free port. */
  readonly httpPort: number
  /** 0 chooses a free port; null does not listen for SMTP at all. */
  readonly smtpPort: number | null
  /** The same for POP3. */
  readonly pop3Port: number | null
  readonly clock: Clock
  readonly log: Log
  /** The folder of the mails, one .eml file each; null keeps them in memory. */
  readonly folder: string | null
}

export type MailService = {
  readonly url: string
  readonly smtpPort: number | null
  readonly pop3Port: number | null
  /** Puts mails into the inbox. */
  readonly mailer: Mailer
  readonly handle: RequestHandler
  /** @returns a function that restores the mails that exist now. */
  snapshot(): Promise<() => Promise<void>>
  clear(): Promise<void>
  close(): Promise<void>
}

/** Starts the inbox: an SMTP sink, a POP3 server, Mailpit's REST API, and a web page for reading mail.
 *  @throws {Error} what `claimPort` makes of a port that is taken. */
export async function startMail(options: MailOptions): Promise<MailService> {
  const { host, claimPort, httpPort, smtpPort, pop3Port, clock, log, folder } = options
  const inbox = new Inbox(folder === null ? memoryMailFiles() : folderMailFiles(folder), clock)
  const handle = createHandler(inbox, host, clock, log)
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
    const pop3 =
      pop3Port === null
        ? null
        : await claimPort(pop3Port, 'POP3 (local_smtp.pop3_port)', (port) => startPop3Server(inbox, host, port, log))
    if (pop3) closers.push(pop3.close)
    return {
      url: `http://${publicHost(host)}:${(server.address() as AddressInfo).port}`,
      smtpPort: smtp?.port ?? null,
      pop3Port: pop3?.port ?? null,
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

const READ_ONLY = ['GET', 'HEAD']
/** The maximum size of a request, in bytes: a mail with its text and its HTML. */
const MAX_BODY = 5 * 1024 * 1024

function createHandler(inbox: Inbox, host: string, clock: Clock, log: Log) {
  const app = new Hono()
  app.use(async (c, next) => {
    const { host: name } = new URL(c.req.url)
    const origin = c.req.header('origin')
    const isForeign = origin !== undefined && !(URL.canParse(origin) && isTrustedHost(new URL(origin).host, host))
    // A foreign page must not change the inbox. It cannot read it either, because no CORS headers allow that.
    if (!isTrustedHost(name, host) || (isForeign && !READ_ONLY.includes(c.req.method)))
      return c.text('This inbox answers only on this machine\n', 403)
    await next()
    c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('x-content-type-options', 'nosniff')
    return undefined
  })
  app.use(bodyLimit({ maxSize: MAX_BODY, onError: (c) => c.text('The request is too large\n', 413) }))
  app.route('/api/v1/mailbox', createInbucketApi(inbox))
  app.route('/api/v1', createMailpitApi(inbox, clock))
  app.get('/livez', (c) => c.text(''))
  app.get('/readyz', (c) => c.text(''))
  app.route('/', createViews(inbox))
  app.notFound(() => notFound())
  app.onError((error, c) => {
    if (error instanceof JsonTooComplexError) return c.text(`${error.message}\n`, 413)
    log.error('The inbox failed to answer', error)
    return c.text('The inbox failed to answer; the log says why\n', 500)
  })
  return (request: Request) => app.fetch(request)
}
