import {
  type Condition,
  type IsOperand,
  type LogicTree,
  type Operation,
  type OrderTerm,
  QUANTIFIABLE_OPERATORS,
  SIMPLE_OPERATORS,
  TEXT_SEARCH_OPERATORS,
} from './ast.ts'
import { delimiter, field, fieldName, lexeme, plainIdentifier, quotedValue } from './names.ts'
import {
  after,
  attempt,
  before,
  between,
  chain,
  character,
  either,
  end,
  label,
  lookAhead,
  many,
  map,
  noneOf,
  notFollowedBy,
  optional,
  type Parser,
  rest,
  separated1,
  succeed,
  text,
} from './parsec.ts'

const word = <T extends string>(wanted: T): Parser<T> => attempt(map(text(wanted), () => wanted))

const words = <T extends string>([first, ...others]: readonly [T, ...T[]]): Parser<T> =>
  either<T>(word(first), ...others.map((other) => word(other)))

const simpleOperator = label(words(SIMPLE_OPERATORS), 'unknown single value operator')
const quantifiableOperator = label(words(QUANTIFIABLE_OPERATORS), 'unknown single value operator')
const textSearchOperator = words(TEXT_SEARCH_OPERATORS)

const anyCase = <T extends string>(wanted: T): Parser<T> =>
  attempt(
    map(
      [...wanted].reduce<Parser<unknown>>(
        (parser, one) => after(parser, either(character(one), character(one.toUpperCase()))),
        succeed(null),
      ),
      () => wanted,
    ),
  )

const isOperand = label(
  either<IsOperand>(anyCase('null'), anyCase('not_null'), anyCase('true'), anyCase('false'), anyCase('unknown')),
  'isVal: (null, not_null, true, false, unknown)',
)

const listElement = either(
  attempt(before(quotedValue, notFollowedBy(noneOf(',)')))),
  map(many(noneOf(',)')), (characters) => characters.join('')),
)

const listValue = between(lexeme(character('(')), separated1(listElement, character(',')), lexeme(character(')')))

const quantifier = optional(
  attempt(
    between(
      character('('),
      either<'any' | 'all'>(
        word('any'),
        map(text('all'), () => 'all' as const),
      ),
      character(')'),
    ),
  ),
  null,
)

/** `not.eq.3`, `in.(1,2)`, `fts(english).cat` …; `value` parses the part after the last dot. */
const condition = (value: Parser<string>): Parser<Condition> => {
  const operation = label(
    either<Operation>(
      map(after(attempt(after(text('in'), delimiter)), listValue), (values) => ({ kind: 'in', values })),
      map(after(attempt(after(text('is'), delimiter)), isOperand), (operand) => ({ kind: 'is', operand })),
      map(after(attempt(after(text('isdistinct'), delimiter)), value), (distinct) => ({
        kind: 'isdistinct',
        value: distinct,
      })),
      attempt(
        chain(textSearchOperator, (operator) =>
          chain(optional(attempt(between(character('('), plainIdentifier, character(')'))), null), (language) =>
            map(after(delimiter, value), (searched) => ({ kind: 'fts' as const, operator, language, value: searched })),
          ),
        ),
      ),
      attempt(
        chain(simpleOperator, (operator) =>
          map(after(delimiter, value), (operand) => ({ kind: 'simple' as const, operator, value: operand })),
        ),
      ),
      attempt(
        chain(quantifiableOperator, (operator) =>
          chain(quantifier, (quantified) =>
            map(after(delimiter, value), (operand) => ({
              kind: 'quantified' as const,
              operator,
              quantifier: quantified,
              value: operand,
            })),
          ),
        ),
      ),
    ),
    'operator (eq, gt, ...)',
  )
  const negation = either<boolean>(attempt(map(after(text('not'), delimiter), () => true)), succeed(false))
  return chain(negation, (not) => map(operation, (found) => ({ not, operation: found })))
}

export const filterCondition: Parser<Condition> = condition(rest)

const pgArray = chain(text('{'), (open) =>
  chain(many(noneOf('{}')), (inner) => map(text('}'), (close) => open + inner.join('') + close)),
)

const logicValue = either(
  attempt(before(quotedValue, notFollowedBy(noneOf(',)')))),
  attempt(pgArray),
  map(many(noneOf(',)')), (characters) => characters.join('')),
)

const logicCondition = condition(logicValue)

const logicFilter: Parser<LogicTree> = chain(before(field, delimiter), (named) =>
  map(logicCondition, (found) => ({ kind: 'filter' as const, filter: { field: named, ...found } })),
)

const logicNot = label(
  either<boolean>(attempt(map(after(text('not'), delimiter), () => true)), succeed(false)),
  'negation operator (not)',
)

const logicOperator = label(
  either<'and' | 'or'>(
    word('and'),
    map(text('or'), () => 'or' as const),
  ),
  'logic operator (and, or)',
)

/** `and(a.eq.1,not.or(b.gt.2,c.is.null))`. */
export const logicTree: Parser<LogicTree> = (input, at) =>
  either<LogicTree>(
    attempt(logicFilter),
    chain(logicNot, (not) =>
      chain(logicOperator, (operator) =>
        map(
          between(lexeme(character('(')), separated1(logicTree, lexeme(character(','))), lexeme(character(')'))),
          (operands) => ({ kind: 'logic' as const, not, operator, operands }),
        ),
      ),
    ),
  )(input, at)

/** `projects.not.or`: the path of resources, and the operator for the value in brackets. */
export const logicPath: Parser<{ path: string[]; operator: string }> = map(
  separated1(fieldName, delimiter),
  (names) => ({
    path: names.slice(0, -1).filter((name) => name !== 'not'),
    operator: names.includes('not') ? `not.${names.at(-1)}` : (names.at(-1) ?? ''),
  }),
)

const direction = optional(
  either<'asc' | 'desc'>(
    attempt(map(after(delimiter, text('asc')), () => 'asc' as const)),
    attempt(map(after(delimiter, text('desc')), () => 'desc' as const)),
  ),
  null,
)

const termEnd = either<unknown>(attempt(lookAhead(character(','))), attempt(end))

const nulls = either<'first' | 'last' | null>(
  before(
    optional(
      either<'first' | 'last'>(
        attempt(map(after(delimiter, text('nullsfirst')), () => 'first' as const)),
        attempt(map(after(delimiter, text('nullslast')), () => 'last' as const)),
      ),
      null,
    ),
    termEnd,
  ),
  map(termEnd, () => null),
)

const orderTail = (relation: string | null, named: OrderTerm['field']): Parser<OrderTerm> =>
  chain(direction, (found) => map(nulls, (placed) => ({ relation, field: named, direction: found, nulls: placed })))

const relatedOrderTerm = chain(fieldName, (relation) =>
  chain(between(character('('), field, character(')')), (named) => orderTail(relation, named)),
)

/** `name.desc.nullslast,client(id)`. */
export const orderTerms: Parser<OrderTerm[]> = separated1(
  lexeme(
    either<OrderTerm>(
      attempt(relatedOrderTerm),
      chain(field, (named) => orderTail(null, named)),
    ),
  ),
  character(','),
)
