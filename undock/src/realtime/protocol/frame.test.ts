import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFrame, encodeBroadcast, encodeText, MalformedFrameError, type UserBroadcast } from './frame.ts'

function push(
  fields: readonly [string, string, string, string, string],
  encoding: number,
  payload: Uint8Array,
): Buffer {
  const bytes = fields.map((field) => Buffer.from(field))
  return Buffer.concat([Buffer.from([3, ...bytes.map(({ length }) => length), encoding]), ...bytes, payload])
}

describe('decodeFrame', () => {
  test('reads a text frame of each serializer', () => {
    const expected = {
      kind: 'message',
      joinRef: '1',
      ref: '2',
      topic: 'realtime:a',
      event: 'phx_join',
      payload: { x: 1 },
    }
    expect(decodeFrame(Buffer.from('["1","2","realtime:a","phx_join",{"x":1}]'), false, '2.0.0')).toEqual(expected)
    const object = { join_ref: 1, ref: '2', topic: 'realtime:a', event: 'phx_join', payload: { x: 1 } }
    expect(decodeFrame(Buffer.from(JSON.stringify(object)), false, '1.0.0')).toEqual(expected)
  })

  test('reads a binary push without parsing its payload', () => {
    expect(decodeFrame(push(['1', '', 'realtime:ü', 'e', ''], 1, Buffer.from('{"a": 1}')), true, '2.0.0')).toEqual({
      kind: 'broadcast',
      joinRef: '1',
      ref: null,
      topic: 'realtime:ü',
      broadcast: { event: 'e', encoding: 'json', payload: Buffer.from('{"a": 1}') },
    })
    expect(decodeFrame(push(['', '', 't', 'e', '{}'], 0, Buffer.from([255, 0])), true, '2.0.0')).toMatchObject({
      broadcast: { encoding: 'binary', payload: Buffer.from([255, 0]) },
    })
  })

  test.each([
    ['an empty frame', '', false],
    ['invalid JSON', '[', false],
    ['an object', '{}', false],
    ['a short array', '[1,2,3]', false],
    ["a topic that isn't a string", '[null,null,{},"e",{}]', false],
    ['a ref that is an object', '[{},null,"t","e",{}]', false],
    ['invalid UTF-8', '\xff', false],
    ['an empty binary frame', '', true],
    ['an unknown kind', '\x09\x00\x00\x00\x00\x00\x00', true],
    ['a server-only kind', '\x04\x00\x00\x00\x00\x00\x00', true],
    ['a truncated header', '\x03\x01', true],
    ['lengths past the end', '\x03\xff\xff\xff\xff\xff\x01abc', true],
    ['invalid JSON in a binary frame', '\x03\x00\x00\x00\x00\x00\x01{', true],
    ["metadata that isn't JSON", '\x03\x00\x00\x00\x00\x01\x01x{}', true],
  ])('rejects %s', (_name, bytes, isBinary) => {
    expect(() => decodeFrame(Buffer.from(bytes, 'latin1'), isBinary, '2.0.0')).toThrow(MalformedFrameError)
  })

  test('returns a message or throws MalformedFrameError for any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.boolean(),
        fc.constantFrom('1.0.0', '2.0.0'),
        (bytes, isBinary, version) => {
          const framed = Buffer.from(isBinary ? [3, ...bytes] : bytes)
          try {
            expect(typeof decodeFrame(framed, isBinary, version).topic).toBe('string')
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedFrameError)
          }
        },
      ),
    )
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('1.0.0', '2.0.0'), (text, version) => {
        try {
          decodeFrame(Buffer.from(text), false, version)
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedFrameError)
        }
      }),
    )
  })
})

describe('encoding', () => {
  const outgoing = { topic: 't"', joinRef: '1', ref: null, event: 'e', payload: '{"n":1.50}' }
  test.each([
    ['1.0.0', '{"topic":"t\\"","event":"e","payload":{"n":1.50},"ref":null,"join_ref":"1"}'],
    ['2.0.0', '["1",null,"t\\"","e",{"n":1.50}]'],
  ] as const)('text in %s quotes names and keeps the payload unchanged', (version, expected) => {
    expect(encodeText(outgoing, version).toString()).toBe(expected)
  })

  const broadcast: UserBroadcast = { event: 'ev', encoding: 'json', payload: Buffer.from('{"a":1}'), meta: { id: 'x' } }
  test('a broadcast is binary in 2.0.0 and JSON in 1.0.0', () => {
    expect(encodeBroadcast('t', broadcast, '2.0.0')).toEqual({
      binary: true,
      data: Buffer.from('\x04\x01\x02\x0a\x01tev{"id":"x"}{"a":1}'),
    })
    expect(encodeBroadcast('t', broadcast, '1.0.0')?.data.toString()).toBe(
      '{"topic":"t","event":"broadcast","payload":{"event":"ev","payload":{"a":1},"type":"broadcast","meta":{"id":"x"}},"ref":null,"join_ref":null}',
    )
  })

  test("leaves out messages that a serializer can't express", () => {
    expect(encodeBroadcast('t', { ...broadcast, encoding: 'binary' }, '1.0.0')).toBeNull()
    expect(encodeBroadcast('t'.repeat(256), broadcast, '2.0.0')).toBeNull()
  })
})
