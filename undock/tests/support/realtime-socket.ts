import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A WebSocket to Realtime with minimal code: thousands of them in one process leave the CPU to the server, and tests can send
 *  frames that a library wouldn't. Serializer 2.0.0. */
export type RealtimeSocket = {
  readonly network: Socket
  /** Sends `[joinRef, ref, topic, event, payload]`. */
  send(...message: readonly [string | null, string | null, string, string, unknown]): void
  /** Sends bytes unchanged. */
  sendRaw(bytes: Uint8Array): void
  /** From now on, called with the text of every frame. */
  onText(handle: (text: string) => void): void
}

const UPGRADED = 'HTTP/1.1 101'

/** @param url The API's URL, `http://127.0.0.1:54321`. @throws with the status line if the handshake is rejected */
export async function openRealtimeSocket(url: string, apikey: string): Promise<RealtimeSocket> {
  const { hostname, port } = new URL(url)
  const network = connect(Number(port), hostname)
  network.setNoDelay(true)
  network.write(
    [
      `GET /realtime/v1/websocket?vsn=2.0.0&apikey=${apikey} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    ].join('\r\n'),
  )
  const [answer] = (await once(network, 'data')) as [Buffer]
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.toString('latin1', 0, end)
  if (!head.startsWith(UPGRADED)) {
    network.destroy()
    throw new Error(head.split('\r\n', 1)[0])
  }
  let handle: (text: string) => void = () => {}
  let rest = answer.subarray(end + 4)
  network.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const frame = frameIn(rest)
      if (!frame) return
      if (frame.isText) handle(rest.toString('utf8', frame.start, frame.end))
      rest = rest.subarray(frame.end)
    }
  })
  // A dropped connection also ends with `close`.
  network.on('error', () => {})
  const sendRaw = (bytes: Uint8Array): void => void network.write(bytes)
  return {
    network,
    sendRaw,
    send: (...message) => sendRaw(clientFrame(Buffer.from(JSON.stringify(message)))),
    onText(next) {
      handle = next
    },
  }
}

/** Parses the first complete frame from a server, which doesn't mask frames. */
function frameIn(bytes: Buffer): { start: number; end: number; isText: boolean } | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] as number) & 0x7f
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = start + length
  return bytes.length < end ? null : { start, end, isText: ((bytes[0] as number) & 0x0f) === 1 }
}

/** A whole message in one frame, masked with 0 so that it stays readable. */
export function clientFrame(data: Uint8Array, opcode = 1): Buffer {
  const long = data.length >= 126
  const head = Buffer.alloc(long ? 14 : 6)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (long ? 127 : data.length)
  if (long) head.writeBigUInt64BE(BigInt(data.length), 2)
  return Buffer.concat([head, data])
}
