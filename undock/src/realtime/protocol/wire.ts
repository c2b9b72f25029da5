const FINAL = 0x80
const TEXT = 0x01
const BINARY = 0x02

/** Builds an unmasked WebSocket frame (RFC 6455 §5.2), so a broadcast is framed once for all sockets. */
export function wireFrame(data: Buffer, binary: boolean): Buffer {
  const header = data.length < 126 ? 2 : data.length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + data.length)
  frame[0] = FINAL | (binary ? BINARY : TEXT)
  if (header === 2) frame[1] = data.length
  else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(data.length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(data.length), 2)
  }
  data.copy(frame, header)
  return frame
}

export function frameText(frame: Buffer): string {
  const length = frame[1] ?? 0
  const header = length === 127 ? 10 : length === 126 ? 4 : 2
  return frame.toString('utf8', header)
}
