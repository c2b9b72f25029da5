import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { type Argument, type CallPlan, unknownField } from '../plan/model.ts'
import { type RoutineParameter, returnsScalar, returnsSetOfScalar } from '../schema-cache/model.ts'
import { column, localName, qualified } from './fields.ts'
import { bodyColumn, fromJsonBody } from './json-body.ts'

/** Writes a function call as a query for its result's rows. */
export function callSql(plan: CallPlan): Sql {
  const { routine, parameters, arguments: given } = plan
  const isScalar = returnsScalar(routine) || returnsSetOfScalar(routine)
  const called = (values: Sql): Sql =>
    isScalar
      ? sql`(select ${qualified(routine)}(${values}) pgrst_scalar) pgrst_call`
      : sql`${qualified(routine)}(${values}) pgrst_call`
  const select = isScalar ? sql`select pgrst_call.pgrst_scalar` : sql`select ${returnedColumns(plan)}`
  if (parameters.kind === 'whole') return sql`${select} from ${called(wholeArgument(parameters.parameter, given))}`
  if (parameters.given.length === 0) return sql`${select} from ${called(empty)}`
  if (given.kind === 'json') {
    const fields = parameters.given.map(({ name, unlimitedType }) => ({ ...unknownField(name), type: unlimitedType }))
    const values = parameters.given.map((one) => named(one, bodyColumn(one.name)))
    const body = fromJsonBody(given.body, fields, { applyDefaults: false, firstOnly: true })
    return sql`${select} ${body}, lateral ${called(join(values))}`
  }
  const values = parameters.given.map((one) =>
    named(one, directArgument(one, given.kind === 'direct' ? given.values.get(one.name) : undefined)),
  )
  return sql`${select} from ${called(join(values))}`
}

const named = ({ name, variadic }: RoutineParameter, value: Sql): Sql =>
  sql`${variadic ? sql`variadic ` : empty}${identifier(name)} := ${value}`

const directArgument = ({ unlimitedType }: RoutineParameter, value: Argument | undefined): Sql =>
  sql`${value ?? null}::${keyword(unlimitedType)}`

function wholeArgument({ type }: RoutineParameter, given: CallPlan['arguments']): Sql {
  if (given.kind === 'raw') {
    return type === 'bytea' ? sql`${given.bytes}::bytea` : sql`${given.bytes.toString('utf8')}::${keyword(type)}`
  }
  if (given.kind === 'json') return sql`${given.body.text}::json::${keyword(type)}`
  return sql`${JSON.stringify(Object.fromEntries(given.values))}::${keyword(type)}`
}

function returnedColumns({ returning, filterFields }: CallPlan): Sql {
  if (returning.length === 0) return sql`*`
  const names = returning.includes('*') ? ['*'] : [...new Set([...returning, ...filterFields])].sort()
  return join(names.map((name) => column(localName('pgrst_call'), name)))
}
