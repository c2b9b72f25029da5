import {
  Action,
  applyTo,
  type Constructed,
  perform,
  Tuple,
  UntranslatableError,
  type Value,
} from '../haskell/evaluate.ts'
import { type Case, Example, Group } from './cases.ts'
import type { HeaderList } from './client.ts'
import { missesOf, toResponseMatcher } from './matchers.ts'
import { toBytes, toText } from './text.ts'
import { equal, shown } from './values.ts'

/** The actions of a spec within a group of examples or a single one. */
type Context = Group<Constructed> | Example

const group = (name: string) => (body: Value) =>
  new Action((context: Context) => perform(body, within(context).below(name)))

function within(context: Context): Group<Constructed> {
  if (context instanceof Group) return context
  throw new UntranslatableError('a group within an example')
}

/** Names from hspec. */
export const EXAMPLES = {
  describe: group,
  context: group,
  parallel: (body: Value) => body,
  it: (name: string) => (body: Value) =>
    new Action((context: Context) => runExample(within(context).below(name), body)),
  /** The specs take this as their argument. */
  withConfig: (settings: Constructed) => (body: Value) =>
    new Action((context: Context) => perform(body, within(context).with(settings))),
  liftIO: (body: Value) => body,
  pure: (value: Value) => new Action(async () => value),
  void: (body: Value) => body,
  raceTest: (times: number) => (body: Value) =>
    new Action((context: Context) => Promise.all(Array.from({ length: times }, () => perform(body, context)))),
  pendingWith: () => {
    throw new UntranslatableError('a pending example')
  },
}

async function runExample({ place, settings, results, prepare }: Group<Constructed>, body: Value): Promise<void> {
  if (!settings) throw new UntranslatableError('an example without settings')
  const example = new Example(place, await prepare(settings))
  try {
    await perform(body, example)
  } catch (error) {
    if (!(error instanceof UntranslatableError)) throw error
    results.untranslated.push({ place, reason: error.message })
  }
  results.cases.push(...example.cases.filter(({ expectations }) => expectations > 0))
}

const request = (method: string) => (path: Value) => (headers: Value) => (body: Value) =>
  new Action(async (example: Example) =>
    example.send({ method, path: toText(path), headers: toHeaders(headers), body: toBytes(body) }),
  )

export const toHeaders = (value: Value): HeaderList =>
  (value as readonly Tuple[]).map(({ items: [name, text] }) => [toText(name), toText(text)])

const withBody = (method: string) => (path: Value) => (body: Value) => request(method)(path)([])(body)

/** Names from hspec-wai, http-types and wai-extra. */
export const REQUESTS = {
  request,
  methodGet: 'GET',
  methodHead: 'HEAD',
  methodPost: 'POST',
  methodPut: 'PUT',
  methodPatch: 'PATCH',
  methodDelete: 'DELETE',
  methodOptions: 'OPTIONS',
  get: (path: Value) => request('GET')(path)([])(''),
  options: (path: Value) => request('OPTIONS')(path)([])(''),
  delete: (path: Value) => request('DELETE')(path)([])(''),
  post: withBody('POST'),
  put: withBody('PUT'),
  patch: withBody('PATCH'),
  simpleBody: ({ response }: Case) => response.body,
  simpleHeaders: ({ response }: Case) => response.headers.map((pair) => new Tuple(pair)),
  simpleStatus: ({ response }: Case) => response.status,
  hAccept: 'Accept',
  hContentType: 'Content-Type',
  hContentLength: 'Content-Length',
  hLocation: 'Location',
  hRange: 'Range',
  hAuthorization: 'Authorization',
  ByteRangeFrom: (from: number) => `${from}-`,
  ByteRangeFromTo: (from: number) => (to: number) => `${from}-${to}`,
  renderByteRange: (range: string) => range,
  mk: (name: string) => name,
}

const expectation =
  (isMet: (actual: Value, expected: Value) => boolean, relation: string) => (actual: Value) => (expected: Value) =>
    new Action(async (example: Example) => {
      const misses = isMet(actual, expected) ? null : `${shown(actual)} ${relation} ${shown(expected)}`
      example.expect(misses)
    })

/** Names from hspec-expectations. */
export const EXPECTATIONS = {
  shouldRespondWith: (body: Value) => (matcher: Value) =>
    new Action(async (example: Example) => {
      const answered = (await perform(body, example)) as Case
      const misses = missesOf(answered.response, toResponseMatcher(matcher))
      example.expect(misses.length === 0 ? null : misses.join('; '), answered)
    }),
  shouldBe: expectation(equal, 'is not'),
  shouldNotBe: expectation((actual, expected) => !equal(actual, expected), 'is'),
  shouldSatisfy: expectation((actual, predicate) => applyTo(predicate, actual) === true, 'does not satisfy'),
  shouldContain: expectation(contains, 'does not contain'),
}

function contains(actual: Value, part: Value): boolean {
  if (!Array.isArray(actual)) return toText(actual).includes(toText(part))
  return (part as readonly Value[]).every((wanted) => actual.some((item) => equal(item, wanted)))
}
