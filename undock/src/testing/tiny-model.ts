import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Numbers of an embedding, as gte-small makes them. */
const WIDTH = 384
const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'lighthouse', 'keeper', 'recipe']

/** A stand-in for the host of models: answers for `Supabase/gte-small` with one of the same shape that knows three words,
 *  each a direction of its own. */
export async function serveTinyModel(): Promise<{ url: string; asked: string[]; close(): void }> {
  const files: Record<string, string | Buffer> = {
    'config.json': JSON.stringify({ model_type: 'bert', architectures: ['BertModel'], hidden_size: WIDTH }),
    'tokenizer.json': JSON.stringify(TOKENIZER),
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 512 }),
    'onnx/model_quantized.onnx': lookupModel(),
  }
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    asked.push(path)
    const file = files[path.replace('/Supabase/gte-small/resolve/main/', '')]
    response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () => server.close(),
  }
}

const special = (name: string) => ({ id: name, ids: [VOCABULARY.indexOf(name)], tokens: [name] })
const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: VOCABULARY.slice(0, 4).map((content, id) => ({ id, content, special: true, normalized: false })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id])),
  },
}

/** An ONNX model of one node, which looks a token's vector up in a table (onnx.proto3). */
function lookupModel(): Buffer {
  const vectors = Buffer.alloc(VOCABULARY.length * WIDTH * 4)
  for (let id = 4; id < VOCABULARY.length; id++) vectors.writeFloatLE(1, (id * WIDTH + id) * 4)
  const table = [varint(1, VOCABULARY.length), varint(1, WIDTH), varint(2, FLOAT), bytes(8, 'table'), bytes(9, vectors)]
  const node = [bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather')]
  const graph = [
    bytes(1, Buffer.concat(node)),
    bytes(2, 'lookup'),
    bytes(5, Buffer.concat(table)),
    bytes(11, tensor('input_ids', INT64, ['batch', 'length'])),
    bytes(11, tensor('attention_mask', INT64, ['batch', 'length'])),
    bytes(12, tensor('last_hidden_state', FLOAT, ['batch', 'length', WIDTH])),
  ]
  return Buffer.concat([varint(1, 8), bytes(7, Buffer.concat(graph)), bytes(8, varint(2, 13))])
}

const FLOAT = 1
const INT64 = 7

function tensor(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map((size) => bytes(1, typeof size === 'number' ? varint(1, size) : bytes(2, size)))
  const described = Buffer.concat([varint(1, type), bytes(2, Buffer.concat(dimensions))])
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, described))])
}

/** The two kinds of protobuf fields that are needed. */
const varint = (field: number, value: number): Buffer => Buffer.from([...base128(field << 3), ...base128(value)])
function bytes(field: number, value: string | Buffer): Buffer {
  const data = Buffer.from(value)
  return Buffer.concat([Buffer.from([...base128((field << 3) | 2), ...base128(data.length)]), data])
}

function base128(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...base128(value >>> 7)]
}
