import type { Field, JsonOperation } from './ast.ts'
import {
  after,
  anyCharacter,
  attempt,
  before,
  chain,
  character,
  digit,
  either,
  end,
  label,
  letter,
  lookAhead,
  many,
  many1,
  map,
  noneOf,
  notFollowedBy,
  oneOf,
  optional,
  type Parser,
  separated1,
  text,
} from './parsec.ts'

const whitespace = many(oneOf(' \t'))

export const lexeme = <T>(parser: Parser<T>): Parser<T> => before(after(whitespace, parser), whitespace)

export const delimiter: Parser<string> = label(character('.'), 'delimiter (.)')

const joined = (parser: Parser<string[]>): Parser<string> => map(parser, (parts) => parts.join(''))

export const quotedValue: Parser<string> = joined(
  after(character('"'), before(many(either(noneOf('\\"'), after(character('\\'), anyCharacter))), character('"'))),
)

/** Letters, digits, `_`, `$` and inner spaces: the only request text that reaches SQL unquoted, as a cast's type. */
export const plainIdentifier: Parser<string> = map(joined(many1(either(letter, digit, oneOf('_ $')))), (name) =>
  name.trim(),
)

const dash = attempt(before(character('-'), notFollowedBy(character('>'))))

const dashed = (parser: Parser<string>): Parser<string> => map(separated1(parser, dash), (parts) => parts.join('-'))

export const fieldName: Parser<string> = label(
  either(quotedValue, dashed(plainIdentifier)),
  'field name (* or [a..z0..9_$])',
)

const jsonKey = label(
  either(quotedValue, dashed(map(joined(many1(noneOf('(-:.,>)'))), (key) => key.trim()))),
  'any non reserved character different from: .,>()',
)

const arrow = either<JsonOperation['arrow']>(
  attempt(map(text('->>'), () => '->>' as const)),
  attempt(map(text('->'), () => '->' as const)),
)

const indexEnd = either<unknown>(
  attempt(lookAhead(text('->'))),
  attempt(lookAhead(text('::'))),
  attempt(lookAhead(text('.'))),
  attempt(lookAhead(text(','))),
  attempt(end),
)

const jsonIndex = before(
  chain(optional(character('-'), '+'), (sign) => map(many1(digit), (digits) => sign + digits.join(''))),
  indexEnd,
)

const operand = either<JsonOperation['operand']>(
  attempt(map(jsonIndex, (value) => ({ kind: 'index', value }))),
  attempt(map(jsonKey, (value) => ({ kind: 'key', value }))),
)

/** Any number of `->key`, `->>0` … */
const jsonPath: Parser<JsonOperation[]> = many(
  chain(arrow, (kind) => map(operand, (value) => ({ arrow: kind, operand: value }))),
)

export const field: Parser<Field> = lexeme(
  chain(fieldName, (name) => map(optional(jsonPath, []), (path) => ({ name, path }))),
)

/** A single colon: two of them are a cast. */
export const aliasSeparator: Parser<undefined> = after(character(':'), notFollowedBy(character(':')))

export const columnNames: Parser<string[]> = separated1(fieldName, lexeme(character(',')))

/** `clients.projects.name->a`: the path of resources, then the field. */
export const treePath: Parser<{ path: string[]; field: Field }> = chain(separated1(fieldName, delimiter), (names) =>
  map(optional(jsonPath, []), (path) => ({ path: names.slice(0, -1), field: { name: names.at(-1) ?? '', path } })),
)
