import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Value = string | number | boolean | readonly Value[]

type CollectedSpan = {
  readonly service: string
  /** The service's process; empty if missing. */
  readonly instance: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  /** Nanoseconds since the epoch. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, Value>>
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number
}

export type OtlpCollector = {
  readonly endpoint: string
  readonly spans: CollectedSpan[]
  /** The raw bytes of all requests. */
  readonly bytes: Buffer[]
  close(): Promise<void>
}

/** A collector that reads OTLP over HTTP in protobuf.
 *  @see opentelemetry-proto opentelemetry/proto/collector/trace/v1/trace_service.proto */
export async function startOtlpCollector(port = 0): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  const bytes: Buffer[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf'
    if (isTraces) {
      bytes.push(body)
      spans.push(...readExport(body))
    }
    response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}

// Protobuf's wire format: each field has a number and a type (0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes).
type Field = { readonly number: number; readonly bytes: Buffer; readonly varint: bigint }

function* fieldsOf(message: Buffer): Generator<Field> {
  let position = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[position++]
      if (byte === undefined) throw new Error('A varint ends too early')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    if (position + length > message.length) throw new Error('A field ends too early')
    position += length
    return message.subarray(position - length, position)
  }
  while (position < message.length) {
    const key = Number(varint())
    const number = key >> 3
    switch (key & 7) {
      case 0:
        yield { number, bytes: Buffer.alloc(0), varint: varint() }
        break
      case 1:
        yield { number, bytes: take(8), varint: 0n }
        break
      case 2:
        yield { number, bytes: take(Number(varint())), varint: 0n }
        break
      case 5:
        yield { number, bytes: take(4), varint: 0n }
        break
      default:
        throw new Error(`There is no wire type ${key & 7}`)
    }
  }
}

const all = (message: Buffer, number: number): Buffer[] =>
  [...fieldsOf(message)].filter((field) => field.number === number).map(({ bytes }) => bytes)
const one = (message: Buffer, number: number): Buffer => all(message, number)[0] ?? Buffer.alloc(0)
const numberOf = (message: Buffer, number: number): number =>
  Number([...fieldsOf(message)].find((field) => field.number === number)?.varint ?? 0n)

function readExport(request: Buffer): CollectedSpan[] {
  return all(request, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(one(resourceSpans, 1), 1)
    const from = { service: String(resource['service.name']), instance: String(resource['service.instance.id'] ?? '') }
    return all(resourceSpans, 2).flatMap((scopeSpans) => all(scopeSpans, 2).map((span) => readSpan(span, from)))
  })
}

const readSpan = (span: Buffer, from: Pick<CollectedSpan, 'service' | 'instance'>): CollectedSpan => ({
  ...from,
  traceId: one(span, 1).toString('hex'),
  spanId: one(span, 2).toString('hex'),
  parentSpanId: one(span, 4).toString('hex'),
  name: one(span, 5).toString(),
  kind: numberOf(span, 6),
  start: one(span, 7).readBigUInt64LE(),
  end: one(span, 8).readBigUInt64LE(),
  attributes: attributesOf(span, 9),
  status: numberOf(one(span, 15), 3),
})

const attributesOf = (message: Buffer, number: number): Record<string, Value> =>
  Object.fromEntries(all(message, number).map((pair) => [one(pair, 1).toString(), anyValueOf(one(pair, 2))]))

/** AnyValue: string 1, bool 2, int 3, double 4, array 5. */
function anyValueOf(any: Buffer): Value {
  const [field] = fieldsOf(any)
  switch (field?.number) {
    case 2:
      return field.varint === 1n
    case 3:
      return Number(field.varint)
    case 4:
      return field.bytes.readDoubleLE()
    case 5:
      return all(field.bytes, 1).map(anyValueOf)
    default:
      return field?.bytes.toString() ?? ''
  }
}
