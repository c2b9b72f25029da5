import type { AggregateFunction, FieldItem, JoinType, RelationItem, SelectItem } from './ast.ts'
import { aliasSeparator, field, fieldName, lexeme, plainIdentifier } from './names.ts'
import {
  after,
  attempt,
  before,
  between,
  chain,
  character,
  either,
  end,
  fail,
  lookAhead,
  map,
  optional,
  type Parser,
  separated,
  succeed,
  text,
} from './parsec.ts'

/** `select=`: fields, embedded resources with their own list, spread resources. */
export const selectList: Parser<SelectItem[]> = (input, at) => separated(selectItem, lexeme(character(',')))(input, at)

const alias = optional(attempt(before(fieldName, aliasSeparator)), null)

type EmbedParameter = { readonly hint: string } | { readonly join: JoinType }

const embedParameter: Parser<EmbedParameter> = after(
  character('!'),
  either<EmbedParameter>(
    attempt(map(text('left'), () => ({ join: 'left' as const }))),
    attempt(map(text('inner'), () => ({ join: 'inner' as const }))),
    attempt(map(fieldName, (hint) => ({ hint }))),
  ),
)

const embedParameters = chain(optional(embedParameter, null), (one) =>
  map(optional(embedParameter, null), (two) => {
    const parameters = [one, two].filter((parameter) => parameter !== null)
    return {
      hint: parameters.find((parameter) => 'hint' in parameter)?.hint ?? null,
      join: parameters.find((parameter) => 'join' in parameter)?.join ?? null,
    }
  }),
)

const opens = attempt(lookAhead(text('(')))

type RelationHead = Omit<RelationItem, 'select'>

const relationHead: Parser<RelationHead> = lexeme(
  chain(alias, (aliased) =>
    chain(fieldName, (name) =>
      after(
        name === 'count' ? fail : succeed(null),
        before(
          map(embedParameters, (parameters) => ({
            kind: 'relation' as const,
            name,
            alias: aliased,
            spread: false,
            ...parameters,
          })),
          opens,
        ),
      ),
    ),
  ),
)

const spreadHead: Parser<RelationHead> = lexeme(
  chain(after(text('...'), fieldName), (name) =>
    before(
      map(embedParameters, (parameters) => ({
        kind: 'relation' as const,
        name,
        alias: null,
        spread: true,
        ...parameters,
      })),
      opens,
    ),
  ),
)

const withSelect = (head: Parser<RelationHead>): Parser<SelectItem> =>
  chain(attempt(head), (relation) =>
    map(between(character('('), selectList, character(')')), (select) => ({ ...relation, select })),
  )

const itemEnd = either<unknown>(attempt(lookAhead(text(')'))), attempt(lookAhead(text(','))), attempt(end))

const cast = optional(after(text('::'), plainIdentifier), null)

const aggregateName = either<AggregateFunction>(
  map(text('sum'), () => 'sum' as const),
  map(text('avg'), () => 'avg' as const),
  map(text('count'), () => 'count' as const),
  attempt(map(text('max'), () => 'max' as const)),
  attempt(map(text('min'), () => 'min' as const)),
)

const plainItem = { kind: 'field', aggregate: null, aggregateCast: null, cast: null, alias: null } as const

const fieldItem: Parser<FieldItem> = lexeme(
  either<FieldItem>(
    attempt(
      before(
        map(text('*'), () => ({ ...plainItem, field: { name: '*', path: [] } })),
        itemEnd,
      ),
    ),
    attempt(
      chain(alias, (aliased) =>
        before(
          map(after(text('count()'), cast), (aggregateCast) => ({
            ...plainItem,
            field: { name: '*', path: [] },
            aggregate: 'count' as const,
            aggregateCast,
            alias: aliased,
          })),
          itemEnd,
        ),
      ),
    ),
    chain(alias, (aliased) =>
      chain(field, (named) =>
        chain(cast, (fieldCast) =>
          chain(optional(attempt(between(character('.'), aggregateName, text('()'))), null), (aggregate) =>
            before(
              map(cast, (aggregateCast) => ({
                kind: 'field' as const,
                field: named,
                aggregate,
                aggregateCast,
                cast: fieldCast,
                alias: aliased,
              })),
              itemEnd,
            ),
          ),
        ),
      ),
    ),
  ),
)

const selectItem: Parser<SelectItem> = either<SelectItem>(withSelect(spreadHead), withSelect(relationHead), fieldItem)
