import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { publicHost } from '../config/public-host.ts'
import type { Mailer } from '../kernel/mailer.ts'
import type { Clock, Log, Service } from '../kernel/service.ts'
import { isTrustedHost } from './host-guard.ts'
import { Inbox } from './inbox.ts'
import { createInbucketApi } from './inbucket-api.ts'
import { folderMailFiles, memoryMailFiles } from './mail-files.ts'
import { createInboxMailer } from './mailer.ts'
import { createMailpitApi, notFound } from './mailpit-api.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { createViews } from './views.ts'

export type MailOptions = {
  readonly host: string
  /** 0 takes a free port. */
  readonly httpPort: number
  /** 0 takes a free port; null does not listen for SMTP at all. */
  readonly smtpPort: number | null
  readonly clock: Clock
  readonly log: Log
  /** Where mails are kept, one .eml each; null keeps them in memory. */
  readonly folder: string | null
}

export type MailService = {
  readonly url: string
  readonly smtpPort: number | null
  /** Puts mails into the inbox. */
  readonly mailer: Mailer
  readonly handle: Service
  /** @returns what brings the mails back that are there now. */
  snapshot(): Promise<() => Promise<void>>
  clear(): Promise<void>
  close(): Promise<void>
}

/** Starts the inbox: an SMTP sink, Mailpit's REST API, and a page to read mail in.
 *  @throws {Error} EADDRINUSE when a port is taken. */
export async function startMail({ host, httpPort, smtpPort, clock, log, folder }: MailOptions): Promise<MailService> {
  const inbox = new Inbox(folder === null ? memoryMailFiles() : folderMailFiles(folder), clock)
  const handle = createHandler(inbox, host, clock, log)
  const server = serve({ fetch: handle, hostname: host, port: httpPort }) as Server
  await once(server, 'listening')
  const closeHttp = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // The page's event streams never end by themselves.
    server.closeAllConnections()
    return closed
  }
  try {
    const sink = smtpPort === null ? null : await startSmtpSink(inbox, host, smtpPort, log)
    return {
      url: `http://${publicHost(host)}:${(server.address() as AddressInfo).port}`,
      smtpPort: sink?.port ?? null,
      mailer: createInboxMailer(inbox),
      handle,
      snapshot: () => inbox.snapshot(),
      clear: async () => inbox.remove(await inbox.list()),
      async close() {
        await Promise.all([closeHttp(), sink?.close()])
      },
    }
  } catch (error) {
    await closeHttp()
    throw error
  }
}

const READ_ONLY = ['GET', 'HEAD']

function createHandler(inbox: Inbox, host: string, clock: Clock, log: Log) {
  const app = new Hono()
  app.use(async (c, next) => {
    const { host: name } = new URL(c.req.url)
    const origin = c.req.header('origin')
    const isForeign = origin !== undefined && !(URL.canParse(origin) && isTrustedHost(new URL(origin).host, host))
    // A foreign page may not change the inbox; reading it is kept from it by the absence of CORS headers.
    if (!isTrustedHost(name, host) || (isForeign && !READ_ONLY.includes(c.req.method)))
      return c.text('This inbox answers only on this machine\n', 403)
    await next()
    c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('x-content-type-options', 'nosniff')
    return undefined
  })
  app.route('/api/v1/mailbox', createInbucketApi(inbox))
  app.route('/api/v1', createMailpitApi(inbox, clock))
  app.get('/livez', (c) => c.text(''))
  app.get('/readyz', (c) => c.text(''))
  app.route('/', createViews(inbox))
  app.notFound(() => notFound())
  app.onError((error, c) => {
    log.error('The inbox failed to answer', error)
    return c.text('The inbox failed to answer; the log says why\n', 500)
  })
  return (request: Request) => app.fetch(request)
}
