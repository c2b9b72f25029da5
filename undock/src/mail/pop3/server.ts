import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Log } from '../../kernel/service.ts'
import type { Inbox } from '../inbox.ts'
import { Pop3Session } from './session.ts'

/** Bytes that a command may have, with its line break (RFC 2449, section 4). */
const MAX_LINE = 255

class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
}

/** The lines of a stream without their line breaks, as Latin-1.
 *  @throws {LineTooLongError} */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of source) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.length >= MAX_LINE) throw new LineTooLongError()
      yield line.endsWith('\r') ? line.slice(0, -1) : line
    }
    if (rest.length >= MAX_LINE) throw new LineTooLongError()
  }
}

/** Connections at a time; each may hold a whole mail in memory. */
const MAX_CONNECTIONS = 10
/** Milliseconds without a command after which a connection is closed: the least that RFC 1939 allows. */
const IDLE_LIMIT = 600_000
/** Milliseconds that a client has for closing its side at the end. */
const CLOSING_LIMIT = 5_000

export type Pop3Server = { readonly port: number; close(): Promise<void> }

/** Offers the mails of the inbox over POP3 (RFC 1939), with any user and password. Every user sees all mails.
 *  @param port 0 chooses a free port.
 *  @throws {Error} EADDRINUSE when the port is taken. */
export async function startPop3Server(inbox: Inbox, host: string, port: number, log: Log): Promise<Pop3Server> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client may disconnect at any moment; without a listener the error would end the process.
    socket.on('error', () => socket.destroy())
    socket.setTimeout(IDLE_LIMIT, () => socket.destroy())
    if (sockets.size > MAX_CONNECTIONS) end(socket, '-ERR [SYS/TEMP] too many connections\r\n')
    else serve(socket, inbox).catch((error: unknown) => fail(socket, error, log))
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Answers one command after another; a client that does not read its answers is not read from either. */
async function serve(socket: Socket, inbox: Inbox): Promise<void> {
  const session = new Pop3Session(inbox)
  socket.write('+OK ready\r\n')
  for await (const line of linesOf(socket.iterator({ destroyOnReturn: false }))) {
    const { text, isLast = false } = await session.answer(line)
    if (isLast) return end(socket, text)
    // Also called, with an error, when the client has disconnected.
    await new Promise<void>((resolve) => socket.write(text, 'latin1', () => resolve()))
  }
}

function fail(socket: Socket, error: unknown, log: Log): void {
  if (error instanceof LineTooLongError) {
    end(socket, '-ERR the line is too long\r\n')
  } else {
    if (!socket.destroyed) log.error('A POP3 connection failed', error)
    socket.destroy()
  }
}

/** Says the last words. What still arrives is discarded: a connection that is closed while bytes are unread is reset, and
 *  the client would lose the words. */
function end(socket: Socket, text: string): void {
  socket.end(text, 'latin1')
  socket.resume()
  socket.setTimeout(CLOSING_LIMIT)
}
